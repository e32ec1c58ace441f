package bench

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// timerNumber is the timer's among epoll's numbers; connections have those from 0 on.
const timerNumber = -1

// An openLoop hands calls that are due to connections that are idle. A timer file
// wakes it: the timeout of epoll counts milliseconds.
type openLoop struct {
	Pacer
	timer int
	armed int64 // for when the timer is set
	idle  ring
}

func newOpenLoop(p *loop, l Load, number int) (*openLoop, error) {
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timerfd: %w", err)
	}
	// The loops take turns, so that together they are as even as one.
	schedule := NewSchedule(int64(float64(number)*1e9/l.Rate), l.Rate/float64(l.Threads))
	return &openLoop{Pacer: Pacer{Schedule: schedule}, timer: timer},
		p.watch(unix.EPOLL_CTL_ADD, timer, timerNumber, unix.EPOLLIN)
}

// dispatch sends what is due, as far as there are connections for it.
func (o *openLoop) dispatch(p *loop) error {
	if o.idle.conns == nil {
		o.idle.fill(p.conns)
	}
	for o.idle.n > 0 {
		first, n := o.Take(min(p.now, p.end-1), p.depth)
		if n == 0 {
			return o.arm(p.now)
		}
		c := o.idle.pop()
		c.first = first
		if err := p.send(c, n); err != nil {
			return err
		}
	}
	return nil
}

// arm sets the timer for the next call, if it is not set so already.
func (o *openLoop) arm(now int64) error {
	next := o.NextAt()
	if next == o.armed || next <= now {
		return nil
	}
	o.armed = next
	in := unix.ItimerSpec{Value: unix.NsecToTimespec(next - now)}
	return unix.TimerfdSettime(o.timer, 0, &in, nil)
}

// silence reads the timer after it has fired. What is due then is sent after the
// round of events, as always.
func (o *openLoop) silence() error {
	var expirations [8]byte
	if _, err := unix.Read(o.timer, expirations[:]); err != nil && err != unix.EAGAIN && err != unix.EINTR {
		return fmt.Errorf("timer: %w", err)
	}
	return nil
}

// A ring is a queue of connections, each in it at most once.
type ring struct {
	conns    []*conn
	first, n int
}

func (r *ring) fill(conns []*conn) {
	r.conns = append(r.conns, conns...)
	r.n = len(conns)
}

func (r *ring) push(c *conn) {
	r.conns[(r.first+r.n)%len(r.conns)] = c
	r.n++
}

func (r *ring) pop() *conn {
	c := r.conns[r.first]
	r.first = (r.first + 1) % len(r.conns)
	r.n--
	return c
}
