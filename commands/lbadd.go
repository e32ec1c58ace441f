package commands

import "sluice/engine"

// parseLeakyBucket reads capacity leak_per_second [cost].
func parseLeakyBucket(args [][]byte, call *engine.Call) error {
	capacity, err := parseInt(args[0])
	if err != nil {
		return err
	}
	rate, err := parseRate(args[1])
	if err != nil {
		return err
	}
	if call.Cost, err = parseCost(args[2:], "cost"); err != nil {
		return err
	}
	call.Algorithm = engine.LeakyBucket
	call.Limit, err = engine.LeakyBucketLimit(capacity, rate)
	return err
}
