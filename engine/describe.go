package engine

import (
	"strconv"
	"strings"
)

// A Field is a fact about a state: a name with a number, or with a text if it has one.
type Field struct {
	Name   string
	Number int64
	Text   string
}

// Describe tells a state that is not over in words, beyond kind and deadline.
func Describe(s State, now Instant) []Field {
	if s.Kind == KindConcurrency {
		return []Field{{Name: "leases", Number: int64(s.Words[0])}}
	}
	return s.Kind.Algorithm().Describe(s, now)
}

func describeGCRA(s State, _ Instant) []Field {
	return []Field{{Name: "arrival_unix_ms", Number: milliseconds(s.Deadline)}}
}

func describeTokenBucket(s State, now Instant) []Field {
	return []Field{
		{Name: "missing_tokens", Text: bucketAt(&s, now).decimal()},
		{Name: "refill_per_second", Text: millionths(s.Words[1])},
	}
}

func describeLeakyBucket(s State, now Instant) []Field {
	return []Field{
		{Name: "queued", Text: bucketAt(&s, now).decimal()},
		{Name: "leak_per_second", Text: millionths(s.Words[1])},
	}
}

func describeFixedWindow(s State, _ Instant) []Field {
	return []Field{
		{Name: "window", Text: Window(s.Words[0]).String()},
		{Name: "count", Number: int64(s.Words[1])},
		{Name: "window_end_unix_ms", Number: milliseconds(s.Deadline)},
	}
}

func describeSlidingWindow(s State, now Instant) []Field {
	size := Window(s.Words[0])
	var w sliding
	w.read(&s, size, now)
	return []Field{
		{Name: "window", Text: size.String()},
		{Name: "current", Number: int64(w.current)},
		{Name: "previous", Number: int64(w.previous)},
		{Name: "estimate", Number: int64(w.estimate())},
	}
}

func describeSlidingLog(s State, now Instant) []Field {
	window := Window(s.Words[0])
	e := entriesAt(&s, &Request{Limit: Limit{Window: window}, Now: now})
	return []Field{
		{Name: "window", Text: window.String()},
		{Name: "entries", Number: int64(e.count())},
	}
}

func milliseconds(i Instant) int64 { return int64((i + millisecond - 1) / millisecond) }

// millionths is a number of millionths as it is written in a call.
func millionths(n uint64) string {
	text := strconv.FormatUint(n/1_000_000, 10)
	if part := n % 1_000_000; part > 0 {
		text += "." + strings.TrimRight(strconv.FormatUint(1_000_000+part, 10)[1:], "0")
	}
	return text
}

// decimal is what is in the bucket in units, rounded up to the sixth place.
func (b bucket) decimal() string { return millionths(b.drops.ceil(dropsPerUnit / 1_000_000)) }

// String is the window as it is written in a call.
func (w Window) String() string {
	switch w {
	case Week:
		return "week"
	case Month:
		return "month"
	case Year:
		return "year"
	}
	return strconv.FormatInt(int64(w), 10) + "ms"
}
