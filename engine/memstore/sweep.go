package memstore

import (
	"runtime"
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
	most := s.bytes.Load()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		most = max(most, s.bytes.Load())
		s.sweepUnlessLoading()
		if now := s.bytes.Load(); most-now > returnBytes && now < most/2 {
			runtime.GC() // once more, for a pool keeps its buffers for one collection
			debug.FreeOSMemory()
			most = now
		}
	}
}

// sweepUnlessLoading leaves what is over alone while a record may come that goes on
// with it.
func (s *Store) sweepUnlessLoading() {
	if !s.loading.Load() {
		s.sweep()
	}
}

// sweep takes back every key that is over, and the memory with it.
func (s *Store) sweep() {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	for i := range s.shards {
		s.shards[i].sweep()
	}
	s.trim()
}

// sweep works page by page and lets others in between, so that it holds the lock
// for a few microseconds at a time. It takes out what is over, and moves what
// lives out of pages that are mostly dead.
func (s *shard) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.store.clock.Now()
	if s.due > now && !s.loose {
		return
	}
	s.due, s.loose = never, false
	for n := 0; n < len(s.pages); n++ {
		busy := s.pages[n].due <= now
		if busy {
			s.sweepPage(n)
		}
		if s.worn(n) {
			busy = true
			s.emptyPage(n)
		}
		// Before others are let in: what they put is in due already.
		s.due = min(s.due, s.pages[n].due)
		if busy {
			s.yield()
		}
	}
	s.shrink()
}

// yield lets whoever waits for the lock go first.
func (s *shard) yield() {
	s.mu.Unlock()
	runtime.Gosched()
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

// emptyPage moves what lives in a page to the newest one.
func (s *shard) emptyPage(n int) {
	s.records(n, func(_ ref, rec record) {
		r := s.allocate(len(rec))
		if r == 0 {
			return
		}
		k := s.keyOf(rec)
		h := s.store.hash(k)
		i := s.find(h, k)
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

// tidy is a sweep's second half at once, for those who hold every lock anyway.
func (s *shard) tidy() {
	for n := range s.pages {
		if s.worn(n) {
			s.emptyPage(n)
		}
	}
	s.shrink()
}

// shrink drops what is larger than its keys need.
func (s *shard) shrink() {
	if s.keys() == 0 {
		s.reset()
		return
	}
	if s.newest >= 0 && s.pages[s.newest].live == 0 {
		s.dropPage(int(s.newest))
	}
	if s.sparse() {
		s.rehash()
	}
}

// reset forgets every key, whatever there is.
func (s *shard) reset() {
	for db, n := range s.counts {
		if n != 0 { // a flush of all comes here for each of many empty shards
			s.count(db, -int(n))
		}
	}
	s.account(-s.bytes)
	s.index, s.used = nil, 0
	s.pages, s.spare, s.newest = nil, nil, -1
	s.boxes, s.spareBoxes = nil, nil
	s.due, s.loose = never, false
}
