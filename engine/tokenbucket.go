package engine

import "time"

// TokenBucket starts full of Max tokens, refills continuously and keeps
// fractions. A call is granted if its cost is there, or, with MaxWait, will be
// within that time: then the tokens are reserved now, the level goes below zero
// and later callers queue behind. State: see bucket; what is counted is the
// tokens that are missing.
var TokenBucket = &Algorithm{
	Kind:    KindTokenBucket,
	Name:    "token-bucket",
	Doc:     "token bucket: bursts up to the capacity, continuous refill, optional reservation",
	Decide:  decideTokenBucket,
	SetBack: keepDistance,
}

// TokenBucketLimit is a bucket of capacity tokens (1 … MaxUnits) that refills at
// rate millionths of a token a second (1 … MaxRate·10^6).
func TokenBucketLimit(capacity int64, rate Micros) (Limit, error) {
	if err := firstError(
		within("capacity", capacity, 1, MaxUnits),
		rate.within("refill_per_second"),
	); err != nil {
		return Limit{}, err
	}
	return fills("capacity", Limit{Max: uint64(capacity), Rate: rate.rate()})
}

func decideTokenBucket(s State, r *Request) (State, Decision) {
	b := bucketAt(s, r.Now)
	if r.Cost == 0 {
		next := bucket{b.drops, r.Limit.Rate.Units}
		_, granted, wait := pour(next, r, 1, r.MaxWait)
		return s, tokenDecision(s, b, r, granted, wait)
	}
	b.rate = r.Limit.Rate.Units // restates what was used at the rate of this call
	granted, wait := true, time.Duration(0)
	if r.Cost < 0 {
		b.drops = b.drops.minus(drops(uint64(-r.Cost)))
	} else {
		b, granted, wait = pour(b, r, uint64(r.Cost), r.MaxWait)
	}
	s = b.state(KindTokenBucket, r.Now)
	return s, tokenDecision(s, b, r, granted, wait)
}

func tokenDecision(s State, b bucket, r *Request, granted bool, wait time.Duration) Decision {
	if granted && wait == 0 {
		wait = Never
	}
	return Decision{
		Limited:    !granted,
		Remaining:  give(r.Limit.Max, b.units()),
		RetryAfter: wait,
		ResetAfter: s.left(r.Now),
	}
}
