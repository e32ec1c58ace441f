package engine

import (
	"maps"
	"strings"
	"testing"
	"time"
)

const (
	ns = time.Nanosecond
	ms = time.Millisecond
	s  = time.Second
	h  = time.Hour
	d  = 24 * h
)

// An event is one call of a time line: what a client wrote, when, and its answer.
// An event before the one above it is a clock that was set back.
type event struct {
	at      time.Duration // after the time line's start
	numbers string        // as on the wire, with MAXWAIT behind
	cost    int64
	want    answer
}

// An answer is limited, remaining, retry_after, reset_after.
type answer struct {
	limited      bool
	remaining    uint64
	retry, reset time.Duration
}

const (
	ok = false
	no = true // refused
)

// A timeline is the life of one key.
type timeline struct {
	name   string
	start  string // a date; else the epoch
	events []event
}

func TestTimelines(t *testing.T) {
	all := maps.Clone(flowTimelines)
	maps.Copy(all, countTimelines)
	for _, a := range Algorithms {
		if len(all[a.Name]) == 0 {
			t.Errorf("%s has no time line", a.Name)
		}
		for _, line := range all[a.Name] {
			t.Run(a.Name+"/"+strings.ReplaceAll(line.name, " ", "_"), func(t *testing.T) { line.play(t, a) })
		}
	}
}

func (l timeline) play(t *testing.T, a *Algorithm) {
	start := Instant(0)
	if l.start != "" {
		start = instant(t, l.start)
	}
	var state State
	var now Instant
	for _, e := range l.events {
		at := start + Instant(e.at)
		if at < now && state.At(now).Kind != 0 {
			state = a.SetBack(state, now, at)
		}
		now = at
		r := Request{Cost: e.cost, Now: now}
		numbers, wait, _ := strings.Cut(e.numbers, " MAXWAIT ")
		r.Limit = numbersOf(t, a.Kind, numbers)
		if wait != "" {
			r.MaxWait, _ = time.ParseDuration(wait)
		}
		after, is := a.Decide(state.At(now), &r)
		state = after
		if got := (answer{is.Limited, is.Remaining, is.RetryAfter, is.ResetAfter}); got != e.want {
			t.Errorf("at %v, %q cost %d:\n got %v\nwant %v", e.at, e.numbers, e.cost, got, e.want)
		}
	}
}

func instant(t testing.TB, date string) Instant {
	at, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		t.Fatal(err)
	}
	return Instant(at.UnixNano())
}

// numbersOf makes a limit of what a client writes.
func numbersOf(t testing.TB, k Kind, text string) Limit {
	words := strings.Fields(text)
	n := func(i int) int64 {
		v, ok := parseDecimal([]byte(words[i]), 0)
		if !ok {
			t.Fatalf("%q: bad number", text)
		}
		return v
	}
	window, _ := ParseCalendarWindow([]byte(words[1]))
	rate, _ := ParseMicros([]byte(words[1]))
	var l Limit
	var err error
	switch k {
	case KindGCRA:
		period, _ := ParseSeconds([]byte(words[2]))
		l, err = GCRALimit(n(0), n(1), period)
	case KindTokenBucket:
		l, err = TokenBucketLimit(n(0), rate)
	case KindLeakyBucket:
		l, err = LeakyBucketLimit(n(0), rate)
	case KindSlidingLog:
		l, err = LogLimit(n(0), window)
	case KindFixedWindow, KindSlidingWindow:
		l, err = WindowLimit(n(0), window)
	}
	if err != nil || l.Max == 0 {
		t.Fatalf("%q: no limit: %v", text, err)
	}
	return l
}
