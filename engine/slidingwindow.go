package engine

import "time"

// SlidingWindow is the sliding window counter: the count of the clock's current
// window and of the one before it, which counts for less the longer ago it was.
//
//	estimate = current + previous·(window − elapsed)/window
//
// Words: [0] the Window, [1] current, [2] previous. The deadline is where the
// last of them stops counting: the end of the next window if current is more
// than 0, else the end of this one. It also tells which window is the current.
var SlidingWindow = &Algorithm{
	Kind:     KindSlidingWindow,
	Name:     "sliding-window",
	Doc:      "sliding window counter: two counts, the older one fading",
	Decide:   decideSlidingWindow,
	SetBack:  setBackSlidingWindow,
	Describe: describeSlidingWindow,
}

// sliding is the state of a sliding window seen from one instant.
type sliding struct {
	window            span
	left              uint64 // nanoseconds of the window still to come, at least 1
	current, previous uint64
}

func decideSlidingWindow(s State, r *Request) (after State, d Decision) {
	var w sliding
	w.read(&s, r.Limit.Window, r.Now)
	d.RetryAfter = Never
	if r.Cost >= 0 {
		cost := uint64(max(r.Cost, 1))
		d.Limited = w.estimate()+cost > r.Limit.Max
		if d.Limited && cost <= r.Limit.Max {
			d.RetryAfter = w.until(r.Limit.Max-cost, r.Limit.Window)
		}
	}
	changes := !d.Limited && r.Cost != 0
	if changes {
		w.add(r.Cost)
	}
	w.into(&after, r.Limit.Window)
	d.Remaining = give(r.Limit.Max, w.estimate())
	d.ResetAfter = after.left(r.Now)
	if !changes {
		return s, d
	}
	return after, d
}

// setBackSlidingWindow keeps the counts for the window that it is now. In an
// earlier one than theirs the previous count might have faded already, so what
// counted when the clock was set counts as taken then.
func setBackSlidingWindow(s State, from, to Instant) (after State) {
	size := Window(s.Words[0])
	var w sliding
	w.read(&s, size, from)
	if now := size.at(to); now != w.window {
		w.window, w.current, w.previous = now, w.estimate(), 0
	}
	w.into(&after, size)
	return after
}

// read makes a zero sliding what the state is at now.
func (w *sliding) read(s *State, size Window, now Instant) {
	w.window = size.at(now)
	w.left = uint64(w.window.end - now)
	current, previous := s.Words[1], s.Words[2]
	switch {
	case Window(s.Words[0]) != size || s.Deadline <= now:
		// untouched, or of another length: starts afresh
	case current > 0 && s.Deadline == w.window.end:
		w.previous = current // a window has passed since
	default: // this window, or a later one on a clock that was set back
		w.current, w.previous = current, previous
	}
}

// estimate is what counts now, rounded up.
func (w *sliding) estimate() uint64 {
	if w.previous == 0 {
		return w.current
	}
	return w.current + mul(w.previous, w.left).ceil(w.window.length())
}

// until is the time until the estimate is at most room, if nothing is added.
func (w *sliding) until(room uint64, size Window) time.Duration {
	if room >= w.current {
		return time.Duration(w.left - fade(w.previous, room-w.current, w.window.length()))
	}
	// Only in the next window, when the current count is the one that fades.
	next := size.behind(w.window).length()
	return time.Duration(w.left + next - fade(w.current, room, next))
}

// fade is the longest time before the end of a window at which count, fading
// over that window's length, still counts for no more than room < count.
func fade(count, room, length uint64) uint64 {
	still, _ := mul(room, length).div(count)
	return still
}

// add counts a cost; one below zero takes from the current window first.
func (w *sliding) add(cost int64) {
	if cost > 0 {
		w.current += uint64(cost)
		return
	}
	back := uint64(-cost)
	w.previous = give(w.previous, give(back, w.current))
	w.current = give(w.current, back)
}

// into makes a zero state what w is.
func (w *sliding) into(s *State, size Window) {
	switch {
	case w.current > 0:
		s.Deadline = size.behind(w.window).end
	case w.previous > 0:
		s.Deadline = w.window.end
	default:
		return
	}
	s.Kind = KindSlidingWindow
	s.Words[0], s.Words[1], s.Words[2] = uint64(size), w.current, w.previous
}
