package commands

import (
	"time"

	"sluice/engine"
)

// parseTokenBucket reads capacity refill_per_second [cost] [MAXWAIT ms].
func parseTokenBucket(args [][]byte, call *engine.Call) error {
	rest := args[2:]
	if n := len(rest); n >= 2 && is(rest[n-2], "MAXWAIT") {
		wait, err := parseIntIn(rest[n-1], "MAXWAIT", 0, int64(engine.MaxWindow/time.Millisecond))
		if err != nil {
			return err
		}
		call.MaxWait = time.Duration(wait) * time.Millisecond
		rest = rest[:n-2]
	}
	call.Algorithm = engine.TokenBucket
	return parseBucketLimit(args, rest, call, "refill_per_second", engine.TokenBucketLimit)
}

// parseLeakyBucket reads capacity leak_per_second [cost].
func parseLeakyBucket(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.LeakyBucket
	return parseBucketLimit(args, args[2:], call, "leak_per_second", engine.LeakyBucketLimit)
}

// parseBucketLimit reads the capacity and the rate that both begin with, and the
// cost that may be the rest.
func parseBucketLimit(
	args, rest [][]byte, call *engine.Call, rateName string,
	limitOf func(int64, engine.Micros) (engine.Limit, error),
) error {
	capacity, err := parseInt(args[0])
	if err != nil {
		return err
	}
	rate, err := parseRate(args[1], rateName)
	if err != nil {
		return err
	}
	if call.Cost, err = parseCost(rest, "cost"); err != nil {
		return err
	}
	call.Limit, err = limitOf(capacity, rate)
	return err
}
