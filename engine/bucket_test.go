package engine

import (
	"math"
	"testing"
)

// TestFarDebt restates a debt at a rate at which it would drain in 30 billion
// years, and back: not a drop is forgiven, though no instant can hold its end.
func TestFarDebt(t *testing.T) {
	fast := Limit{Max: MaxUnits, Rate: Rate{1_000_000_000_000_000, dropsPerUnit}}
	slow := Limit{Max: 3000, Rate: Rate{1, dropsPerUnit}}
	for _, a := range []*Algorithm{TokenBucket, LeakyBucket} {
		t.Run(a.Name, func(t *testing.T) {
			now := Instant(1_700_000_000e9)
			s, _ := a.Decide(State{}, &Request{Limit: fast, Cost: MaxUnits, Now: now})
			s, d := a.Decide(s, &Request{Limit: slow, Cost: 1, Now: now})
			if !d.Limited || d.RetryAfter != math.MaxInt64 || d.ResetAfter != math.MaxInt64 || s.Deadline != forever {
				t.Fatalf("the slow call is answered %+v, and leaves %+v", d, s)
			}
			s = a.SetBack(s, now, now-5)
			s, _ = a.Decide(s, &Request{Limit: slow, Cost: 1, Now: now})
			_, d = a.Decide(s, &Request{Limit: fast, Now: now})
			// What drained in five nanoseconds, 5·10^-15 units, is no unit.
			if !d.Limited || d.Remaining != 0 || d.RetryAfter != 1 {
				t.Errorf("at the fast rate again it is %+v", d)
			}
		})
	}
}
