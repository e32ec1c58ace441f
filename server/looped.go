package server

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// This file is what a connection does on a loop.

// listen reads what has come and runs it. Like the other steps it says whether the
// connection goes on; a bug ends it and it alone.
func (c *conn) listen() (on bool) {
	defer c.survive(&on)
	if c.socket.secure != nil {
		return c.listenSecurely()
	}
	n, made, err := c.socket.receivedEarly()
	if !made {
		n, err = c.socket.tryRead(c.frames.space())
	}
	if n > 0 {
		c.frames.filled(n)
		c.run(n)
		return true
	}
	return errors.Is(err, syscall.EAGAIN)
}

// listenSecurely is listen with TLS. All that can be decrypted is read before any of it
// is run: the loop learns nothing of what waits within TLS. What has ended the reading is
// not said again, so the connection ends with what was read before.
func (c *conn) listenSecurely() bool {
	n, err := c.decrypt()
	over := !errors.Is(err, syscall.EAGAIN)
	c.socket.secure.over = over
	if n > 0 {
		c.run(n)
	}
	c.closing = c.closing || over
	return n > 0 || !over
}

func (c *conn) decrypt() (total int, err error) {
	t := c.socket.secure
	t.wire.room = turnBytes
	for err == nil {
		var n int
		n, err = t.Read(c.frames.space())
		c.frames.filled(n)
		total += n
	}
	return total, err
}

// reply writes what was earned.
func (c *conn) reply() (on bool) {
	defer c.survive(&on)
	return c.finish()
}

// now is about the time: a loop reads the clock once for all.
func (c *conn) now() time.Time {
	if c.looped {
		return c.loop.now
	}
	return time.Now()
}

// lookAround does what the loop was called for, by wake or Kill.
func (c *conn) lookAround() (on bool) {
	defer c.survive(&on)
	return !c.killed.Load() && c.woken(os.ErrDeadlineExceeded)
}

func (c *conn) survive(on *bool) {
	if p := recover(); p != nil {
		c.logPanic("a connection panicked", nil, p)
		*on = false
	}
}

// stepAside is called before the connection's goroutine does what may take long: if
// it leads a loop, it leaves that to another.
func (c *conn) stepAside() {
	if c.looped {
		c.looped, c.batch = false, nil
		c.loop.drop(c)
		c.server.leaders.Go(c.loop.lead)
	}
}

// alone goes on, with a goroutine of its own, from where the connection stepped
// aside to the end of the batch.
func (c *conn) alone(on bool) {
	if on && c.unanswered > 0 {
		on = c.reply()
	}
	if on {
		c.loop.join(c)
	} else {
		c.end()
	}
}
