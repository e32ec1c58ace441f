package memstore

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/engine"
)

// Logs become longer than short and short again, leases more than few and few again,
// alone and as parts: what is decided does not show where they lie.
func TestShortAndLong(t *testing.T) {
	limits := [2]engine.Limit{
		must[engine.Limit](t)(engine.LogLimit(5*mostShortLog, 60_000)),
		must[engine.Limit](t)(engine.LogLimit(5*mostShortLog, 90_000)), // starts afresh
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := New()
		defer s.Close()
		s.StopClock(noon)
		model := map[string]engine.State{}
		for range 60 {
			s.AdvanceClock(time.Duration(rapid.SampledFrom([]int{0, 1, 5, 30, 95}).Draw(rt, "seconds")) * time.Second)
			if rapid.IntRange(0, 9).Draw(rt, "back") == 0 {
				now := s.Now()
				s.AdvanceClock(-time.Second)
				for k, st := range model {
					if st.Kind != 0 {
						model[k] = engine.SlidingLog.SetBack(st.At(now), now, s.Now())
					}
				}
			}
			var calls []engine.Call
			var before, after [2]engine.State
			var want, got [2]engine.Decision
			for i, name := range []string{"a", "b"} {
				c := callOf(t, engine.SlidingLog, []byte(name), rapid.SampledFrom([]int64{-20, -1, 0, 1, 2, mostShortLog, mostShortLog + 3, 40}).Draw(rt, "cost"))
				c.Limit, c.Now = limits[rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "limit")], s.Now()
				calls = append(calls, *c)
				before[i] = model[name].At(c.Now)
			}
			alone := rapid.Bool().Draw(rt, "alone")
			if alone {
				after[0], want[0] = engine.SlidingLog.Decide(before[0], &calls[0].Request)
				got[0] = s.mustTake(t, &calls[0])
				model["a"] = after[0].Clone()
			} else {
				granted := engine.DecideAll(calls, before[:], after[:], want[:])
				if err := s.TakeAll(t.Context(), calls, got[:]); err != nil {
					rt.Fatal(err)
				}
				for i, name := range []string{"a", "b"} {
					if granted {
						model[name] = after[i].Clone()
					}
				}
			}
			if got != want {
				rt.Fatalf("decided %+v, not %+v", got, want)
			}
		}
		verify(t, s)
	})
}

// A lease has its place in the record until the leases are many, or long.
func TestShortLeases(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	inBox := func(name string) bool {
		k := engine.Key{Name: []byte(name)}
		sh := s.shard(s.hash(k))
		return sh.record(sh.index[sh.find(s.hash(k), k)].ref()).box() != 0
	}
	acquire := func(name, token string) {
		c := &engine.LeaseCall{Key: engine.Key{Name: []byte(name)}, Token: token, Limit: 100, Lease: time.Minute}
		if _, held, err := s.Lease(t.Context(), c); !held || err != nil {
			t.Fatal(held, err)
		}
	}
	fits := func(name string, tokens []string) {
		t.Helper()
		for i, token := range tokens {
			acquire(name, token)
			if last := i == len(tokens)-1; inBox(name) != last {
				t.Errorf("%s: of %d leases the number %d is in a box: %v", name, len(tokens), i+1, !last)
			}
		}
	}
	fits("own", holders(9+1)) // of 25 bytes each
	var names, numbers []string
	for i := range mostShortLeases + 1 {
		numbers = append(numbers, fmt.Sprint(i))
		names = append(names, fmt.Sprintf("holder %02d", i))
	}
	fits("numbers", numbers)
	fits("names", names[:13+1]) // of 18 bytes each
	acquire("long", string(make([]byte, 300)))
	if !inBox("long") {
		t.Error("a lease of 300 bytes is short")
	}
	for i := range 8 {
		acquire("tokens", fmt.Sprintf("%0*d", 40+i, i))
	}
	if !inBox("tokens") {
		t.Error("eight leases of more than forty bytes are short")
	}
	acquire("empty", "")
	if d, held, err := s.Lease(t.Context(), &engine.LeaseCall{Key: engine.Key{Name: []byte("empty")}, Op: engine.Release}); !held || err != nil {
		t.Errorf("%+v, %v", d, err)
	}
	verify(t, s)
}

// Records of the longest content that is short take places of others that were evicted.
func TestFullOfShortLeases(t *testing.T) {
	s, _ := bounded(t, 8<<20, true)
	token := make([]byte, 256)
	for i := range token {
		token[i] = byte(i)
	}
	for i := range scaled(80_000, 40_000) {
		name := append(name17(i), make([]byte, i%9)...)
		c := &engine.LeaseCall{Key: engine.Key{Name: name}, Limit: 3, Lease: time.Minute}
		c.Token = string(token[:230+i%16])
		if _, held, err := s.Lease(t.Context(), c); !held || err != nil {
			t.Fatal(held, err)
		}
		c.Op = engine.Renew
		if _, held, err := s.Lease(t.Context(), c); !held || err != nil {
			t.Fatalf("%d: a lease of %d bytes is lost: %v", i, len(c.Token), err)
		}
	}
	if s.Usage().Evicted == 0 {
		t.Error("nothing was evicted")
	}
	verify(t, s)
}
