package engine

import "time"

// GCRA is the generic cell rate algorithm (ITU-T I.371, annex A), the limiter of
// redis-cell. It stores one number, the theoretical arrival time (TAT): the
// instant at which the key is untouched. A unit costs the emission interval
// T = Per/Units; a call is granted if it leaves the TAT at most T·Max ahead.
//
// Words: [0]/[1] is the part of a nanosecond by which the deadline is later than
// the TAT; 0/0 when the TAT is a whole nanosecond.
//
// The TAT stays when the numbers change, so fractions of different emission
// intervals meet in one sum. It stays exact while their common denominator is
// below 2^63; past that the TAT is rounded up by less than 1/Units ns, once.
var GCRA = &Algorithm{
	Kind:     KindGCRA,
	Name:     "gcra",
	Doc:      "generic cell rate algorithm: one arrival time, smooth pace after a burst",
	Decide:   decideGCRA,
	SetBack:  keepDistance,
	Describe: describeGCRA,
}

// GCRALimit is burst units beyond the first, coming back at count every period.
// burst is 0 … MaxUnits, count 1 … MaxUnits, period 1 ns … MaxFill.
func GCRALimit(burst, count int64, period time.Duration) (Limit, error) {
	if err := firstError(
		within("max_burst", burst, 0, MaxUnits),
		within("count", count, 1, MaxUnits),
	); err != nil {
		return Limit{}, err
	}
	if period < 1 || period > MaxFill {
		return Limit{}, RangeError{"period", "1", "3155760000"}
	}
	return fills("max_burst", Limit{
		Max:  uint64(burst) + 1,
		Rate: Rate{Units: uint64(count), Per: uint64(period)},
	})
}

func decideGCRA(s State, r *Request) (after State, d Decision) {
	rate := r.Limit.Rate
	tat := arrival(&s, r.Now)
	if r.Cost < 0 {
		tat = tat.minus(rate.interval(uint64(-r.Cost)))
		after.arriveAt(tat)
		return after, gcraDecision(tat, r, false, Never)
	}
	cost := uint64(r.Cost)
	if cost > r.Limit.Max {
		return s, gcraDecision(tat, r, true, Never)
	}
	// new − τ > now, where new − τ = TAT − T·(Max − cost).
	if wait := tat.minus(rate.interval(r.Limit.Max - cost)); wait.positive() {
		return s, gcraDecision(tat, r, true, wait.ceil())
	}
	if cost == 0 {
		return s, gcraDecision(tat, r, false, Never)
	}
	tat = tat.plus(rate.interval(cost))
	after.arriveAt(tat)
	return after, gcraDecision(tat, r, false, Never)
}

func gcraDecision(tat ahead, r *Request, limited bool, retry time.Duration) Decision {
	return Decision{
		Limited:    limited,
		Remaining:  give(r.Limit.Max, tat.units(r.Limit.Rate)),
		RetryAfter: retry,
		ResetAfter: tat.ceil(),
	}
}

// An ahead is an instant after now, as the exact time until it:
// whole + num/den nanoseconds, 0 ≤ num < den. A whole below zero, for a
// difference, is an instant that has passed.
type ahead struct {
	now      Instant
	whole    int64
	num, den uint64
}

// arrival is the TAT of a state, or now if that is later.
func arrival(s *State, now Instant) ahead {
	if s.Deadline <= now {
		return ahead{now: now, den: 1}
	}
	a := ahead{now: now, whole: int64(s.Deadline - now), den: 1}
	if early := s.Words[0]; early > 0 {
		a.whole--
		a.den = s.Words[1]
		a.num = a.den - early
	}
	return a
}

// arriveAt makes a zero state the one whose TAT is a, if that has not come.
func (s *State) arriveAt(a ahead) {
	if !a.positive() {
		return
	}
	s.Kind, s.Deadline = KindGCRA, a.now+Instant(a.ceil())
	if a.num > 0 {
		s.Words[0], s.Words[1] = a.den-a.num, a.den
	}
}

// interval is T·n, the time in which n units come back.
func (r Rate) interval(n uint64) ahead {
	whole, rem := mul(r.Per, n).div(r.Units)
	return ahead{whole: saturate(whole), num: rem, den: r.Units}
}

func (a ahead) positive() bool { return a.whole > 0 || a.whole == 0 && a.num > 0 }

// ceil is the time until a in whole nanoseconds, rounded up; 0 once it has come.
func (a ahead) ceil() time.Duration {
	if a.whole < 0 {
		return 0
	}
	if a.num > 0 {
		return time.Duration(a.whole + 1)
	}
	return time.Duration(a.whole)
}

// units is how many units come back until a, rounded up: ⌈a/T⌉.
func (a ahead) units(r Rate) uint64 {
	if !a.positive() {
		return 0
	}
	part := mul(a.num, r.Units).ceil(a.den)
	return mul(uint64(a.whole), r.Units).plus(wide{0, part}).ceil(r.Per)
}

func (a ahead) plus(b ahead) ahead {
	a, b = a.common(b)
	a.whole += b.whole
	if a.num += b.num; a.num >= a.den {
		a.num -= a.den
		a.whole++
	}
	return a
}

func (a ahead) minus(b ahead) ahead {
	a, b = a.common(b)
	a.whole -= b.whole
	if a.num < b.num {
		a.num += a.den
		a.whole--
	}
	a.num -= b.num
	return a
}

// common gives both fractions one denominator. Nearly always one of them is
// zero, or both came from the same Units.
func (a ahead) common(b ahead) (ahead, ahead) {
	switch {
	case a.den == b.den:
		return a, b
	case b.num == 0:
		b.den = a.den
		return a, b
	case a.num == 0:
		a.den = b.den
		return a, b
	}
	x, y := a.reduced(), b.reduced()
	scale := y.den / gcd(x.den, y.den)
	if both := mul(x.den, scale); both.hi == 0 && both.lo < 1<<63 {
		return x.over(both.lo), y.over(both.lo)
	}
	return a.roundedTo(b.den), b // b is an interval, its denominator the rate's Units
}

func (a ahead) reduced() ahead {
	d := gcd(a.num, a.den)
	a.num, a.den = a.num/d, a.den/d
	return a
}

// over is a with a denominator that is a multiple of its own.
func (a ahead) over(den uint64) ahead {
	a.num, a.den = a.num*(den/a.den), den
	return a
}

// roundedTo is a rounded up to a multiple of 1/den.
func (a ahead) roundedTo(den uint64) ahead {
	a.num, a.den = mul(a.num, den).ceil(a.den), den
	if a.num == den {
		a.num = 0
		a.whole++
	}
	return a
}
