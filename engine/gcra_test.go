package engine

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func (a ahead) rat() *big.Rat {
	part := new(big.Rat).SetFrac(wide{0, a.num}.big(), wide{0, a.den}.big())
	return part.Add(part, new(big.Rat).SetInt64(a.whole))
}

// aheads is a time until a TAT as a state can hold it.
func aheads(t *rapid.T) ahead {
	den := uint64(rapid.Int64Range(1, 1<<63-1).Draw(t, "den"))
	return ahead{
		whole: rapid.Int64Range(0, int64(MaxInstant)+int64(MaxFill)).Draw(t, "whole"),
		num:   uint64(rapid.Int64Range(0, int64(den-1)).Draw(t, "num")),
		den:   den,
	}
}

func rates(t *rapid.T) Rate {
	return Rate{
		Units: uint64(rapid.Int64Range(1, MaxUnits).Draw(t, "units")),
		Per:   uint64(rapid.Int64Range(1, int64(MaxFill)).Draw(t, "per")),
	}
}

// A TAT is exact while it and the call's interval have a common denominator below
// 2^63. Past that it is rounded up by less than 1/Units ns: this is all that the
// oracle leaves out.
func TestGCRAPastItsDenominators(t *testing.T) {
	rounded := 0
	rapid.Check(t, func(t *rapid.T) {
		tat, rate := aheads(t), rates(t)
		if rapid.Bool().Draw(t, "a half, in large numbers") {
			tat.den |= 1 | 1<<62
			tat.num = oneOf(rapidDice{t}, tat.num, tat.den-1) // up to the next whole
			rate.Per = rate.Units + 1
			rate.Units = 2 * rate.Per
		}
		interval := rate.interval(1)
		exact := new(big.Rat).Add(tat.rat(), interval.rat())
		over := new(big.Rat).Sub(tat.plus(interval).rat(), exact)
		if over.Sign() != 0 {
			rounded++
		}
		if over.Sign() < 0 || over.Cmp(big.NewRat(1, int64(rate.Units))) >= 0 {
			t.Fatalf("%v + %v is %v ns too late", tat, interval, over)
		}
		exact.Sub(tat.rat(), interval.rat())
		over.Sub(tat.minus(interval).rat(), exact)
		if over.Sign() < 0 || over.Cmp(big.NewRat(1, int64(rate.Units))) >= 0 {
			t.Fatalf("%v − %v is %v ns too late", tat, interval, over)
		}
	})
	if rounded == 0 {
		t.Error("nothing was rounded: the test tests nothing")
	}
}

// Units that come back until a TAT are ⌈a/T⌉, or more than any limit where that
// does not fit: a TAT a century ahead is, at the fastest rate, 10^30 units.
func TestGCRAUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, rate := aheads(t), rates(t)
		exact := new(big.Rat).Mul(a.rat(), big.NewRat(int64(rate.Units), int64(rate.Per)))
		n := new(big.Int).Add(exact.Num(), exact.Denom())
		want := saturated(n.Sub(n, big.NewInt(1)).Quo(n, exact.Denom()))
		if got := a.units(rate); got != want {
			t.Fatalf("%v at %v is %v = %d units, not %d", a, rate, exact, want, got)
		}
	})
}

// A refund of more than all time is a TAT that has long passed, not one that
// turned over.
func TestGCRARefundOfMoreThanAllTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tat, long := aheads(t), Rate{1, uint64(MaxFill)}.interval(MaxUnits)
		if left := tat.minus(long); left.positive() || left.ceil() != 0 || long.whole != 1<<63-1 {
			t.Fatalf("%v − %v leaves %v", tat, long, left)
		}
	})
}

// A key far in debt by a slow limit has nothing to give to a fast one.
func TestGCRASlowDebtFastLimit(t *testing.T) {
	state := State{Kind: KindGCRA, Deadline: Instant(MaxFill), Words: [3]uint64{2, 3}}
	fast, err := GCRALimit(0, MaxUnits, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	_, d := decideGCRA(state, &Request{Limit: fast, Cost: 1})
	if want := (Decision{true, 0, MaxFill, MaxFill}); d != want {
		t.Errorf("got %+v, want %+v", d, want)
	}
}
