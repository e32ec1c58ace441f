package engine

// TokenBucket starts full of Max tokens, refills continuously and keeps
// fractions. A call is granted if its cost is there, or, with MaxWait, will be
// within that time: then the tokens are reserved now, the level goes below zero
// and later callers queue behind. State: see bucket; what is counted is the
// tokens that are missing.
var TokenBucket = &Algorithm{
	Kind:     KindTokenBucket,
	Name:     "token-bucket",
	Doc:      "token bucket: bursts up to the capacity, continuous refill, optional reservation",
	Decide:   decideTokenBucket,
	SetBack:  setBackBucket,
	Describe: describeTokenBucket,
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

func decideTokenBucket(s State, r *Request) (after State, d Decision) {
	pour(KindTokenBucket, &s, r, r.MaxWait, &after, &d)
	return after, d
}
