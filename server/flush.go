package server

import (
	"sync/atomic"
	"time"
)

// This file is how replies leave a connection.

// flushBytes is how many bytes of replies are collected before they are written
// though commands are left, so that a long pipeline needs little memory.
const flushBytes = 64 << 10

// writeBytes is how much a client must at least read within client-write-timeout:
// one huge reply is written in parts of this size.
const writeBytes = 256 << 10

// flushIfFull writes the replies if they have become many.
func (c *conn) flushIfFull() {
	if len(c.out) >= flushBytes && !c.flush() {
		c.closing = true
	}
}

// flush writes the replies.
func (c *conn) flush() bool {
	if c.socket == nil || !c.socket.sent.made { // else offer has
		c.keep()
	}
	if len(c.out) == 0 {
		return true
	}
	n, err := c.tryFlush()
	if err == nil && n < len(c.out) {
		c.stepAside()
		c.writes.Lock()
		var more int
		more, err = c.writeAll(c.out[n:], &c.doing)
		c.writes.Unlock()
		c.doing.Store(running)
		n += more
	}
	c.written += n
	c.start = 0
	if c.out = c.out[:0]; cap(c.out) > 2*flushBytes {
		c.out = nil
	}
	return err == nil
}

// tryFlush writes as much as can be written without waiting, on a loop; else nothing.
func (c *conn) tryFlush() (int, error) {
	if !c.looped {
		return 0, nil
	}
	n, made, err := c.socket.sentEarly()
	if !made {
		if !c.writes.TryLock() {
			return 0, nil
		}
		defer c.writes.Unlock()
		n, err = c.socket.tryWrite(c.out)
	}
	if err != nil {
		c.net.Close()
	}
	return n, err
}

// writeAll writes bytes. The watch ends a write that takes too long: began is where
// it looks. Whoever calls it holds c.writes.
func (c *conn) writeAll(b []byte, began *atomic.Int64) (written int, err error) {
	for written < len(b) {
		began.Store(c.server.ticks.Load())
		if c.killed.Load() {
			_ = c.net.SetWriteDeadline(time.Now().Add(lastWords))
		}
		n, err := c.net.Write(b[written:min(len(b), written+writeBytes)])
		written += n
		if err != nil {
			c.net.Close()
			return written, err
		}
	}
	return written, nil
}
