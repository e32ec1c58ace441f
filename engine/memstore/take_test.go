package memstore

import (
	"testing"
	"time"

	"sluice/engine"
)

// noon is where tests stop the clock.
const noon = engine.Instant(1_900_000_800) * engine.Instant(time.Second)

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// gcra is a limit whose intervals are whole nanoseconds; thirds are not, so its
// states need all their words.
func gcra(t testing.TB) engine.Limit {
	return must[engine.Limit](t)(engine.GCRALimit(9, 10, time.Minute))
}
func thirds(t testing.TB) engine.Limit {
	return must[engine.Limit](t)(engine.GCRALimit(9, 1_000_003, 1000*time.Hour))
}

// limitOf is a limit of ten for any algorithm.
func limitOf(t testing.TB, a *engine.Algorithm) engine.Limit {
	limit := must[engine.Limit](t)
	switch a.Kind {
	case engine.KindGCRA:
		return gcra(t)
	case engine.KindTokenBucket:
		return limit(engine.TokenBucketLimit(10, 166_667))
	case engine.KindLeakyBucket:
		return limit(engine.LeakyBucketLimit(9, 166_667))
	case engine.KindSlidingLog:
		return limit(engine.LogLimit(10, 60_000))
	}
	return limit(engine.WindowLimit(10, 60_000))
}

func callOf(t testing.TB, a *engine.Algorithm, name []byte, cost int64) *engine.Call {
	return &engine.Call{
		Key: engine.Key{Name: name}, Algorithm: a,
		Request: engine.Request{Limit: limitOf(t, a), Cost: cost},
	}
}

func (s *Store) mustTake(t testing.TB, c *engine.Call) engine.Decision {
	t.Helper()
	return must[engine.Decision](t)(s.Take(t.Context(), c))
}

// all is TakeAll for who does not ask for decisions.
func (s *Store) all(t testing.TB, calls ...engine.Call) error {
	return s.TakeAll(t.Context(), calls, make([]engine.Decision, len(calls)))
}

func (s *Store) mustLen(t testing.TB) int64 {
	t.Helper()
	return must[int64](t)(s.Len(t.Context(), 0))
}

func (s *Store) mustDelete(t testing.TB, name []byte) bool {
	t.Helper()
	return must[bool](t)(s.Delete(t.Context(), engine.Key{Name: name}))
}

// A panic inside an algorithm is a bug in it, not the end of its shard.
func TestPanicLeavesNoLock(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	call := callOf(t, engine.GCRA, []byte("panic"), 3)
	s.mustTake(t, call)
	broken := *call
	broken.Algorithm = &engine.Algorithm{Kind: engine.KindGCRA, Decide: func(engine.State, *engine.Request) (engine.State, engine.Decision) {
		panic("a bug")
	}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = s.Take(t.Context(), &broken)
	}()
	if d := s.mustTake(t, call); d.Remaining != 4 {
		t.Errorf("after the panic: %+v", d)
	}
	verify(t, s)
}

// A state that is over when it is made would be a trace of nothing.
func TestOverFromTheBeginning(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	call := callOf(t, engine.GCRA, []byte("over"), 1)
	call.Algorithm = &engine.Algorithm{Kind: engine.KindGCRA, Decide: func(_ engine.State, r *engine.Request) (engine.State, engine.Decision) {
		return engine.State{Kind: engine.KindGCRA, Deadline: r.Now}, engine.Decision{}
	}}
	s.mustTake(t, call)
	if n := s.mustLen(t); n != 0 {
		t.Errorf("%d keys", n)
	}
	verify(t, s)
}

func TestTakeAllocatesNothing(t *testing.T) {
	s := open(t)
	for _, a := range engine.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			call := callOf(t, a, []byte("steady:"+a.Name), 1)
			back := callOf(t, a, []byte("steady:"+a.Name), -1)
			s.mustTake(t, call)
			n := testing.AllocsPerRun(1000, func() {
				s.mustTake(t, call)
				s.mustTake(t, back)
				call.Cost = 0
				s.mustTake(t, call)
				call.Cost = 1
			})
			if n != 0 {
				t.Errorf("%v allocations a call", n)
			}
		})
	}
}

// A shard that is full for good refuses new keys and serves the ones it has.
func TestShardIsFull(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 2, 8)
	s.mustTake(t, callOf(t, engine.GCRA, names[0], 1))
	sh := &s.shards[crowded]
	sh.mu.Lock()
	for len(sh.pages) < maxPages {
		sh.pages = append(sh.pages, page{due: never})
	}
	filled := len(sh.pages[0].data)
	sh.growPage(&sh.pages[0], pageBytes)
	sh.pages[0].data = sh.pages[0].data[:pageBytes]
	at := sh.pages[0].data[filled:] // the rest is one dead record
	writeRecord(record(at), engine.Key{Name: make([]byte, len(at)-24)}, &engine.State{}, nil)
	sh.mu.Unlock()

	if _, err := s.Take(t.Context(), callOf(t, engine.GCRA, names[1], 1)); err != engine.ErrFull {
		t.Errorf("a new key: error %v", err)
	}
	grown := callOf(t, engine.GCRA, names[0], 1)
	grown.Limit = thirds(t)
	before := must[engine.State](t)(s.Get(t.Context(), grown.Key))
	if _, err := s.Take(t.Context(), grown); err != engine.ErrFull {
		t.Errorf("a key whose words grow: error %v", err)
	}
	if after := must[engine.State](t)(s.Get(t.Context(), grown.Key)); after != before {
		t.Errorf("its state was %+v and is %+v", before, after)
	}
	if d := s.mustTake(t, callOf(t, engine.GCRA, names[0], 1)); d.Remaining != 8 {
		t.Errorf("a key that exists: %+v", d)
	}
	if n := s.mustLen(t); n != 1 {
		t.Errorf("%d keys", n)
	}
	sh.mu.Lock()
	sh.emptyPage(0) // finds no room, and loses nothing
	sh.mu.Unlock()
	if d := s.mustTake(t, callOf(t, engine.GCRA, names[0], 1)); d.Remaining != 7 {
		t.Errorf("after a page could not be emptied: %+v", d)
	}
}
