package server

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sluice/commands"
	"sluice/commands/config"
)

// An inbox holds what others have for a connection's client until it is written.
// While the connection's own goroutine runs commands it alone takes from it, behind
// each reply; so a client hears that it has subscribed before it hears a message.
// While that goroutine waits, a writer takes: a goroutine that is there only as long
// as there is something to write.
//
// Whoever writes holds conn.writes, and the writer holds it already when it takes.
type inbox struct {
	mu       sync.Mutex
	waiting  []commands.Reply
	bytes    int // of what waits, about
	closed   bool
	overflow bool // closed because the client does not keep up
	writing  bool // there is a writer
	writers  sync.WaitGroup

	some  atomic.Bool  // whether something waits
	began atomic.Int64 // the tick at which the writer's write began, 0 between writes
}

// Push has a reply written that the client has not asked for.
func (c *conn) Push(r commands.Reply) {
	size := r.Size()
	b := &c.inbox
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	if b.bytes+size > int(c.server.service.Config.Number(config.OutputLimit)) {
		b.closed, b.overflow, b.waiting = true, true, nil
		b.some.Store(false)
		b.writers.Go(c.cut) // closing may take a while, with TLS
		return
	}
	b.waiting = append(b.waiting, r)
	b.bytes += size
	b.some.Store(true)
	c.startWriter()
}

// startWriter starts a writer if one is needed. b.mu is held. A connection that
// begins to wait looks at b.some after it has said so, and we look whether it waits
// after b.some was set: one of the two sees the other.
func (c *conn) startWriter() {
	if b := &c.inbox; c.idle() && !b.writing && !b.closed {
		b.writing = true
		b.writers.Go(c.writer)
	}
}

// idle says whether the connection's own goroutine waits.
func (c *conn) idle() bool {
	doing := c.doing.Load()
	return doing == reading || doing == resting
}

// wait says what the connection's own goroutine waits for from now on.
func (c *conn) wait(what int64) {
	c.doing.Store(what)
	if b := &c.inbox; b.some.Load() {
		b.mu.Lock()
		defer b.mu.Unlock()
		c.startWriter()
	}
}

// writer writes what waits while the connection's own goroutine does.
func (c *conn) writer() {
	defer func() {
		if p := recover(); p != nil {
			c.logPanic("a push panicked", nil, p)
			c.cut()
		}
	}()
	var out []byte
	for more := true; more; {
		out, more = c.writeSome(out[:0])
	}
}

// writeSome writes a part of what waits. It says false when the writer is over.
func (c *conn) writeSome(out []byte) ([]byte, bool) {
	c.writes.Lock()
	defer c.writes.Unlock()
	batch := c.take(true)
	if len(batch) == 0 {
		return out, false
	}
	out = appendPushes(out, batch, c.session.Proto())
	n, err := c.writeAll(out, &c.inbox.began)
	c.inbox.began.Store(0)
	c.session.Traffic(0, n)
	return out, err == nil
}

// take takes about flushBytes of what waits, for the writer or for the connection's
// own goroutine. A writer that gets nothing has ended.
func (c *conn) take(writer bool) (batch []commands.Reply) {
	b := &c.inbox
	b.mu.Lock()
	defer b.mu.Unlock()
	if writer && (len(b.waiting) == 0 || !c.idle()) {
		b.writing = false
		return nil
	}
	size, n := 0, 0
	for n < len(b.waiting) && size < flushBytes {
		size += b.waiting[n].Size()
		n++
	}
	batch, b.waiting = b.waiting[:n:n], b.waiting[n:]
	b.bytes -= size
	if len(b.waiting) == 0 {
		b.waiting = nil
		b.some.Store(false)
	}
	return batch
}

func appendPushes(out []byte, batch []commands.Reply, proto int) []byte {
	for i := range batch {
		out = appendReply(out, &batch[i], proto)
	}
	clear(batch) // the array may live on behind those that still wait
	return out
}

// hear has the client hear, between the replies of a batch, what waits.
func (c *conn) hear() {
	for c.inbox.some.Load() && !c.closing {
		c.out = appendPushes(c.out, c.take(false), c.session.Proto())
		c.flushIfFull()
	}
}

// Slow has nobody else wait for the command under way, see commands.Peer.
func (c *conn) Slow() { c.stepAside() }

// Rest has a command wait, see commands.Peer.
func (c *conn) Rest(over <-chan struct{}) bool {
	c.stepAside()
	if !c.flush() {
		return false
	}
	c.wait(resting)
	defer c.doing.Store(running)
	look := time.NewTicker(c.server.every)
	defer look.Stop()
	for {
		select {
		case <-over:
			return !c.killed.Load() && !hasLeft(c.net)
		case <-c.ctx.Done():
			return false
		case <-c.server.stopping.Done():
			return false
		case <-look.C:
			if hasLeft(c.net) {
				return false
			}
		}
	}
}

// hasLeft says whether a client has closed its side and sent nothing more before.
// Nobody reads from it, so it would be kept as long as it waits, and the next one
// that it becomes, too.
func hasLeft(nc net.Conn) (left bool) {
	if s, ok := nc.(*socket); ok {
		return atItsEnd(s.fd) || s.secure != nil && s.secure.hasLeft(s.fd)
	}
	p, safe := nc.(patient)
	if safe {
		nc = p.NetConn().(*wire).Conn
	}
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		left = atItsEnd(int(fd)) || safe && saysGoodbye(int(fd), p.Conn)
	})
	return left || err != nil
}

func atItsEnd(fd int) bool {
	var b [1]byte
	n, _, err := syscall.Recvfrom(fd, b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n == 0 && err == nil || errors.Is(err, syscall.ECONNRESET)
}

// closeInbox lets nothing more in and waits for the writer. The connection must be
// closed already.
func (c *conn) closeInbox() {
	b := &c.inbox
	b.mu.Lock()
	b.closed, b.waiting = true, nil
	b.mu.Unlock()
	b.writers.Wait()
	if b.overflow {
		c.server.log.Warn("closing a client", "client", c.session.Addr, "why", "does not keep up with what is pushed to it")
	}
}
