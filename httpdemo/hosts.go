package httpdemo

import (
	"sync"
	"time"
)

// MaxHold is the longest a partner's Retry-After holds calls back: a wrong date far
// in the future must not end the traffic until the process is restarted.
const MaxHold = 24 * time.Hour

// hosts is what a Transport knows of the hosts it calls: those with calls under way
// and those that hold us off, so it grows no further than the calls do. The zero
// value is ready.
type hosts struct {
	mu sync.Mutex
	m  map[string]*host
}

// A host is one that is called.
type host struct {
	name  string
	turn  chan struct{} // full while a call is asked for; who waits to send is served in order
	calls int           // under way
	held  time.Time     // no call before
}

func (hs *hosts) enter(name string) *host {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.m[name]
	if h == nil {
		hs.sweep()
		h = &host{name: name, turn: make(chan struct{}, 1)}
		hs.m[name] = h
	}
	h.calls++
	return h
}

// sweep forgets hosts whose hold is over. It runs when a host is new, which is when
// there could be one too many.
func (hs *hosts) sweep() {
	if hs.m == nil {
		hs.m = map[string]*host{}
	}
	now := time.Now()
	for name, h := range hs.m {
		if h.calls == 0 && !h.held.After(now) {
			delete(hs.m, name)
		}
	}
}

func (hs *hosts) leave(h *host) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.calls--
}

// hold makes calls wait until then; a hold never ends sooner than one before said.
func (hs *hosts) hold(h *host, until time.Time) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if until.After(h.held) {
		h.held = until
	}
}

func (hs *hosts) heldUntil(h *host) time.Time {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return h.held
}

func (h *host) passOn() { <-h.turn }
