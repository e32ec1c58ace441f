// Package memstore keeps states in memory: sharded hash tables over flat pages,
// a sweeper that takes back what is over, and the clock. It knows states only as
// bytes with a deadline; what they mean is the algorithms' business.
package memstore

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"sluice/engine"
)

const (
	shardBits  = 10
	shardCount = 1 << shardBits
)

// A Store is an engine.Store in memory. Make one with New and end it with Close.
type Store struct {
	*shared
	held    bool  // whoever uses this Store holds the locks: see Exclusively
	own     group // of the changes that are made with it, see asOne
	instant engine.Instant
	still   bool // it is instant for this Store: see Together
}

// tally is how many keys each database has in tallyShards shards: if all counted in
// one place, processors would wait for each other there.
type tally [engine.MaxDatabases]atomic.Int64

const tallyShards = 32

// shared is what a Store is behind its locks.
type shared struct {
	shards   [shardCount]shard // first, so that they begin at cache lines
	lanes    [laneCount]lane
	clock    *engine.Clock
	options  Options
	seeds    [engine.MaxDatabases]maphash.Seed
	tallies  [shardCount / tallyShards]tally
	buffers  buffers
	bytes    atomic.Int64
	expired  atomic.Int64
	evicted  atomic.Int64
	loading  atomic.Bool
	swells   atomic.Bool  // some shard does, or did
	boxed    atomic.Bool  // some shard has boxes, or had
	expected atomic.Int64 // records that are yet to come
	large    largePages
	sweeping sync.Mutex // one sweep at a time
	stop     chan struct{}
	swept    sync.WaitGroup
}

var _ engine.Near = (*Store)(nil)

// New is an empty store on a running clock, with its sweeper at work and no bound
// on its memory.
func New() *Store { return NewWith(Options{}) }

// NewWith is New with options.
func NewWith(o Options) *Store {
	s := &Store{shared: &shared{clock: engine.NewClock(), options: o, stop: make(chan struct{})}}
	for i := range s.seeds {
		s.seeds[i] = maphash.MakeSeed()
	}
	for i := range s.shards {
		s.shards[i] = shard{store: s, tally: &s.tallies[i/tallyShards], newest: -1, due: never, inner: Store{shared: s.shared, held: true, still: true}}
	}
	for i := range s.lanes {
		s.lanes[i] = lane{store: s, shards: s.shards[i*laneShards:][:laneShards]}
	}
	s.swept.Go(s.sweepAlways)
	return s
}

// Close ends the sweeper. The store must not be used afterwards.
func (s *Store) Close() {
	close(s.stop)
	s.swept.Wait()
}

// hash is seeded anew in each process, so nobody can choose keys that collide.
func (s *Store) hash(k engine.Key) uint64 { return maphash.Bytes(s.seeds[k.DB], k.Name) }

func (s *Store) shard(h uint64) *shard { return &s.shards[shardOf(h)] }

// Now is the store's time.
func (s *Store) Now() engine.Instant { return s.clock.Now() }

// now is the instant of a call whose locks are held.
func (s *Store) now() engine.Instant {
	if s.still {
		return s.instant
	}
	return s.clock.Now()
}

// Take decides a call and keeps the new state.
func (s *Store) Take(_ context.Context, c *engine.Call) (engine.Decision, error) {
	h := s.hash(c.Key)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	// The clock is read under the lock: what a key is asked is in order of time.
	c.Now = s.now()
	i := sh.find(h, c.Key)
	var old engine.State
	sh.read(i, c.Now, &old)
	if old.Kind != 0 && old.Kind != c.Algorithm.Kind {
		return engine.Decision{}, engine.ErrWrongKind
	}
	if c.Algorithm.Kind == engine.KindSlidingLog && old.Kind == 0 {
		old.Log = sh.desk.blankLog()
	}
	next, decision := c.Algorithm.Decide(old, &c.Request)
	over := next.Deadline <= c.Now // a zero state is, too
	if over && old.Kind == 0 || next == old {
		return decision, nil
	}
	if err := s.refuses(); err != nil {
		return engine.Decision{}, err
	}
	if over {
		next = engine.State{}
		sh.remove(i)
	} else if err := sh.put(h, c.Key, i, &next, box{log: next.Log}); err != nil {
		return engine.Decision{}, err
	}
	s.note(sh, c.Now, c.Key, old, next)
	return decision, nil
}

// Get is the state of a key, zero if it does not exist.
func (s *Store) Get(_ context.Context, k engine.Key) (engine.State, error) {
	h := s.hash(k)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	i, now := sh.find(h, k), s.clock.Now()
	st := sh.state(i, now)
	if st.Kind == engine.KindConcurrency { // some may be over since the key was last used
		st.Words[0] = uint64(sh.leasesIn(sh.record(sh.index[i].ref())).live(now))
	}
	return st, nil
}

// Delete makes a key untouched, and says whether it existed.
func (s *Store) Delete(_ context.Context, k engine.Key) (bool, error) {
	h := s.hash(k)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	i := sh.find(h, k)
	if i < 0 {
		return false, nil
	}
	now := s.clock.Now()
	old := sh.state(i, now)
	if old.Kind != 0 {
		if err := s.refuses(); err != nil {
			return false, err
		}
	}
	sh.remove(i)
	if old.Kind != 0 {
		s.note(sh, now, k, old, engine.State{})
	}
	return old.Kind != 0, nil
}

// Len is how many keys a database has.
func (s *Store) Len(_ context.Context, db int) (int64, error) { return s.length(db), nil }

func (s *Store) length(db int) (n int64) {
	for i := range s.tallies {
		n += s.tallies[i][db].Load()
	}
	return n
}

// Flush makes all keys of a database untouched. It takes every lock before the
// first key goes, so nobody sees a half of it.
func (s *Store) Flush(_ context.Context, db int) error {
	s.lockAll()
	defer s.unlockAll()
	if err := s.refuses(); err != nil {
		return err
	}
	s.flush(db)
	s.noteFlush(db)
	return nil
}

func (s *Store) flush(db int) {
	for i := range s.shards {
		s.shards[i].flush(db)
	}
}

func (s *shard) flush(db int) {
	switch {
	case db == engine.AllDatabases || int(s.counts[db]) == s.keys():
		s.reset()
	case s.counts[db] > 0:
		s.each(func(i int, rec record) {
			if rec.db() == db {
				s.remove(i)
			}
		})
		s.tidy()
	}
}

// each calls f with every key of the shard. f may remove it.
func (s *shard) each(f func(i int, rec record)) {
	for i := range s.index {
		if r := s.index[i].ref(); r != 0 {
			f(i, s.record(r))
		}
	}
}

// slotBytes is about what a key's slot in the index takes: it is half to four
// fifths full.
const slotBytes = 6

// Size is the memory that a key and its state take, 0 if it does not exist.
func (s *Store) Size(_ context.Context, k engine.Key) (int64, error) {
	h := s.hash(k)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	i := sh.find(h, k)
	if sh.state(i, s.clock.Now()).Kind == 0 {
		return 0, nil
	}
	rec := sh.record(sh.index[i].ref())
	content := sh.boxOf(rec)
	return int64(slotBytes + rec.size() + content.size()), nil
}

// Usage is what the store has used and done.
func (s *Store) Usage() engine.Usage {
	return engine.Usage{Bytes: s.bytes.Load(), Expired: s.expired.Load(), Evicted: s.evicted.Load()}
}
