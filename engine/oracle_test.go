package engine

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

var oracleCalls = flag.Int("oracle", 100_000, "how many decisions TestOracle compares")

// A model is one key of one algorithm as the protocol words it, in fractions:
// slow, and sharing no arithmetic with the engine. Times are nanoseconds, rates
// units a nanosecond.
type model interface {
	decide(now *big.Rat, r *Request) verdict
}

// A verdict is a decision before it is rounded. retry is nil for -1.
type verdict struct {
	limited          bool
	remaining        *big.Rat // before the floor, and before it is held within 0 … limit
	retry, resetting *big.Rat
}

// models makes the model of each algorithm by its name on the wire.
var models = map[string]func() model{
	"gcra":           func() model { return &gcraModel{tat: new(big.Rat)} },
	"token-bucket":   func() model { return &flowModel{used: new(big.Rat), at: new(big.Rat)} },
	"leaky-bucket":   func() model { return &flowModel{used: new(big.Rat), at: new(big.Rat), queue: true} },
	"fixed-window":   func() model { return &windowModel{} },
	"sliding-log":    func() model { return &logModel{} },
	"sliding-window": func() model { return &windowModel{sliding: true} },
}

// TestOracle compares random calls, with numbers that change between them, with
// the models: every field of every decision. (R20; -oracle 10000000 is the long
// run.) It keeps within what the engine's arithmetic promises to be exact: the
// counts of a key's GCRA numbers have a common denominator below 2^63. What
// happens past that is TestGCRAPastItsDenominators; the engine says the longest wait there is
// (292 years) where a wait is longer.
func TestOracle(t *testing.T) {
	seed := time.Now().UnixNano()
	for _, a := range Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := subjectOf(t, a)
			if models[a.Name] == nil {
				t.Fatalf("%s has no model in oracle_test.go", a.Name)
			}
			d := fastDice{rand.New(rand.NewPCG(uint64(seed), uint64(a.Kind)))}
			for done := 0; done < *oracleCalls/len(Algorithms); {
				n, what := compare(newWalk(a, s, d), models[a.Name](), 40)
				if done += n; what != "" {
					t.Fatalf("seed %d, after %d decisions: %s", seed, done, what)
				}
			}
		})
	}
}

// compare makes calls until the answers differ, and says how.
func compare(w *walk, m model, calls int) (int, string) {
	for n := range calls {
		w.pass()
		before, r := w.state, w.request()
		got, want := w.call(r), m.decide(ratio(int64(w.now)), r).decision(r)
		if got != want {
			return n, fmt.Sprintf("call %d: %+v\nstate %+v\n  got %+v\n want %+v", n, *r, before, got, want)
		}
	}
	return calls, ""
}

func (v verdict) decision(r *Request) Decision {
	d := Decision{Limited: v.limited, RetryAfter: Never, ResetAfter: time.Duration(ceil(v.resetting))}
	if v.retry != nil {
		d.RetryAfter = time.Duration(ceil(v.retry))
	}
	if v.remaining.Sign() > 0 {
		whole := new(big.Int).Quo(v.remaining.Num(), v.remaining.Denom())
		d.Remaining = min(r.Limit.Max, whole.Uint64())
	}
	return d
}

func ratio(n int64) *big.Rat           { return new(big.Rat).SetInt64(n) }
func plus(a, b *big.Rat) *big.Rat      { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat     { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat     { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat      { return new(big.Rat).Quo(a, b) }
func less(a, b *big.Rat) bool          { return a.Cmp(b) < 0 }
func positive(a *big.Rat) *big.Rat     { return later(a, new(big.Rat)) }
func (r Rate) perNanosecond() *big.Rat { return over(ratio(int64(r.Units)), ratio(int64(r.Per))) }

func later(a, b *big.Rat) *big.Rat {
	if less(a, b) {
		return b
	}
	return a
}

// ceil is a, 0 or more, rounded up; the longest wait there is where it is more.
func ceil(a *big.Rat) int64 {
	n := new(big.Int).Add(a.Num(), a.Denom())
	if n.Sub(n, big.NewInt(1)).Quo(n, a.Denom()); !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

// gcraModel: "new = max(now, tat) + T·quantity; refused if new − τ > now, with
// retry new − τ − now; else tat = new. reset = tat − now.
// remaining = ⌊(τ − (tat − now))/T⌋."
type gcraModel struct{ tat *big.Rat }

func (m *gcraModel) decide(now *big.Rat, r *Request) verdict {
	interval := new(big.Rat).Inv(r.Limit.Rate.perNanosecond())
	tolerance := times(interval, ratio(int64(r.Limit.Max)))
	tat := plus(later(now, m.tat), times(interval, ratio(r.Cost)))
	v := verdict{}
	if wait := minus(minus(tat, tolerance), now); r.Cost >= 0 && wait.Sign() > 0 {
		if v.limited = true; r.Cost <= int64(r.Limit.Max) {
			v.retry = wait
		}
	} else {
		m.tat = tat
	}
	v.resetting = positive(minus(m.tat, now))
	v.remaining = over(minus(tolerance, v.resetting), interval)
	return v
}

// flowModel is either bucket: what was used, in units, draining at the rate it
// was written under. "A call with another rate (cost not 0, granted or not)
// restates it."
type flowModel struct {
	used, rate, at *big.Rat
	queue          bool
}

func (m *flowModel) decide(now *big.Rat, r *Request) verdict {
	rate, limit := r.Limit.Rate.perNanosecond(), ratio(int64(r.Limit.Max))
	used := new(big.Rat)
	if m.rate != nil {
		used = positive(minus(m.used, times(m.rate, minus(now, m.at))))
	}
	if r.Cost != 0 {
		m.used, m.rate, m.at = used, rate, now
	}
	// A look answers at its own rate too, as the vectors do.
	v := m.fits(used, rate, limit, r)
	if r.Cost < 0 || r.Cost > 0 && !v.limited {
		m.used = positive(plus(used, ratio(r.Cost)))
		used = m.used
	}
	v.remaining, v.resetting = minus(limit, used), new(big.Rat)
	if used.Sign() > 0 {
		v.resetting = over(used, rate)
	}
	return v
}

// fits decides whether a cost fits over what is used.
func (m *flowModel) fits(used, rate, limit *big.Rat, r *Request) (v verdict) {
	if r.Cost < 0 {
		return v
	}
	cost := ratio(max(1, r.Cost))
	if less(limit, cost) {
		v.limited = true
		return v
	}
	wait := over(positive(minus(plus(used, cost), limit)), rate)
	v.limited = less(ratio(int64(r.MaxWait)), wait)
	switch {
	case wait.Sign() > 0:
		v.retry = wait
	case m.queue && used.Sign() > 0:
		v.retry = over(used, rate) // someone is ahead
	}
	return v
}
