package engine

import "time"

// DecideAll decides several calls as one, and says whether all are granted; if one
// is refused, nothing is taken from any. before is the state of each call's key. It
// fills decisions and, if all are granted, after with the states that the keys are
// in then. A call that would have been granted, but for another, is answered as a look.
func DecideAll(calls []Call, before, after []State, decisions []Decision) (granted bool) {
	granted = true
	for i := range calls {
		c := &calls[i]
		after[i], decisions[i] = c.Algorithm.Decide(before[i], &c.Request)
		if c.Cost == 0 {
			// Among others a look refuses when one unit would be refused, also where
			// a look alone is more lenient (GCRA).
			d := c.ofCost(1, before[i])
			decisions[i].Limited, decisions[i].RetryAfter = d.Limited, d.RetryAfter
		}
		granted = granted && !decisions[i].Limited
	}
	if granted {
		return true
	}
	for i := range calls {
		if !decisions[i].Limited {
			decisions[i] = calls[i].ofCost(0, before[i])
		}
	}
	return false
}

// ofCost is the decision if the call had another cost. (A copy of the request would
// be allocated.) The call stays as it is, also if that panics: it may be made again.
func (c *Call) ofCost(cost int64, before State) Decision {
	own := c.Cost
	defer func() { c.Cost = own }()
	c.Cost = cost
	_, d := c.Algorithm.Decide(before, &c.Request)
	return d
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
