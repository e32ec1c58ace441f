package engine

import "time"

// DecideAll decides several calls as one: all are granted, or nothing is taken
// from any. before is the state of each call's key. If one is refused, the states
// that come back are those before, and a call that would have been granted is
// answered as a look.
func DecideAll(before []State, calls []Call) (after []State, decisions []Decision) {
	after, decisions = make([]State, len(calls)), make([]Decision, len(calls))
	limited := false
	for i := range calls {
		after[i], decisions[i] = calls[i].Algorithm.Decide(before[i], &calls[i].Request)
		if calls[i].Cost == 0 {
			// Among others a look refuses when one unit would be refused, also where
			// a look alone is more lenient (GCRA).
			one := calls[i].Request
			one.Cost = 1
			_, d := calls[i].Algorithm.Decide(before[i], &one)
			decisions[i].Limited, decisions[i].RetryAfter = d.Limited, d.RetryAfter
		}
		limited = limited || decisions[i].Limited
	}
	if !limited {
		return after, decisions
	}
	for i := range calls {
		if !decisions[i].Limited {
			look := calls[i].Request
			look.Cost = 0
			_, decisions[i] = calls[i].Algorithm.Decide(before[i], &look)
		}
	}
	return before, decisions
}

// Deciding is which of several decisions decides for all: the refusal with the
// longest wait, one that is never granted before all others, the first of equals;
// -1 if none is a refusal. wait is that wait, or, if all are granted, the longest
// wait ahead, or Never.
func Deciding(calls []Call, decisions []Decision) (deciding int, wait time.Duration) {
	deciding, wait = -1, Never
	for i, d := range decisions {
		switch {
		case !d.Limited:
		case calls[i].Cost < 0: // a look at what is used up: giving back is never refused
		case deciding < 0, wait != Never && (d.RetryAfter == Never || d.RetryAfter > wait):
			deciding, wait = i, d.RetryAfter
		}
	}
	if deciding >= 0 {
		return deciding, wait
	}
	for _, d := range decisions {
		wait = max(wait, d.RetryAfter)
	}
	return -1, wait
}
