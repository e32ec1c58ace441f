package memstore

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
)

// In a full store keys make way for others of the same call, or of calls together. The
// journal leads to the same keys whatever is told first.
func TestEvictedWithinACall(t *testing.T) {
	for name, run := range map[string]func(s *Store, keys []engine.Key, calls []engine.Call) error{
		"one by one": func(s *Store, _ []engine.Key, calls []engine.Call) error { return takeEach(t, s, calls) },
		"as one":     func(s *Store, _ []engine.Key, calls []engine.Call) error { return s.all(t, calls...) },
		"together": func(s *Store, keys []engine.Key, calls []engine.Call) (err error) {
			s.Together(keys, func(inner engine.Store) { err = takeEach(t, inner, calls) })
			return err
		},
		"as one, together": func(s *Store, keys []engine.Key, calls []engine.Call) (err error) {
			s.Together(keys, func(inner engine.Store) { err = inner.(*Store).all(t, calls...) })
			return err
		},
		"exclusively": func(s *Store, keys []engine.Key, calls []engine.Call) (err error) {
			s.Exclusively(keys, func(inner engine.Store) { err = takeEach(t, inner, calls) })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range scaled(10, 3) {
				evictWithin(t, rand.New(rand.NewPCG(uint64(seed), 1)), run)
			}
		})
	}
}

func takeEach(t *testing.T, s engine.Store, calls []engine.Call) error {
	for i := range calls {
		if _, err := s.Take(t.Context(), &calls[i]); err != nil {
			return err
		}
	}
	return nil
}

func evictWithin(t *testing.T, r *rand.Rand, run func(*Store, []engine.Key, []engine.Call) error) {
	const most = 1 << 20
	told := &tape{}
	s := NewWith(Options{Journal: told, MaxBytes: func() int64 { return most }, Evict: func() bool { return true }})
	defer s.Close()
	s.StopClock(noon)
	names := crowd(s, 60, 10)
	for i := 0; s.Usage().Bytes < most; i++ {
		s.mustTake(t, callOf(t, engine.GCRA, fmt.Appendf(nil, "other%08d", i), 1))
	}
	for range 100 {
		var keys []engine.Key
		var calls []engine.Call
		for _, n := range r.Perm(len(names))[:2+r.IntN(6)] {
			algorithm := []*engine.Algorithm{engine.SlidingLog, engine.SlidingLog, engine.GCRA}[n%3]
			calls = append(calls, *callOf(t, algorithm, names[n], 1+r.Int64N(3)))
			keys = append(keys, calls[len(calls)-1].Key)
		}
		if err := run(s, keys, calls); err != nil {
			t.Fatal(err)
		}
		s.AdvanceClock(time.Duration(r.IntN(2000)) * time.Millisecond)
	}
	again := New()
	defer again.Close()
	again.StopClock(s.Now())
	for _, entry := range told.all() {
		if err := again.Load(entry); err != nil {
			t.Fatal(err)
		}
	}
	again.Loaded(0)
	compare(t, s.content(), again.content())
}

// What RL.ALL lets in is bounded as what comes alone.
func TestFullOfLogsTakenAsOne(t *testing.T) {
	const most = 16 << 20
	s := NewWith(Options{MaxBytes: func() int64 { return most }, Evict: func() bool { return true }})
	defer s.Close()
	s.sweeping.Lock() // between two sweeps
	defer s.sweeping.Unlock()
	for i := 0; s.Usage().Bytes < most; i++ {
		s.mustTake(t, callOf(t, engine.GCRA, fmt.Appendf(nil, "other%08d", i), 1))
	}
	limit := must[engine.Limit](t)(engine.LogLimit(10000, 60_000))
	for i := range 1000 {
		a, b := callOf(t, engine.SlidingLog, fmt.Append(nil, "a", i), 8000), callOf(t, engine.SlidingLog, fmt.Append(nil, "b", i), 8000)
		a.Limit, b.Limit = limit, limit
		if err := s.all(t, *a, *b); err != nil {
			t.Fatal(err)
		}
	}
	const last = shardCount * (64 << 10) // the latest of each shard may be over its share
	if used := s.Usage().Bytes; used > most+last+most/16 {
		t.Errorf("%d bytes are used, the bound is %d", used, most)
	}
}

// opened is a tape that refuses changes until it is open.
type opened struct {
	tape
	open atomic.Bool
}

func (o *opened) Refuses() error {
	if !o.open.Load() {
		return engine.ErrUnkept
	}
	return nil
}

// A store that was loaded with more than it may hold forgets nothing before the journal
// can be told of it, and tells it then.
func TestEvictedAfterLoading(t *testing.T) {
	full := open(t)
	full.StopClock(noon)
	fill(t, full, engine.GCRA, 20_000)
	told := &opened{}
	most := full.Usage().Bytes / 2
	s := NewWith(Options{Journal: told, MaxBytes: func() int64 { return most }, Evict: func() bool { return true }})
	defer s.Close()
	s.StopClock(noon)
	again := open(t)
	again.StopClock(noon)
	for _, to := range []*Store{s, again} {
		if err := full.Dump(to.Load); err != nil {
			t.Fatal(err)
		}
	}
	again.Loaded(0)
	s.Loaded(0)
	s.sweep()
	if s.mustLen(t) != full.mustLen(t) {
		t.Fatalf("%d of %d keys are left while nothing can be kept", s.mustLen(t), full.mustLen(t))
	}
	told.open.Store(true)
	s.sweep()
	if s.mustLen(t) > full.mustLen(t)*3/4 {
		t.Errorf("%d of %d keys are left in half of the room", s.mustLen(t), full.mustLen(t))
	}
	for _, entry := range told.all() {
		if err := again.Load(entry); err != nil {
			t.Fatal(err)
		}
	}
	again.Loaded(0)
	compare(t, s.content(), again.content())
}
