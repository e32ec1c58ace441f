package engine

import "time"

// A bucket holds units that were used and drain at a rate: the arithmetic that
// the token bucket and the leaky bucket share. Its units are counted in drops:
// one unit is as many drops as the rate's Per, so that Units drops drain each
// nanosecond and no fraction ever remains.
//
// Words: [0] spare, [1] the rate's Units. The bucket runs dry by its deadline;
// spare, 0 … Units−1, are the drops by which the last nanosecond is not full.
type bucket struct {
	drops wide
	rate  uint64 // drops a nanosecond
}

// dropsPerUnit is the Per of every bucket's rate: a rate is given to the millionth
// of a unit a second, so a millionth of a unit times a nanosecond is the least.
const dropsPerUnit = 1_000_000 * uint64(time.Second)

// horizon bounds a debt: one written at a fast rate and restated at one so slow
// that it would drain later is over then (in 2262).
const horizon = uint64(1<<63 - 1)

func drops(units uint64) wide { return mul(units, dropsPerUnit) }

// bucketAt is what is in the bucket of a state at now.
func bucketAt(s State, now Instant) bucket {
	if s.Deadline <= now {
		return bucket{}
	}
	spare, rate := s.Words[0], s.Words[1]
	return bucket{mul(uint64(s.Deadline-now), rate).minus(wide{0, spare}), rate}
}

// state is the bucket's state at now: zero when it is dry.
func (b bucket) state(kind Kind, now Instant) State {
	if b.drops.isZero() {
		return State{}
	}
	s := State{Kind: kind, Words: [3]uint64{0, b.rate}}
	whole, rem := b.drops.div(b.rate)
	if rem > 0 {
		whole++
		s.Words[0] = b.rate - rem
	}
	if last := horizon - uint64(now); whole > last {
		whole, s.Words[0] = last, 0
	}
	s.Deadline = now + Instant(whole)
	return s
}

// units is what is in the bucket in whole units, rounded up.
func (b bucket) units() uint64 { return b.drops.ceil(dropsPerUnit) }

// over is the time until no more than the given drops are in the bucket.
func (b bucket) over(left wide) time.Duration {
	excess := b.drops.minus(left)
	if excess.isZero() {
		return 0
	}
	return time.Duration(saturate(excess.ceil(b.rate)))
}

// pour decides a call of either bucket. The cost fits if the bucket then holds
// at most Max units or will within patience. wait is the time until it fits, or
// Never; the bucket that comes back holds the cost if it was granted.
func pour(b bucket, r *Request, cost uint64, patience time.Duration) (after bucket, granted bool, wait time.Duration) {
	if cost > r.Limit.Max {
		return b, false, Never
	}
	wait = b.over(drops(r.Limit.Max - cost))
	if wait > patience {
		return b, false, wait
	}
	b.drops = b.drops.plus(drops(cost))
	return b, true, wait
}
