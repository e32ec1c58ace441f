package engine

import (
	"math"
	"time"
)

// A bucket holds units that were used and drain at a rate: the arithmetic that
// the token bucket and the leaky bucket share. Its units are counted in drops:
// one unit is as many drops as the rate's Per, so that Units drops drain each
// nanosecond and no fraction ever remains.
//
// Words: [0] spare, [1] the rate's Units. The bucket runs dry by its deadline;
// spare, 0 … Units−1, are the drops by which the last nanosecond is not full.
// One that was filled at a fast rate and restated at a slow one can run dry too
// late for an Instant: then the deadline is forever, and [2] and [0] are the high
// and the low half of the drops that are in it at the end of time.
type bucket struct {
	drops wide
	rate  uint64 // drops a nanosecond
}

// dropsPerUnit is the Per of every bucket's rate: a rate is given to the millionth
// of a unit a second, so a millionth of a unit times a nanosecond is the least.
const dropsPerUnit = 1_000_000 * uint64(time.Second)

const (
	endOfTime = forever - 1 // in 2262
	forever   = Instant(math.MaxInt64)
)

func drops(units uint64) wide { return mul(units, dropsPerUnit) }

// bucketAt is what is in the bucket of a state at now.
func bucketAt(s *State, now Instant) bucket {
	if s.Deadline <= now {
		return bucket{}
	}
	rate := s.Words[1]
	if s.Deadline == forever {
		return bucket{mul(uint64(endOfTime-now), rate).plus(wide{s.Words[2], s.Words[0]}), rate}
	}
	spare := s.Words[0]
	return bucket{mul(uint64(s.Deadline-now), rate).minus(wide{0, spare}), rate}
}

// into makes a zero state the bucket's at now: it stays zero if the bucket is dry.
func (b bucket) into(s *State, kind Kind, now Instant) {
	if b.drops.isZero() {
		return
	}
	s.Kind, s.Words[1] = kind, b.rate
	if most := mul(uint64(endOfTime-now), b.rate); b.drops.more(most) {
		left := b.drops.minus(most)
		s.Deadline, s.Words[0], s.Words[2] = forever, left.lo, left.hi
		return
	}
	whole, rem := b.drops.div(b.rate)
	if rem > 0 {
		whole++
		s.Words[0] = b.rate - rem
	}
	s.Deadline = now + Instant(whole)
}

// setBackBucket keeps what is in the bucket.
func setBackBucket(s State, from, to Instant) (after State) {
	bucketAt(&s, from).into(&after, s.Kind, to)
	return after
}

// units is what is in the bucket in whole units, rounded up.
func (b bucket) units() uint64 { return b.drops.ceil(dropsPerUnit) }

// over is the time until no more than the given drops are in the bucket, the
// longest there is (292 years) where it is more.
func (b bucket) over(left wide) time.Duration {
	excess := b.drops.minus(left)
	if excess.isZero() {
		return 0
	}
	return time.Duration(saturate(excess.ceil(b.rate)))
}

// pour decides a call of either bucket: it is granted if the bucket, with the
// cost in it, holds at most Max units, or will within patience. A call whose cost
// is not 0 restates what was used at its own rate, granted or not. after and d are
// zero before.
func pour(kind Kind, s *State, r *Request, patience time.Duration, after *State, d *Decision) {
	b := bucket{bucketAt(s, r.Now).drops, r.Limit.Rate.Units}
	d.RetryAfter = Never
	if r.Cost < 0 {
		b.drops = b.drops.minus(drops(uint64(-r.Cost)))
	} else {
		cost := uint64(max(r.Cost, 1))
		wait := b.wait(cost, r.Limit.Max)
		if d.Limited = wait < 0 || wait > patience; !d.Limited && r.Cost > 0 {
			b.drops = b.drops.plus(drops(cost))
		}
		if d.Limited || wait > 0 {
			d.RetryAfter = wait
		}
	}
	b.into(after, kind, r.Now)
	d.Remaining = give(r.Limit.Max, b.units())
	if d.ResetAfter = after.left(r.Now); after.Deadline == forever {
		d.ResetAfter = b.over(wide{})
	}
	if r.Cost == 0 {
		*after = *s
	}
}

// wait is the time until a cost fits under most units, Never if it can not.
func (b bucket) wait(cost, most uint64) time.Duration {
	if cost > most {
		return Never
	}
	return b.over(drops(most - cost))
}
