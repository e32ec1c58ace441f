package commands

import (
	"time"

	"sluice/engine"
)

// parseTokenBucket reads capacity refill_per_second [cost] [MAXWAIT ms].
func parseTokenBucket(args [][]byte, call *engine.Call) error {
	capacity, err := parseInt(args[0])
	if err != nil {
		return err
	}
	rate, err := parseRate(args[1])
	if err != nil {
		return err
	}
	rest := args[2:]
	if n := len(rest); n >= 2 && is(rest[n-2], "MAXWAIT") {
		wait, err := parseIntIn(rest[n-1], "MAXWAIT", 0, int64(engine.MaxWindow/time.Millisecond))
		if err != nil {
			return err
		}
		call.MaxWait = time.Duration(wait) * time.Millisecond
		rest = rest[:n-2]
	}
	if call.Cost, err = parseCost(rest, "cost"); err != nil {
		return err
	}
	call.Algorithm = engine.TokenBucket
	call.Limit, err = engine.TokenBucketLimit(capacity, rate)
	return err
}
