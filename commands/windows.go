package commands

import "sluice/engine"

// parseFixedWindow reads limit window [cost].
func parseFixedWindow(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.FixedWindow
	return parseWindowLimit(args, call, engine.ParseCalendarWindow)
}

// parseSlidingWindow reads limit window [cost].
func parseSlidingWindow(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.SlidingWindow
	return parseWindowLimit(args, call, engine.ParseWindow)
}

func parseWindowLimit(args [][]byte, call *engine.Call, parse func([]byte) (engine.Window, bool)) error {
	limit, err := parseInt(args[0])
	if err != nil {
		return err
	}
	window, ok := parse(args[1])
	if !ok {
		return errDuration
	}
	if call.Cost, err = parseCost(args[2:], "cost"); err != nil {
		return err
	}
	call.Limit, err = engine.WindowLimit(limit, window)
	return err
}
