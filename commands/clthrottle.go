package commands

import (
	"time"

	"sluice/engine"
)

// maxPeriod is engine.MaxFill in seconds.
const maxPeriod = int64(engine.MaxFill / time.Second)

// parseThrottle reads max_burst count period [quantity].
func parseThrottle(args [][]byte, call *engine.Call) error {
	burst, err := parseInt(args[0])
	if err != nil {
		return err
	}
	count, err := parseInt(args[1])
	if err != nil {
		return err
	}
	period, err := parseIntIn(args[2], "period", 1, maxPeriod)
	if err != nil {
		return err
	}
	if call.Cost, err = parseCost(args[3:], "quantity"); err != nil {
		return err
	}
	call.Algorithm = engine.GCRA
	call.Limit, err = engine.GCRALimit(burst, count, time.Duration(period)*time.Second)
	return err
}
