package memstore

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/engine"
)

// Parts whose keys are in one shard may move each other, out of their slots and out
// of a full store. What is decided stays right, and what the journal was told is what
// there is.
func TestPartsInOneShard(t *testing.T) {
	for _, full := range []bool{false, true} {
		t.Run(fmt.Sprint("full ", full), func(t *testing.T) {
			told := &tape{}
			options := Options{Journal: told, Evict: func() bool { return true }}
			if full {
				options.MaxBytes = func() int64 { return shardCount * 4096 }
			}
			s := NewWith(options)
			t.Cleanup(s.Close)
			s.StopClock(noon)
			s.fillOthers(t, full)
			names := crowd(s, 600, 11)
			dice := rand.New(rand.NewPCG(7, 0))
			model := map[string]engine.State{}
			for range scaled(20_000, 4_000) {
				if dice.IntN(20) == 0 {
					s.AdvanceClock(time.Duration(dice.IntN(5000)) * time.Millisecond)
				}
				calls, before, after := partsOf(t, s, dice, names), [3]engine.State{}, [3]engine.State{}
				if full { // what was evicted is not the model's to know
					for i := range calls {
						before[i], _ = s.Get(t.Context(), calls[i].Key)
						before[i] = before[i].Clone()
					}
				} else {
					for i := range calls {
						before[i] = model[string(calls[i].Key.Name)].At(s.Now())
					}
				}
				var want, got [3]engine.Decision
				for i := range calls {
					calls[i].Now = s.Now()
				}
				granted := engine.DecideAll(calls, before[:], after[:], want[:])
				if err := s.TakeAll(t.Context(), calls, got[:]); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Fatalf("decided %+v, not %+v", got, want)
				}
				for i := range calls {
					if granted {
						model[string(calls[i].Key.Name)] = after[i].Clone()
					}
				}
			}
			verify(t, s)
			again := openWith(t, nil)
			again.StopClock(s.Now())
			for _, changes := range told.all() {
				if err := again.Load(changes); err != nil {
					t.Fatal(err)
				}
			}
			again.Loaded(0)
			compare(t, s.content(), again.content())
			if full && s.Usage().Evicted == 0 {
				t.Error("nothing was evicted")
			}
		})
	}
}

// fillOthers fills a store to its bound with keys of every shard.
func (s *Store) fillOthers(t *testing.T, full bool) {
	for i := 0; full && s.bytes.Load() < s.bound(); i++ {
		s.mustTake(t, callOf(t, engine.GCRA, fmt.Appendf(nil, "other:%d", i), 5))
	}
}

// partsOf is three calls of different keys, each with its key's algorithm.
func partsOf(t *testing.T, s *Store, dice *rand.Rand, names [][]byte) []engine.Call {
	calls := make([]engine.Call, 3)
	for i, n := range dice.Perm(len(names))[:3] {
		a := engine.Algorithms[n%len(engine.Algorithms)]
		calls[i] = *callOf(t, a, names[n], dice.Int64N(8)-2)
	}
	return calls
}

func compare(t *testing.T, want, got map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Fatalf("%s is %s, not %s", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %d keys, not %d", len(got), len(want))
	}
}
