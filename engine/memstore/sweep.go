package memstore

import (
	"runtime/debug"
	"time"
)

const (
	sweepEvery = 500 * time.Millisecond
	// returnBytes is how much must have been freed at once for it to be worth
	// a garbage collection that gives it back to the system right away.
	returnBytes = 32 << 20
)

func (s *Store) sweepAlways() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	before := s.bytes.Load()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		s.sweep()
		now := s.bytes.Load()
		if before = max(before, now); before-now > returnBytes && now < before/2 {
			debug.FreeOSMemory()
			before = now
		}
	}
}

// sweep takes back every key that is over, and the memory with it.
func (s *Store) sweep() {
	for i := range s.shards {
		s.shards[i].sweep()
	}
}

// sweep works page by page and lets others in between, so that it holds the lock
// for a few microseconds at a time.
func (s *shard) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.store.clock.Now()
	if s.due <= now {
		s.due = never
		for n := 0; n < len(s.pages); n++ {
			if s.pages[n].due <= now {
				s.sweepPage(n)
				s.yield()
			}
			s.due = min(s.due, s.pages[n].due)
		}
	}
	s.tidy()
}

// yield lets whoever waits for the lock go first.
func (s *shard) yield() {
	s.mu.Unlock()
	s.mu.Lock()
}

func (s *shard) sweepPage(n int) {
	now := s.store.clock.Now()
	due := never
	s.records(n, func(_ ref, rec record) {
		if deadline := rec.deadline(); deadline > now {
			due = min(due, deadline)
			return
		}
		k := s.keyOf(rec)
		s.remove(s.find(s.store.hash(k), k))
		s.store.expired.Add(1)
	})
	s.pages[n].due = due
}

// tidy gives memory back: it empties pages that are mostly dead, drops those that
// are quite dead, and makes an index smaller that has far too many slots.
func (s *shard) tidy() {
	for n := range s.pages {
		if s.worn(n) {
			s.emptyPage(n)
		}
	}
	if s.newest >= 0 && s.pages[s.newest].live == 0 {
		s.dropPage(s.newest)
		s.newest = -1
	}
	if s.sparse() {
		s.rehash()
	}
}

// emptyPage moves what lives in a page to the newest one.
func (s *shard) emptyPage(n int) {
	s.records(n, func(_ ref, rec record) {
		k := s.keyOf(rec)
		h := s.store.hash(k)
		i := s.find(h, k)
		r := s.allocate(len(rec))
		if r == 0 {
			return
		}
		copy(s.record(r), rec)
		s.dueBy(r, rec.deadline())
		s.index[i] = newSlot(h, r)
		rec.kill()
		s.pages[n].live -= len(rec)
	})
	if s.pages[n].live == 0 {
		s.dropPage(n)
	}
}
