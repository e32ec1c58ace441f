package memstore

import "sluice/engine"

// Options bound a store. The zero Options do not.
type Options struct {
	// MaxBytes is the most memory records and indexes may take (see Bytes), 0 for
	// no bound. It is asked anew for each new key, so it may change.
	MaxBytes func() int64
	// Evict says what happens to a new key at the bound: true makes room by
	// forgetting keys that would soon be untouched anyway, false refuses it with
	// engine.ErrFull. Keys that exist are served in both cases, but for a log that
	// would have to grow and for another lease.
	Evict func() bool
	// Journal is told of every change, nil for none.
	Journal engine.Journal
}

const (
	// evictSamples keys are looked at to find one near its deadline.
	evictSamples = 8
	// evictPages pages are looked at when no such key leaves a hole that fits.
	evictPages = 8
	// evictWaste is how much larger a hole may be than the record that gets it.
	evictWaste = 2 * granule
)

func (o *Options) maxBytes() int64 {
	if o.MaxBytes == nil {
		return 0
	}
	return o.MaxBytes()
}

// bound is the most memory that may be taken now, 0 for no bound.
func (s *Store) bound() int64 {
	if s.loading.Load() {
		return 0
	}
	return s.options.maxBytes()
}

func (o *Options) evict() bool { return o.Evict != nil && o.Evict() }

// full says that the store is at its bound and nothing may be evicted.
func (s *shard) full() bool {
	o := &s.store.options
	most := s.store.bound()
	return most > 0 && s.store.bytes.Load() >= most && !o.evict()
}

// room is where a new key's record of n bytes may be written: 0 for nowhere.
//
// A store at its bound gives every shard its share of it. One that has less may
// still grow; one that would have more makes room by evicting.
func (s *shard) room(h uint64, n int) (ref, record) {
	o := &s.store.options
	if most := s.store.bound(); most > 0 && s.store.bytes.Load() >= most {
		if !o.evict() {
			return 0, nil
		}
		// Logs and leases grow after their keys were let in: then one key is not enough.
		for share := most / shardCount; s.swells && int64(s.bytes) > share+share/16 && s.evictPage(); {
		}
		if int64(s.bytes+s.growth(n)) > most/shardCount {
			if r, rec := s.evictKey(h, n); r != 0 {
				return r, rec
			}
			s.evictPage()
		}
	}
	r := s.allocate(n)
	if r == 0 {
		return 0, nil
	}
	return r, s.record(r)[:n:n]
}

// growth is how many bytes the shard will grow by for one key more.
func (s *shard) growth(n int) int {
	bytes := 0
	if n := s.keys() + 1; s.crowded() {
		bytes = max(0, 4*(slotsFor(n+n/2)-len(s.index)))
	}
	if s.newest < 0 {
		return bytes + max(s.newPage(), n)
	}
	switch p := &s.pages[s.newest]; {
	case len(p.data)+n <= cap(p.data):
		return bytes
	case len(p.data)+n <= pageBytes:
		return bytes + cap(p.data)
	}
	return bytes + max(s.newPage(), n)
}

// evictKey forgets the key that is nearest to its deadline among some whose
// records fit, and gives the place to a record of n bytes: in place, so that
// nothing grows and nothing must be moved. The keys are those around the home of
// the new one, which nobody can choose.
func (s *shard) evictKey(h uint64, n int) (ref, record) {
	if len(s.index) == 0 {
		return 0, nil
	}
	victim, nearest := -1, never
	i := s.before(s.home(h))
	for step, seen := 0, 0; step < min(len(s.index), evictSamples*8) && seen < evictSamples; step++ {
		i = s.after(i)
		if s.index[i].ref() == 0 {
			continue
		}
		rec := s.record(s.index[i].ref())
		seen++
		if size := rec.size(); size >= n && size <= n+evictWaste && rec.deadline() < nearest {
			victim, nearest = i, rec.deadline()
		}
	}
	if victim < 0 {
		return 0, nil
	}
	r := s.index[victim].ref()
	rec := s.record(r)
	size := rec.size()
	s.noteEvicted(rec)
	s.freeBox(rec.box())
	s.count(rec.db(), -1)
	s.vacate(victim)
	return r, rec[:size:size]
}

// evictPage forgets all keys of a page whose keys are near to their deadlines,
// and says whether there was one.
func (s *shard) evictPage() bool {
	victim, nearest := -1, never
	for n, seen := s.somePage(), 0; n < len(s.pages) && seen < evictPages; n++ {
		if s.pages[n].live > 0 {
			seen++
			if mean := s.meanDeadline(n); mean < nearest {
				victim, nearest = n, mean
			}
		}
	}
	if victim < 0 {
		return false
	}
	s.records(victim, func(_ ref, rec record) {
		s.noteEvicted(rec)
		k := s.keyOf(rec)
		s.remove(s.find(s.store.hash(k), k))
	})
	if victim == int(s.newest) {
		s.dropPage(victim)
	}
	return true
}

// somePage is where evictPage begins to look: so that it reaches every page in
// turn and finds evictPages of them, if there are as many.
func (s *shard) somePage() int {
	s.lookAt += evictPages
	if s.lookAt+evictPages > len(s.pages) {
		s.lookAt = 0
	}
	return s.lookAt
}

func (s *shard) meanDeadline(n int) engine.Instant {
	now := s.store.clock.Now()
	left, keys := engine.Instant(0), engine.Instant(0)
	s.records(n, func(_ ref, rec record) {
		left += min(max(rec.deadline()-now, 0), never/pageGranules)
		keys++
	})
	return now + left/keys
}

// noteEvicted is called before a key is forgotten. The journal has to know: whoever
// made the store again with all keys that ever were would have others to forget.
func (s *shard) noteEvicted(rec record) {
	now := s.store.clock.Now()
	if rec.deadline() <= now {
		s.store.expired.Add(1)
		return
	}
	s.store.evicted.Add(1)
	s.store.note(s, now, s.keyOf(rec), engine.State{}, engine.State{})
}

// trim evicts from a store whose bound was set lower than what it holds. That a
// store at its bound goes a little over it is no reason. While no change can be kept,
// as before the log of a store that was just loaded is open, it forgets nothing: it
// would all be back at the next start, and other keys forgotten.
func (s *Store) trim() {
	most := s.options.maxBytes()
	if most <= 0 || s.bytes.Load() <= most+most/16 || !s.options.evict() || s.refuses() != nil {
		return
	}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		for s.bytes.Load() > most && int64(sh.bytes) > most/shardCount && sh.evictPage() {
			sh.yield()
		}
		sh.shrink()
		sh.mu.Unlock()
	}
}
