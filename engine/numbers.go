package engine

import (
	"fmt"
	"strconv"
	"time"
)

// A RangeError says which number is out of which bounds, in the words of the
// wire contract.
type RangeError struct{ Name, Low, High string }

func (e RangeError) Error() string {
	return fmt.Sprintf("%s must be between %s and %s", e.Name, e.Low, e.High)
}

// A FillError says that a limit would need more than MaxFill from used up to
// untouched.
type FillError struct{ Name string }

func (e FillError) Error() string {
	return e.Name + " would take more than 100 years to come back at this rate"
}

func within(name string, n, low, high int64) error {
	if n < low || n > high {
		return RangeError{name, strconv.FormatInt(low, 10), strconv.FormatInt(high, 10)}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fills is the limit, or an error if filling it takes longer than MaxFill.
func fills(name string, l Limit) (Limit, error) {
	if mul(l.Max, l.Rate.Per).more(mul(uint64(MaxFill), l.Rate.Units)) {
		return Limit{}, FillError{name}
	}
	return l, nil
}

// Micros is a rate in millionths of a unit a second.
type Micros int64

func (m Micros) within(name string) error {
	if m < 1 || m > MaxRate*1_000_000 {
		return RangeError{name, "0.000001", "1000000000"}
	}
	return nil
}

func (m Micros) rate() Rate { return Rate{Units: uint64(m), Per: dropsPerUnit} }

// ParseMicros reads a plain decimal with at most six places, 0 or more. It says
// false for anything else, a number too large for Micros among it.
func ParseMicros(text []byte) (Micros, bool) {
	n, ok := parseDecimal(text, 6)
	return Micros(n), ok
}

// ParseSeconds reads a plain decimal of seconds with at most nine places.
func ParseSeconds(text []byte) (time.Duration, bool) {
	n, ok := parseDecimal(text, 9)
	return time.Duration(n), ok
}

// parseDecimal reads digits with at most one point in them, as a multiple of
// 10^-places.
func parseDecimal(text []byte, places int) (int64, bool) {
	var n uint64
	digits, point := 0, -1
	for _, c := range text {
		if c == '.' && point < 0 {
			point = 0
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		if point >= 0 {
			point++
		}
		digit := uint64(c - '0')
		if n > (1<<63-1-digit)/10 || point > places {
			return 0, false
		}
		n = n*10 + digit
		digits++
	}
	for i := max(point, 0); i < places; i++ {
		if n > (1<<63-1)/10 {
			return 0, false
		}
		n *= 10
	}
	// A point needs a digit on both sides, as Redis's own floats are written.
	whole := digits - max(point, 0)
	return int64(n), whole > 0 && point != 0
}

// ParseWindow reads the length of a window: a decimal of seconds, or one with the
// suffix ms, s, m, h or d, that is whole milliseconds. It says false for anything
// else; bounds are the caller's to check, by WithinWindow.
func ParseWindow(text []byte) (Window, bool) {
	digits := len(text)
	for digits > 0 && text[digits-1] >= 'a' {
		digits--
	}
	scale := scaleOf(text[digits:])
	millionths, ok := parseDecimal(text[:digits], 6)
	if scale == 0 || !ok {
		return 0, false
	}
	ms, rem := mul(uint64(millionths), scale).div(1_000_000)
	return Window(saturate(ms)), rem == 0
}

// scaleOf is the milliseconds that a suffix stands for, 0 if it is none.
func scaleOf(suffix []byte) uint64 {
	switch string(suffix) {
	case "ms":
		return 1
	case "", "s":
		return 1000
	case "m":
		return 60_000
	case "h":
		return 3_600_000
	case "d":
		return 86_400_000
	}
	return 0
}

// ParseCalendarWindow reads what ParseWindow reads, and day, week, month, year in
// any case.
func ParseCalendarWindow(text []byte) (Window, bool) {
	var word [len("month")]byte // in small letters
	if len(text) <= len(word) {
		for i, c := range text {
			word[i] = c | 0x20
		}
		switch string(word[:len(text)]) {
		case "day":
			return Day, true
		case "week":
			return Week, true
		case "month":
			return Month, true
		case "year":
			return Year, true
		}
	}
	return ParseWindow(text)
}

// WithinWindow is an error unless 1 ms ≤ w ≤ MaxWindow or w is a calendar window.
func WithinWindow(name string, w Window) error {
	if Year <= w && w < 0 {
		return nil
	}
	return withinLength(name, w)
}

// withinLength is an error unless 1 ms ≤ w ≤ MaxWindow.
func withinLength(name string, w Window) error {
	if w < 1 || w > Window(MaxWindow/time.Millisecond) {
		return RangeError{name, "1ms", "366d"}
	}
	return nil
}
