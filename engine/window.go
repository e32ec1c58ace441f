package engine

import "time"

// A Window is the length of a window in whole milliseconds (1 ms … MaxWindow),
// or a calendar window below zero. Windows lie on the clock: one of 60 s starts
// on each whole minute of Unix time, a calendar window with its day in UTC.
type Window int64

// The calendar windows whose days are not all alike. A calendar day is simply
// 24 hours of Unix time.
const (
	Day   Window = 86_400_000
	Week  Window = -1 // ISO: from Monday
	Month Window = -2
	Year  Window = -3
)

const millisecond = Instant(time.Millisecond)

// length is how long a window lasts that is not of the calendar.
func (w Window) length() Instant { return Instant(w) * millisecond }

// A span is one window on the clock: from start until before end.
type span struct{ start, end Instant }

func (s span) length() uint64 { return uint64(s.end - s.start) }

// at is the window that holds now.
func (w Window) at(now Instant) span {
	if w > 0 {
		n := w.length()
		start := now - now%n
		return span{start, start + n}
	}
	t := time.Unix(0, int64(now)).UTC()
	switch w {
	case Week:
		monday := date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())+6)%7)
		return span{monday, monday + 7*Day.length()}
	case Month:
		return span{date(t.Year(), t.Month(), 1), date(t.Year(), t.Month()+1, 1)}
	case Year:
		return span{date(t.Year(), 1, 1), date(t.Year()+1, 1, 1)}
	}
	panic("engine: a window that no constructor makes")
}

// behind is the window after one.
func (w Window) behind(s span) span {
	if w > 0 {
		return span{s.end, s.end + w.length()}
	}
	return w.at(s.end)
}

func date(year int, month time.Month, day int) Instant {
	return Instant(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixNano())
}
