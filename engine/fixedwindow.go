package engine

import "time"

// FixedWindow counts in windows that lie on the clock: a count that starts again
// at each whole minute, hour, month. Up to twice the limit can pass around an
// edge; SlidingWindow is the one that does not allow it.
//
// Words: [0] the Window, [1] the count. The deadline is the window's end.
var FixedWindow = &Algorithm{
	Kind:     KindFixedWindow,
	Name:     "fixed-window",
	Doc:      "fixed window: a count that starts again with each window of the clock",
	Decide:   decideFixedWindow,
	SetBack:  setBackFixedWindow,
	Describe: describeFixedWindow,
}

// WindowLimit is limit units (1 … MaxUnits) a window, for the fixed and the
// sliding window.
func WindowLimit(limit int64, w Window) (Limit, error) {
	if err := firstError(
		within("limit", limit, 1, MaxUnits),
		WithinWindow("window", w),
	); err != nil {
		return Limit{}, err
	}
	return Limit{Max: uint64(limit), Window: w}, nil
}

func decideFixedWindow(s State, r *Request) (State, Decision) {
	window := r.Limit.Window.at(r.Now)
	count := uint64(0)
	// A window that ends later is this one on a clock that was set back.
	if Window(s.Words[0]) == r.Limit.Window && s.Deadline >= window.end {
		count = s.Words[1]
	}
	end := time.Duration(window.end - r.Now)
	d := Decision{RetryAfter: Never}
	if cost := max(r.Cost, 1); r.Cost >= 0 && count+uint64(cost) > r.Limit.Max {
		d.Limited = true
		if uint64(cost) <= r.Limit.Max {
			d.RetryAfter = end
		}
	} else if r.Cost != 0 {
		count = give(count+clampUnits(r.Cost), clampUnits(-r.Cost))
		s = fixedWindowState(r.Limit.Window, window, count)
	}
	d.Remaining = give(r.Limit.Max, count)
	if count > 0 {
		d.ResetAfter = end
	}
	return s, d
}

func fixedWindowState(w Window, window span, count uint64) State {
	if count == 0 {
		return State{}
	}
	return State{Kind: KindFixedWindow, Deadline: window.end, Words: [3]uint64{uint64(w), count}}
}

// setBackFixedWindow counts on in the window that it is now.
func setBackFixedWindow(s State, _, to Instant) State {
	s.Deadline = Window(s.Words[0]).at(to).end
	return s
}
