package engine

// LeakyBucket is the leaky bucket as a queue: what is added leaves at the rate,
// one unit at a time. A call with others ahead is granted with the time until its
// turn. State: see bucket; what is counted is the units in the queue.
var LeakyBucket = &Algorithm{
	Kind:     KindLeakyBucket,
	Name:     "leaky-bucket",
	Doc:      "leaky bucket as a queue: a steady pace, and the time until each one's turn",
	Decide:   decideLeakyBucket,
	SetBack:  setBackBucket,
	Describe: describeLeakyBucket,
}

// LeakyBucketLimit is a queue in which capacity units (0 … MaxUnits) wait behind
// the one that is served, at rate millionths of a unit a second.
func LeakyBucketLimit(capacity int64, rate Micros) (Limit, error) {
	if err := firstError(
		within("capacity", capacity, 0, MaxUnits),
		rate.within("leak_per_second"),
	); err != nil {
		return Limit{}, err
	}
	return fills("capacity", Limit{Max: uint64(capacity) + 1, Rate: rate.rate()})
}

func decideLeakyBucket(s State, r *Request) (after State, d Decision) {
	ahead := bucket{bucketAt(&s, r.Now).drops, r.Limit.Rate.Units}
	pour(KindLeakyBucket, &s, r, 0, &after, &d)
	if turn := ahead.over(wide{}); turn > 0 && !d.Limited && r.Cost >= 0 {
		d.RetryAfter = turn
	}
	return after, d
}
