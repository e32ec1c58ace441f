package server

import (
	"bytes"
	"io"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"sluice/commands"
	"sluice/commands/config"
)

// A conn is one client's connection: it reads commands, has the session answer
// them, and writes what a batch earned with one write. All of it happens in one
// goroutine; stop and the watch look at its atomics.
type conn struct {
	net     net.Conn
	server  *Server
	session *commands.Session
	frames  *frameReader
	out     []byte
	limits  Limits
	closing bool // no command is run any more

	// writing is when the write under way began (Unix nanoseconds), 0 for none.
	writing atomic.Int64
	// busy is set while commands run, so that an idle client can be told apart.
	busy   atomic.Bool
	killed atomic.Bool
}

// flushBytes is how many bytes of replies are collected before they are written
// though commands are left, so that a long pipeline needs little memory.
const flushBytes = 64 << 10

// lingerFor is how long a connection that we end with an error is read from, so
// that the error arrives although the client is still sending.
const lingerFor = 250 * time.Millisecond

func (s *Server) newConn(nc net.Conn) *conn {
	c := &conn{net: nc, server: s, frames: newFrameReader()}
	c.session = s.service.Open(s.ctx, address(nc.RemoteAddr()), address(nc.LocalAddr()))
	c.session.Kill = c.kill
	s.enter(c)
	return c
}

func (c *conn) serve() {
	defer c.server.leave(c)
	for c.turn() {
	}
	c.net.Close()
	c.session.Close()
}

// turn reads what has come and answers it. It says false when the connection is over.
func (c *conn) turn() bool {
	n, err := c.net.Read(c.frames.space())
	if n > 0 {
		c.frames.filled(n)
		c.busy.Store(true)
		c.answer()
		ok := c.flush()
		c.session.Traffic(n, 0)
		c.session.Settle()
		c.busy.Store(false)
		if !ok || c.closing {
			return false
		}
		c.frames.rest()
	}
	return err == nil && !c.server.stopping.Load()
}

// answer runs the commands that have come, in order.
func (c *conn) answer() {
	limits := c.currentLimits()
	for !c.closing {
		args, err := c.frames.next(limits)
		if err != nil {
			c.protocolError(err)
			return
		}
		if args == nil {
			return
		}
		if isHTTP(args[0]) {
			c.server.log.Warn("a client speaks HTTP: closed, someone may be attacking from a web page", "client", c.session.Addr)
			c.closing = true
			return
		}
		c.reply(c.do(args))
		if len(c.out) >= flushBytes && !c.flush() {
			c.closing = true
		}
		if limits == &unauthenticated {
			limits = c.currentLimits()
		}
	}
}

func (c *conn) currentLimits() *Limits {
	if !c.session.Authenticated() {
		return &unauthenticated
	}
	cfg := c.server.service.Config
	c.limits = Limits{
		Arguments: int(cfg.Number(config.MaxArguments)),
		Bulk:      int(cfg.Number(config.MaxBulkBytes)),
		Command:   int(cfg.Number(config.QueryBufferLimit)),
	}
	return &c.limits
}

func (c *conn) reply(r commands.Reply) {
	c.out = appendReply(c.out, &r, c.session.Proto())
	if r.Kind == commands.Closing {
		c.closing = true
	}
}

// do runs a command. A panic in it is a bug of ours: the client gets an error, the
// log the stack, and everyone else goes on.
func (c *conn) do(args [][]byte) (reply commands.Reply) {
	defer func() {
		if p := recover(); p != nil {
			c.server.log.Error("a command panicked", "command", string(args[0]), "panic", p, "stack", string(debug.Stack()))
			reply = commands.Reply{Kind: commands.Failure, Text: "ERR internal error"}
		}
	}()
	return c.session.Do(args)
}

// protocolError ends the connection, after the replies that were earned before.
func (c *conn) protocolError(err error) {
	c.out = appendReply(c.out, &commands.Reply{Kind: commands.Failure, Text: err.Error()}, 2)
	c.closing = true
	if c.flush() {
		c.linger()
	}
}

// linger lets the client read our last words: closing while it still sends would
// reset the connection under them.
func (c *conn) linger() {
	half, ok := c.net.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if c.net.SetReadDeadline(time.Now().Add(lingerFor)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c.net, 1<<20))
	}
}

// flush writes the replies. The watch ends a write that takes too long.
func (c *conn) flush() bool {
	if len(c.out) == 0 {
		return true
	}
	c.writing.Store(time.Now().UnixNano())
	n, err := c.net.Write(c.out)
	c.writing.Store(0)
	c.session.Traffic(0, n)
	if c.out = c.out[:0]; cap(c.out) > 2*flushBytes {
		c.out = nil
	}
	return err == nil
}

// kill ends the connection from another goroutine, or after this command.
func (c *conn) kill() {
	if c.killed.CompareAndSwap(false, true) {
		c.net.Close()
	}
}

// wake has a read that waits return, so that the goroutine sees it is to stop.
func (c *conn) wake() { _ = c.net.SetReadDeadline(time.Unix(1, 0)) }

// overdue says why the watch is to close this connection, or "".
func (c *conn) overdue(now time.Time, idle, write time.Duration) string {
	if since := c.writing.Load(); since > 0 && now.Sub(time.Unix(0, since)) > write {
		return "does not read its replies"
	}
	if idle > 0 && !c.busy.Load() && now.Sub(c.session.LastActive()) > idle {
		return "idle"
	}
	return ""
}

// isHTTP spots the first words of an HTTP request: a web page that makes a browser
// talk to us must not get to run commands.
func isHTTP(word []byte) bool {
	return len(word) <= len("host:") && (bytes.EqualFold(word, []byte("post")) || bytes.EqualFold(word, []byte("host:")))
}

func address(a net.Addr) string {
	if a == nil || a.Network() == "unix" {
		return "unix:0"
	}
	return a.String()
}
