package httpdemo

import (
	"sync"
	"time"
)

// MaxHold is the longest a partner's Retry-After holds calls back: a wrong date far
// in the future must not end the traffic until the process is restarted.
const MaxHold = 24 * time.Hour

// places is what a Transport knows of the hosts it calls, and of the subjects it calls
// for: those with calls under way and those that hold us off, so it grows no further
// than the calls do. The zero value is ready.
type places struct {
	mu sync.Mutex
	m  map[string]*place
}

// A place is where calls wait.
type place struct {
	turn  chan struct{} // full while a call is asked for; who waits to send is served in order
	calls int           // under way
	until time.Time     // no call before: a host said so, or a rule to the first in the queue
}

func (ps *places) enter(name string) *place {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.m[name]
	if p == nil {
		ps.sweep()
		p = &place{turn: make(chan struct{}, 1)}
		ps.m[name] = p
	}
	p.calls++
	return p
}

// sweep forgets places with nothing to remember. It runs when a place is new, which is
// when there could be one too many.
func (ps *places) sweep() {
	if ps.m == nil {
		ps.m = map[string]*place{}
	}
	now := time.Now()
	for name, p := range ps.m {
		if p.calls == 0 && !p.until.After(now) {
			delete(ps.m, name)
		}
	}
}

func (ps *places) leave(p *place) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.calls--
}

// hold makes calls wait until then; a hold never ends sooner than one before said.
func (ps *places) hold(p *place, until time.Time) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if until.After(p.until) {
		p.until = until
	}
}

// let takes a hold back: who made it has left the queue.
func (ps *places) let(p *place) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.until = time.Time{}
}

// held is how long calls have to wait here.
func (ps *places) held(p *place) time.Duration {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return time.Until(p.until)
}

func (p *place) passOn() { <-p.turn }
