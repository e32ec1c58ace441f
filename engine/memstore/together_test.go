package memstore

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/engine"
)

// mixed draws calls of every sort that may come together: each is a call, and says in
// words what it was answered.
func (s *scene) mixed() (keys []engine.Key, do []func(engine.Store) string) {
	ctx := s.tb.Context()
	for len(keys)+3 <= engine.MaxTogether && (len(keys) == 0 || rapid.IntRange(0, 5).Draw(s.T, "more") > 0) {
		switch rapid.IntRange(0, 2).Draw(s.T, "sort") {
		case 0:
			c := s.call(s.key())
			keys = append(keys, c.Key)
			do = append(do, func(st engine.Store) string {
				c := c
				d, err := st.Take(ctx, &c)
				return fmt.Sprint(d, err, c.Now)
			})
		case 1:
			parts := []engine.Call{s.call(engine.Key{Name: []byte("a")}), s.call(engine.Key{DB: 1, Name: []byte("b")}), s.call(engine.Key{Name: []byte("c")})}
			keys = append(keys, parts[0].Key, parts[1].Key, parts[2].Key)
			do = append(do, func(st engine.Store) string {
				var d [3]engine.Decision
				if err := st.TakeAll(ctx, append([]engine.Call(nil), parts...), d[:]); err != nil {
					return err.Error()
				}
				return fmt.Sprint(d)
			})
		case 2:
			c := s.leaseCall()
			keys = append(keys, c.Key)
			do = append(do, func(st engine.Store) string {
				c := c
				d, held, err := st.Lease(ctx, &c)
				return fmt.Sprint(d, held, err, c.Now)
			})
		}
	}
	return keys, do
}

// Whatever comes together is decided, kept and told to the journal as it would be one
// by one, also within Exclusively, where all is one entry.
func TestTogetherIsOneByOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var told [2]tape
		var stores [2]*Store
		for i := range stores {
			stores[i] = NewWith(Options{Journal: &told[i]})
			defer stores[i].Close()
			stores[i].StopClock(noon)
		}
		s := &scene{rt, stores[0], t}
		const rounds = 12
		for range rounds {
			keys, do := s.mixed()
			var together, alone []string
			all := func(st engine.Store, answers *[]string) {
				for _, call := range do {
					*answers = append(*answers, call(st))
				}
			}
			if rapid.Bool().Draw(rt, "exclusively") {
				stores[0].Exclusively(keys, func(inner engine.Store) {
					inner.(*Store).Together(keys, func(inner engine.Store) { all(inner, &together) })
				})
				stores[1].Exclusively(keys, func(inner engine.Store) { all(inner, &alone) })
			} else {
				stores[0].Together(keys, func(inner engine.Store) { all(inner, &together) })
				all(stores[1], &alone)
			}
			if !reflect.DeepEqual(together, alone) {
				rt.Fatalf("together\n%q, alone\n%q", together, alone)
			}
			by := time.Duration(rapid.SampledFrom([]int{0, 1, 7, 61}).Draw(rt, "seconds")) * time.Second
			for _, st := range stores {
				st.AdvanceClock(by)
			}
		}
		if a, b := told[0].all(), told[1].all(); fmt.Sprint(slices.Concat(a...)) != fmt.Sprint(slices.Concat(b...)) {
			rt.Fatalf("the journal was told\n%v, not\n%v", a, b)
		} else if len(a) > rounds {
			rt.Fatalf("the journal was told %d times", len(a))
		}
		compare(t, stores[1].content(), stores[0].content())
		verify(t, stores[0])
	})
}

// The calls within Together are at its instant, even while the clock goes on.
func TestTogetherIsOneInstant(t *testing.T) {
	s := open(t)
	take, lease := callOf(t, engine.SlidingLog, []byte("log"), 1), &engine.LeaseCall{
		Key: engine.Key{Name: []byte("lease")}, Token: "x", Limit: 2, Lease: time.Minute,
	}
	part := callOf(t, engine.GCRA, []byte("part"), 1)
	s.Together([]engine.Key{take.Key, lease.Key, part.Key}, func(inner engine.Store) {
		must[engine.Decision](t)(inner.Take(t.Context(), take))
		for began := s.Now(); s.Now() == began; { // it is not stopped
		}
		parts := []engine.Call{*part}
		if err := inner.TakeAll(t.Context(), parts, make([]engine.Decision, 1)); err != nil {
			t.Fatal(err)
		}
		if _, held, err := inner.Lease(t.Context(), lease); !held || err != nil {
			t.Fatal(held, err)
		}
		if take.Now == 0 || parts[0].Now != take.Now || lease.Now != take.Now {
			t.Errorf("the instants are %d, %d and %d", take.Now, parts[0].Now, lease.Now)
		}
	})
}

func TestTogetherAllocatesNothing(t *testing.T) {
	for name, j := range map[string]engine.Journal{"journal": deaf{}, "no journal": nil} {
		t.Run(name, func(t *testing.T) {
			s := openWith(t, j)
			ctx := t.Context()
			take, part := callOf(t, engine.SlidingLog, []byte("log"), 1), callOf(t, engine.GCRA, []byte("part"), 1)
			lease := &engine.LeaseCall{Key: engine.Key{Name: []byte("lease")}, Token: "x", Limit: 2, Lease: time.Minute}
			keys := []engine.Key{take.Key, lease.Key, part.Key}
			parts, decisions := []engine.Call{*take, *part}, make([]engine.Decision, 2)
			all := func(inner engine.Store) {
				_, _ = inner.Take(ctx, take)
				_, _, _ = inner.Lease(ctx, lease)
				_ = inner.TakeAll(ctx, parts, decisions)
				take.Cost, parts[0].Cost, parts[1].Cost = -take.Cost, -parts[0].Cost, -parts[1].Cost
			}
			for _, c := range []*engine.Call{take, part} { // or the keys would come and go
				s.mustTake(t, c)
				s.mustTake(t, c)
			}
			s.Together(keys, all)
			if n := testing.AllocsPerRun(101, func() { s.Together(keys, all) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
