package engine

import (
	"math/rand/v2"
	"testing"
	"time"
)

// However a key is polled, what it is granted over any time follows the exact
// arithmetic: no fraction is lost, none is won. A million polls of each algorithm
// go by; the model in fractions is told of the grants only, and asked now and then.
func TestPollingLosesNothing(t *testing.T) {
	for _, a := range Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			d := fastDice{rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))}
			s := subjectOf(t, a)
			for polls := 0; polls < 1_000_000; {
				polls += poll(t, newWalk(a, s, d), models[a.Name](), 20_000)
			}
		})
	}
}

// poll takes one unit at a time, as soon as it can or sooner.
func poll(t *testing.T, w *walk, m model, polls int) int {
	w.limit.Max = min(w.limit.Max, 20)
	if w.at(0, *w.costing(1)).ResetAfter > 24*time.Hour {
		return 0 // so slow that time would end before the polls do
	}
	for n := range polls {
		wait := max(1, int64(w.last.RetryAfter))
		if w.dice.between(0, 63) > 0 { // mostly sooner
			wait = oneOf(w.dice, 0, 1, w.dice.between(0, wait/64))
		}
		w.now += Instant(wait)
		if w.now > MaxInstant {
			return n + 1
		}
		r := w.costing(1)
		if got := w.call(r); !got.Limited || n%512 == 0 {
			if want := m.decide(ratio(int64(w.now)), r).decision(r); got != want {
				t.Fatalf("poll %d of %+v:\n got %+v\nwant %+v", n, *r, got, want)
			}
		}
	}
	return polls
}
