package engine

import (
	"math/big"
	"slices"
)

// windowModel is either window: how much each window of the clock counted.
// "A window whose length changes starts afresh."
type windowModel struct {
	sliding bool
	window  Window
	counts  map[int64]int64 // by the window's start in nanoseconds
}

func (m *windowModel) decide(at *big.Rat, r *Request) verdict {
	now := at.Num().Int64()
	start, end := windowOf(r.Limit.Window, now)
	before, _ := windowOf(r.Limit.Window, start-1)
	_, next := windowOf(r.Limit.Window, end)
	seen := m
	if m.counts == nil || m.window != r.Limit.Window {
		seen = &windowModel{sliding: m.sliding, window: r.Limit.Window, counts: map[int64]int64{}}
	}
	limit := int64(r.Limit.Max)
	v := verdict{}
	if cost := max(1, r.Cost); r.Cost >= 0 && less(ratio(limit-cost), seen.estimate(before, start, end, now)) {
		if v.limited = true; cost <= limit {
			v.retry = seen.until(limit-cost, before, start, end, next, now)
		}
	} else if r.Cost != 0 {
		seen.add(r.Cost, before, start)
		*m = *seen
	}
	v.remaining = minus(ratio(limit), seen.estimate(before, start, end, now))
	v.resetting = new(big.Rat)
	switch {
	case seen.sliding && seen.counts[start] > 0:
		v.resetting = ratio(next - now)
	case seen.counts[start] > 0 || seen.sliding && seen.counts[before] > 0:
		v.resetting = ratio(end - now)
	}
	return v
}

// estimate: "current + previous · (window − elapsed)/window".
func (m *windowModel) estimate(before, start, end, at int64) *big.Rat {
	current := ratio(m.counts[start])
	if !m.sliding {
		return current
	}
	return plus(current, times(ratio(m.counts[before]), big.NewRat(end-at, end-start)))
}

// until is the time until no more than room counts: in this window by the fading
// of the one before, else in the next by the fading of this one.
func (m *windowModel) until(room, before, start, end, next, now int64) *big.Rat {
	if !m.sliding {
		return ratio(end - now)
	}
	if left := room - m.counts[start]; left >= 0 {
		// previous·(end−at)/length = left
		at := over(times(ratio(left), ratio(end-start)), ratio(m.counts[before]))
		return minus(ratio(end-now), at)
	}
	at := over(times(ratio(room), ratio(next-end)), ratio(m.counts[start]))
	return minus(ratio(next-now), at)
}

// add counts. "A refund takes from the current window first, then from the
// previous one."
func (m *windowModel) add(cost, before, start int64) {
	m.counts = map[int64]int64{before: m.counts[before], start: m.counts[start] + cost}
	if debt := -m.counts[start]; debt > 0 {
		m.counts[start], m.counts[before] = 0, max(0, m.counts[before]-debt)
	}
}

// logModel: "Counts the entries in (now − window, now]. A cost of n adds n
// entries. A refund removes the newest. Granted if entries + cost ≤ limit."
type logModel struct {
	window  Window
	entries []batch // in order of time
}

// A batch is entries of one instant.
type batch struct{ at, n int64 }

func (m *logModel) decide(at *big.Rat, r *Request) verdict {
	now, length, limit := at.Num().Int64(), int64(r.Limit.Window)*1_000_000, int64(r.Limit.Max)
	var counting []batch
	used := int64(0)
	for _, b := range m.entries {
		if m.window == r.Limit.Window && b.at > now-length {
			counting, used = append(counting, b), used+b.n
		}
	}
	v := verdict{resetting: new(big.Rat)}
	cost := max(1, r.Cost)
	switch {
	case r.Cost < 0:
		counting = without(counting, min(used, -r.Cost))
		used = max(0, used+r.Cost)
	case used+cost > limit && cost > limit:
		v.limited = true
	case used+cost > limit:
		// The last that must go is the newest when the limit-cost newer are gone.
		kept := without(counting, limit-cost)
		v.limited, v.retry = true, ratio(kept[len(kept)-1].at+length-now)
	case r.Cost > 0:
		counting, used = append(counting, batch{now, cost}), used+cost
	}
	if r.Cost != 0 && !v.limited {
		m.window, m.entries = r.Limit.Window, counting
	}
	v.remaining = ratio(limit - used)
	if n := len(counting); n > 0 {
		v.resetting = ratio(counting[n-1].at + length - now)
	}
	return v
}

// without is batches less their n newest entries.
func without(all []batch, n int64) []batch {
	all = slices.Clone(all)
	for last := len(all) - 1; n > 0; last-- {
		some := min(n, all[last].n)
		if n, all[last].n = n-some, all[last].n-some; all[last].n == 0 {
			all = all[:last]
		}
	}
	return all
}

// The lengths of the calendar, in days: no library's dates.
const day = int64(86_400_000_000_000)

var monthDays = [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func leap(year int64) int64 {
	if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		return 1
	}
	return 0
}

// windowOf is the start and the end of the window that holds an instant.
func windowOf(w Window, now int64) (start, end int64) {
	switch w {
	case Week: // 1970-01-01 was a Thursday: three days after a Monday
		return aligned(now, 7*day, -3*day)
	case Month, Year:
		return calendarWindow(w, now)
	}
	return aligned(now, int64(w)*1_000_000, 0)
}

// aligned is the window of a length, one of which starts at an instant.
func aligned(now, length, at int64) (start, end int64) {
	start = now - ((now-at)%length+length)%length
	return start, start + length
}

func calendarWindow(w Window, now int64) (start, end int64) {
	year := int64(1969) // the year before the first is the previous window's
	for start = -365 * day; ; year++ {
		end = start + (365+leap(year))*day
		if now < end {
			break
		}
		start = end
	}
	if w == Year {
		return start, end
	}
	for month, days := range monthDays {
		if month == 1 {
			days += leap(year)
		}
		if end = start + days*day; now < end {
			break
		}
		start = end
	}
	return start, end
}
