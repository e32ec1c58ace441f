package memstore

import (
	"testing"

	"pgregory.net/rapid"

	"sluice/engine"
)

// walk counts how often each key is met, and the calls of Scan.
func walk(t testing.TB, s *Store, count int, between func(call int)) (met map[string]int, calls int) {
	met = map[string]int{}
	for cursor := uint64(0); ; {
		next, err := s.Scan(t.Context(), 0, cursor, count, func(e engine.Entry) { met[string(e.Key.Name)]++ })
		if err != nil {
			t.Fatal(err)
		}
		if calls++; next == 0 {
			return met, calls
		}
		if next <= cursor {
			t.Fatalf("the cursor goes from %d to %d", cursor, next)
		}
		if cursor = next; between != nil {
			between(calls)
		}
	}
}

// A walk of a store at rest meets each key once, and needs about a call a count.
func TestWalk(t *testing.T) {
	for _, keys := range []int{0, 1, 10, 100, 1000, 20_000} {
		s := open(t)
		s.StopClock(noon)
		fill(t, s, engine.GCRA, keys)
		for _, count := range []int{10, 100, 5000} {
			met, calls := walk(t, s, count, nil)
			for name, n := range met {
				if n != 1 {
					t.Errorf("%d keys, count %d: %q is met %d times", keys, count, name, n)
				}
			}
			if len(met) != keys {
				t.Errorf("%d keys, count %d: %d are met", keys, count, len(met))
			}
			if most := 2*keys/count + 2; calls > most {
				t.Errorf("%d keys, count %d: %d calls, not %d", keys, count, calls, most)
			}
		}
	}
}

// A store that was large and is nearly empty needs few calls, once it is swept.
func TestWalkOfWhatIsLeft(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	fill(t, s, engine.GCRA, 20_000)
	for i := range 19_990 {
		s.mustDelete(t, name17(i))
	}
	s.sweep()
	if met, calls := walk(t, s, 10, nil); len(met) != 10 || calls > 3 {
		t.Errorf("%d keys of 10 are met in %d calls", len(met), calls)
	}
}

// The index grows sixteenfold and shrinks again under the cursor.
func TestWalkWhileTheIndexChanges(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 4000, 8)
	stay, others := names[:300], names[300:]
	for _, name := range stay {
		s.mustTake(t, callOf(t, engine.GCRA, name, 1))
	}
	sh := &s.shards[crowded]
	for _, grows := range []bool{true, false} {
		least, most := len(sh.index), len(sh.index)
		met, _ := walk(t, s, 2, func(call int) {
			for i := range 100 {
				name := others[(call*100+i)%len(others)]
				if grows {
					s.mustTake(t, callOf(t, engine.GCRA, name, 1))
				} else {
					s.mustDelete(t, name)
				}
			}
			sh.sweep()
			least, most = min(least, len(sh.index)), max(most, len(sh.index))
		})
		for _, name := range stay {
			if met[string(name)] == 0 {
				t.Errorf("the index went between %d and %d slots and %x was not met", least, most, name)
			}
		}
		if most < 4*least {
			t.Errorf("the index only went between %d and %d slots", least, most)
		}
	}
	verify(t, s)
}

// Homes follow each other whatever the size of the index, and each begins at a cursor.
func TestHomes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &shard{index: make([]slot, rapid.IntRange(1, 20_000).Draw(t, "slots"))}
		h := rapid.Uint64Range(0, 1<<(64-shardBits)-1).Draw(t, "hash")
		i := s.home(h)
		if begins, ends := s.homeBegins(i), s.homeBegins(i+1); h < begins || h >= ends {
			t.Errorf("%d has its home in slot %d, from %d to %d", h, i, begins, ends)
		}
		if begins := s.homeBegins(i); begins%(1<<(64-cursorBits)) != 0 || s.home(begins) != i {
			t.Errorf("slot %d begins at %d, whose home is slot %d", i, begins, s.home(begins))
		}
		if end := s.homeBegins(len(s.index)); end != 1<<(64-shardBits) {
			t.Errorf("the last slot ends at %d", end)
		}
	})
}

// Every cursor is a place, the last ones before the end of all hashes too.
func TestScanAtTheEdges(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	fill(t, s, engine.GCRA, 20_000)
	for i := range uint64(shardCount) {
		for _, off := range []uint64{0, 1, 1<<38 - 1} {
			cursor := i<<38 + off
			next, err := s.Scan(t.Context(), 0, cursor, 3, func(e engine.Entry) {
				if at := s.hash(e.Key) >> (64 - cursorBits); at < cursor {
					t.Fatalf("from %d on, %d is met", cursor, at)
				}
			})
			if err != nil || next <= cursor && next != 0 {
				t.Fatalf("after %d comes %d (error: %v)", cursor, next, err)
			}
		}
	}
}
