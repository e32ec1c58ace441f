package commands

import "sluice/engine"

// parseGCRA reads max_burst tokens_per_period period [TOKENS count].
func parseGCRA(args [][]byte, call *engine.Call) error {
	burst, err := parseInt(args[0])
	if err != nil {
		return err
	}
	count, err := parseIntIn(args[1], "tokens_per_period", 1, engine.MaxUnits)
	if err != nil {
		return err
	}
	period, ok := engine.ParseSeconds(args[2])
	if !ok {
		return errFloat
	}
	call.Cost = 1
	if rest := args[3:]; len(rest) > 0 {
		if len(rest) != 2 || !is(rest[0], "TOKENS") {
			return errSyntax
		}
		if call.Cost, err = parseIntIn(rest[1], "count", 1, engine.MaxUnits); err != nil {
			return err
		}
	}
	call.Algorithm = engine.GCRA
	call.Limit, err = engine.GCRALimit(burst, count, period)
	return err
}
