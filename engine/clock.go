package engine

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Clock tells a store its time. It starts at the wall clock and then follows
// the machine's monotonic clock, so a wall clock that is set forward or back
// while the process runs changes no decision. Only a test's hand (Set, Advance,
// Real) can move it otherwise.
type Clock struct {
	start time.Time // when base was read
	base  atomic.Int64
	// stopped is where a test stopped the clock, or running.
	stopped atomic.Int64
	hand    sync.Mutex // one test's hand at a time
}

const running = -1

// NewClock is a running clock that shows the wall clock's time.
func NewClock() *Clock {
	c := &Clock{start: time.Now()}
	c.base.Store(c.start.UnixNano())
	c.stopped.Store(running)
	return c
}

// Now is the clock's time. It never runs backwards unless a test's hand moves it.
func (c *Clock) Now() Instant {
	if at := c.stopped.Load(); at != running {
		return Instant(at)
	}
	return Instant(c.base.Load() + int64(time.Since(c.start)))
}

// Stop stops the clock at an instant, 0 … MaxInstant.
func (c *Clock) Stop(at Instant) {
	c.stopped.Store(int64(min(max(at, 0), MaxInstant)))
}

// Advance moves the clock by d, back if d is below zero; a stopped clock stays
// stopped and a running one runs on.
func (c *Clock) Advance(d time.Duration) {
	c.hand.Lock()
	defer c.hand.Unlock()
	// Held first: the sum with any other d could turn over.
	by := min(max(Instant(d), -MaxInstant), MaxInstant)
	now := c.Now()
	if c.stopped.Load() != running {
		c.Stop(now + by)
		return
	}
	to := min(max(now+by, 0), MaxInstant)
	c.base.Add(int64(to - now))
}

// Real gives the real time back.
func (c *Clock) Real() {
	c.base.Store(c.start.UnixNano())
	c.stopped.Store(running)
}
