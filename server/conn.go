package server

import (
	"bytes"
	"context"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/tidwall/redcon"

	"sluice/commands"
)

// A conn is one client's connection: it reads commands, has the session answer
// them, and writes what a batch earned with one write. All of it happens in one
// goroutine at a time, its own or a loop's; the watch, Stop and CLIENT KILL look at
// its atomics, and what others push to the client comes through the inbox.
type conn struct {
	net     net.Conn
	server  *Server
	session *commands.Session
	frames  *frameReader
	batch   *batch // that commands may join: the loop's or its own, or nil
	out     []byte
	start   int    // in out, of the reply to the command under way
	unkept  []span // in out: replies that tell of a change which may not be kept yet
	closing bool   // no command is run any more

	unanswered int  // bytes of what was read, until all replies are written
	written    int  // bytes of the replies
	ran        bool // commands, of what was read

	loop   *loop   // nil for a connection with a goroutine of its own
	socket *socket // net, if there is a loop
	looped bool    // the leader of the loop runs it

	offered bool // to the loop's ring: it holds writes

	inbox  inbox
	writes sync.Mutex // held by who writes

	doing  atomic.Int64 // reading, running, resting, or the tick at which a write began
	large  atomic.Bool  // has buffers that it does not need while it waits
	killed atomic.Bool
	ctx    context.Context // of its commands: done when killed is set, or they must end
	cancel context.CancelFunc
	// stranger is the tick since which the client has not said who it is, or 0.
	stranger atomic.Int64
}

const (
	reading = 0
	running = -1
	resting = -2 // within a command
)

func (s *Server) newConn(nc net.Conn) *conn {
	c := &conn{net: nc, server: s, frames: newFrameReader()}
	if c.socket, _ = nc.(*socket); c.socket != nil {
		c.loop = c.socket.loop
	} else {
		c.batch = newBatch(s.service)
	}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.session = s.service.Open(c.ctx, c, address(nc.RemoteAddr()), address(nc.LocalAddr()))
	c.session.Secure = isSecure(nc)
	c.noteStranger()
	s.enter(c)
	return c
}

// serve is the life of a connection that has a goroutine of its own. A bug in reading
// or writing ends this one connection only.
func (c *conn) serve() {
	defer func() {
		if p := recover(); p != nil {
			c.logPanic("a connection panicked", nil, p)
		}
		c.end()
	}()
	for c.turn() {
	}
}

// turn reads what has come and answers it. It says false when the connection is over.
func (c *conn) turn() bool {
	n, err := c.net.Read(c.frames.space())
	if n > 0 {
		c.frames.filled(n)
		c.run(n)
		c.batch.run()
		if !c.finish() {
			return false
		}
	}
	return err == nil || c.woken(err)
}

// run runs the commands that are complete with the n bytes that the frames got, but for
// the last ones if they wait in the batch for those of others.
func (c *conn) run(n int) {
	c.unanswered = n
	c.doing.Store(running)
	c.answer()
}

// finish writes the replies to what was run, and makes ready for more. It says false
// when the connection is over.
func (c *conn) finish() bool {
	c.settle()
	ok := c.flush()
	c.session.Traffic(c.unanswered, c.written)
	c.unanswered, c.written = 0, 0
	if !ok {
		return false
	}
	if c.closing || c.killed.Load() {
		c.linger()
		return false
	}
	c.noteStranger()
	c.frames.rest()
	if large := c.frames.large() || cap(c.out) > smallBuffer; large != c.large.Load() {
		c.large.Store(large)
	}
	c.wait(reading)
	return !c.killed.Load()
}

// settle is before the last replies to what was run are written: the client may ask what
// was counted then, and rely on what it is told.
func (c *conn) settle() {
	if c.ran {
		c.session.SettleAt(c.now())
		c.ran = false
	}
}

// answer runs the commands that have come, in order.
func (c *conn) answer() {
	for !c.closing && !c.killed.Load() {
		args, err := c.frames.next(c.limits())
		switch {
		case args == nil && err == nil:
			return
		case args == nil:
			c.batch.run()
			c.out = redcon.AppendError(c.out, err.Error())
			c.closing = true
			return
		}
		c.ran = true
		if c.join(args) {
			continue
		}
		c.flushIfFull()
		c.hear()
	}
}

// join has a command wait in the batch, or runs it and all before it. It says whether
// it waits.
func (c *conn) join(args [][]byte) (waits bool) {
	b := c.batch
	if !b.add(c, args) && !(b.run() && b.add(c, args)) {
		c.do(args)
		return false
	}
	if b.Full() {
		return !b.run()
	}
	return true
}

// limits are asked for before each command: the one before may have been AUTH.
func (c *conn) limits() *Limits {
	if c.session.Authenticated() {
		return c.server.limits.Load()
	}
	return &strangers
}

// mend is deferred where a command runs. A panic in it is a bug of ours: the client
// gets an error, the log the stack, and everyone else goes on.
func (c *conn) mend(command []byte) {
	if p := recover(); p != nil {
		c.logPanic("a command panicked", command, p)
		c.out = redcon.AppendError(c.out[:c.start], "ERR internal error")
	}
}

// do runs a command by itself.
func (c *conn) do(args [][]byte) {
	if isHTTP(args[0]) {
		c.server.log.Warn("a client speaks HTTP: closed, a web page may be attacking through a browser", "client", c.session.Addr)
		c.closing = true
		return
	}
	c.start = len(c.out)
	defer c.mend(args[0])
	reply := c.session.Do(args)
	if reply.Late {
		c.hear()
		c.start = len(c.out)
	}
	c.out = appendReply(c.out, &reply, c.session.Proto())
	c.note(&reply)
	c.closing = c.closing || reply.Ends
}

func (c *conn) logPanic(what string, command []byte, p any) {
	c.server.log.Error(what, "client", c.session.Addr, "command", string(command[:min(len(command), 64)]),
		"panic", p, "stack", string(debug.Stack()))
}

// isHTTP spots the first words of an HTTP request: a web page that makes a browser
// talk to us must not get to run commands.
func isHTTP(word []byte) bool {
	switch len(word) {
	case len("post"):
		return bytes.EqualFold(word, []byte("post"))
	case len("host:"):
		return bytes.EqualFold(word, []byte("host:"))
	}
	return false
}

func address(a net.Addr) string {
	if a == nil || a.Network() == "unix" {
		return "unix:0"
	}
	return a.String()
}
