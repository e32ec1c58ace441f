package memstore

import (
	"encoding/binary"
	"sync"
	"testing"

	"sluice/engine"
)

// A key that is over and was not swept yet does not exist, and a clock that is set
// back then does not bring it to life.
func TestOverAndNotSwept(t *testing.T) {
	for _, a := range engine.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			s := open(t)
			s.StopClock(noon)
			call := callOf(t, a, []byte("over"), 10)
			s.mustTake(t, call)
			deadline := must[engine.State](t)(s.Get(t.Context(), call.Key)).Deadline
			s.sweeping.Lock()
			s.clock.Stop(deadline)
			if n := s.mustLen(t); n != 1 {
				t.Fatalf("%d keys: it was swept", n)
			}
			if st := must[engine.State](t)(s.Get(t.Context(), call.Key)); st.Kind != 0 {
				t.Errorf("Get finds %+v", st)
			}
			if met, _ := walk(t, s, 10, nil); len(met) != 0 {
				t.Errorf("Scan meets %v", met)
			}
			if _, ok, _ := s.Random(t.Context(), 0); ok {
				t.Errorf("Random finds it")
			}
			s.sweeping.Unlock()
			s.StopClock(noon)
			if st := must[engine.State](t)(s.Get(t.Context(), call.Key)); st.Kind != 0 {
				t.Errorf("after the clock was set back Get finds %+v", st)
			}
			if d := s.mustTake(t, call); d.Limited || d.Remaining != 0 {
				t.Errorf("used again: %+v", d)
			}
			if !s.mustDelete(t, call.Key.Name) {
				t.Errorf("it does not exist")
			}
		})
	}
}

// nameIn is a name whose key is in a shard.
func nameIn(s *Store, shard int) []byte {
	name := make([]byte, 8)
	for i := uint64(0); ; i++ {
		binary.LittleEndian.PutUint64(name, i)
		if s.shard(s.hash(engine.Key{Name: name})) == &s.shards[shard] {
			return name
		}
	}
}

// Who used one key and then another does not find that a flush took the second and
// left the first.
func TestFlushIsAtomic(t *testing.T) {
	s := open(t)
	first := callOf(t, engine.GCRA, nameIn(s, 0), 1)
	second := callOf(t, engine.GCRA, nameIn(s, shardCount-1), 1)
	for i := range 2000 {
		var wg sync.WaitGroup
		wg.Go(func() {
			for range i % 50 { // so that it is here or there when the flush comes
				s.Now()
			}
			s.mustTake(t, first)
			s.mustTake(t, second)
		})
		_ = s.Flush(t.Context(), engine.AllDatabases)
		wg.Wait()
		one := must[engine.State](t)(s.Get(t.Context(), first.Key))
		two := must[engine.State](t)(s.Get(t.Context(), second.Key))
		if one.Kind != 0 && two.Kind == 0 {
			t.Fatal("the second key is gone, the first is not")
		}
		_ = s.Flush(t.Context(), engine.AllDatabases)
	}
}
