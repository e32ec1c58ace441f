package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"
)

// A loop drives its share of the connections with epoll, on a thread of its own. A
// goroutine for each connection would be simpler, but the scheduler parks and wakes it
// at every call, and that costs more than all the rest here.
type loop struct {
	epoll int
	conns []*conn
	busy  int // connections with replies to come
	depth int
	cores int // see Load
	keys  *Keys
	left  int64  // calls that may still be sent
	in    []byte // what was read last; replies are counted at once, so all share it
	open  *openLoop

	begin     time.Time
	warm, end int64 // nanoseconds since begin, as all times here
	now       int64 // when the clock was read last
	last      int64 // when the last reply came
	over      bool  // no more calls are sent
	missed    int64
	calls     atomic.Int64 // answered, those of the warmup too
	latencies *hdrhistogram.Histogram
}

// silence is how long there may be no reply at all before a server is given up.
const silence = 10 * time.Second

func newLoop(l Load, number int) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	p := &loop{epoll: epoll, depth: l.Depth, cores: l.Cores, in: make([]byte, 64<<10), latencies: newHistogram(),
		keys: NewKeys(l.Spread, l.Keys, uint64(number)+1), left: l.budget(), warm: int64(l.Warmup), end: int64(l.Warmup + l.Duration)}
	if l.Rate > 0 {
		if p.open, err = newOpenLoop(p, l, number); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *loop) close() {
	for _, c := range p.conns {
		unix.Close(c.fd)
	}
	if p.open != nil {
		unix.Close(p.open.timer)
	}
	unix.Close(p.epoll)
}

// watch has epoll tell of events on a file, by a number that says which it is.
func (p *loop) watch(operation, fd, number int, events uint32) error {
	return unix.EpollCtl(p.epoll, operation, fd, &unix.EpollEvent{Events: events, Fd: int32(number)})
}

// run drives the connections until all is sent and answered.
func (p *loop) run(ctx context.Context, begin time.Time) error {
	runtime.LockOSThread()
	if p.cores == 0 { // else the thread ends with us: nobody else is to be kept to these cores
		defer runtime.UnlockOSThread()
	}
	if err := stay(p.cores); err != nil {
		return err
	}
	p.begin = begin
	p.tick()
	if err := p.start(); err != nil {
		return err
	}
	events := make([]unix.EpollEvent, 256)
	for !p.over || p.busy > 0 {
		n, err := unix.EpollWait(p.epoll, events, 100)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("epoll: %w", err)
		}
		p.tick()
		for _, e := range events[:max(n, 0)] {
			if err := p.handle(e); err != nil {
				return err
			}
		}
		if err := p.turn(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *loop) tick() { p.now = int64(time.Since(p.begin)) }

// start gives each connection its first work.
func (p *loop) start() error {
	if p.open != nil {
		return p.open.dispatch(p)
	}
	for _, c := range p.conns {
		if err := p.again(c); err != nil {
			return err
		}
	}
	return nil
}

// turn is what there is to do after each round of events.
func (p *loop) turn(ctx context.Context) error {
	if p.open != nil && !p.over {
		if err := p.open.dispatch(p); err != nil {
			return err
		}
	}
	if !p.over && (p.now >= p.end || p.left == 0) {
		p.over = true
		if p.open != nil {
			p.missed = p.open.Missed(p.end)
		}
	}
	if p.busy > 0 && p.now-p.last > int64(silence) {
		return fmt.Errorf("the server has answered nothing for %s", silence)
	}
	return ctx.Err()
}

// handle is one event.
func (p *loop) handle(e unix.EpollEvent) error {
	if e.Fd == timerNumber {
		return p.open.silence()
	}
	c := p.conns[e.Fd]
	if e.Events&unix.EPOLLOUT != 0 {
		if err := p.flush(c); err != nil {
			return err
		}
	}
	if e.Events&^unix.EPOLLOUT == 0 {
		return nil
	}
	if c.secure != nil {
		return p.readSecurely(c)
	}
	n, err := descriptor(c.fd).Read(p.in)
	if err != nil {
		return c.ended(err)
	}
	p.tick()
	return p.received(c, p.in[:n])
}

// readSecurely reads all records that have come: epoll knows nothing of those that TLS
// holds already.
func (p *loop) readSecurely(c *conn) error {
	c.secure.wire.dry = false
	for {
		n, err := c.secure.Read(p.in)
		if n > 0 {
			p.tick()
			if err := p.received(c, p.in[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return c.ended(err)
		}
	}
}

// ended is what it means that a read gave no more.
func (c *conn) ended(err error) error {
	switch {
	case errors.Is(err, unix.EAGAIN):
		return nil
	case errors.Is(err, io.EOF):
		return c.closed()
	}
	return fmt.Errorf("read: %w", err)
}

// received counts the replies in what came, and gives the connection new work once
// all of its batch are there.
func (p *loop) received(c *conn, piece []byte) error {
	n, err := c.replies.Count(piece)
	if err != nil {
		return err
	}
	if n > c.waiting {
		return errors.New("the server sent more replies than it was asked for")
	}
	p.calls.Add(int64(n))
	p.last = p.now
	p.record(c, n)
	c.waiting -= n
	if c.waiting > 0 {
		return nil
	}
	p.busy--
	if p.open != nil {
		p.open.idle.push(c)
		return nil
	}
	return p.again(c)
}

// record notes how long the next n replies of a connection took.
func (p *loop) record(c *conn, n int) {
	if p.open == nil {
		if n > 0 && c.sent >= p.warm {
			record(p.latencies, p.now-c.sent, int64(n))
		}
		return
	}
	for range n {
		if due := p.open.At(c.first); due >= p.warm {
			record(p.latencies, p.now-due, 1)
		}
		c.first++
	}
}

// again sends the next batch of a closed loop.
func (p *loop) again(c *conn) error {
	n := int(min(p.left, int64(p.depth)))
	if n == 0 || p.now >= p.end {
		return nil
	}
	return p.send(c, n)
}

// closed says why a server may have ended a connection: by what it said last.
func (c *conn) closed() error {
	for text := range c.replies.Texts {
		return fmt.Errorf("the server closed a connection after it said %q", text)
	}
	return fmt.Errorf("the server closed a connection: %w", io.ErrUnexpectedEOF)
}
