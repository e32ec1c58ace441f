package commands

import "sluice/engine"

// The commands that count in windows all read limit window [cost].

func parseFixedWindow(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.FixedWindow
	if err := parseWindowLimit(args, call, engine.ParseCalendarWindow, engine.WindowLimit); err != errDuration {
		return err
	}
	return errFixedWindow
}

func parseSlidingWindow(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.SlidingWindow
	return parseWindowLimit(args, call, engine.ParseWindow, engine.WindowLimit)
}

func parseSlidingLog(args [][]byte, call *engine.Call) error {
	call.Algorithm = engine.SlidingLog
	return parseWindowLimit(args, call, engine.ParseWindow, engine.LogLimit)
}

func parseWindowLimit(
	args [][]byte, call *engine.Call,
	parse func([]byte) (engine.Window, bool),
	limitOf func(int64, engine.Window) (engine.Limit, error),
) error {
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
	call.Limit, err = limitOf(limit, window)
	return err
}
