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

func decideFixedWindow(s State, r *Request) (after State, d Decision) {
	window := r.Limit.Window.at(r.Now)
	count := uint64(0)
	// A window that ends later is this one on a clock that was set back.
	if Window(s.Words[0]) == r.Limit.Window && s.Deadline >= window.end {
		count = s.Words[1]
	}
	end := time.Duration(window.end - r.Now)
	d.RetryAfter = Never
	changes := false
	if cost := max(r.Cost, 1); r.Cost >= 0 && count+uint64(cost) > r.Limit.Max {
		d.Limited = true
		if uint64(cost) <= r.Limit.Max {
			d.RetryAfter = end
		}
	} else if changes = r.Cost != 0; changes {
		count = give(count+clampUnits(r.Cost), clampUnits(-r.Cost))
	}
	d.Remaining = give(r.Limit.Max, count)
	if count > 0 {
		d.ResetAfter = end
	}
	if !changes {
		return s, d
	}
	if count > 0 {
		after.Kind, after.Deadline = KindFixedWindow, window.end
		after.Words[0], after.Words[1] = uint64(r.Limit.Window), count
	}
	return after, d
}

// setBackFixedWindow counts on in the window that it is now.
func setBackFixedWindow(s State, _, to Instant) State {
	s.Deadline = Window(s.Words[0]).at(to).end
	return s
}
