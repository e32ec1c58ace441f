package engine

import (
	"testing"

	"pgregory.net/rapid"
)

func TestWindows(t *testing.T) {
	for _, tt := range []struct{ window, now, start, end string }{
		{"60", "2024-01-01T00:00:59.999999999Z", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00Z"},
		{"60", "2024-01-01T00:01:00Z", "2024-01-01T00:01:00Z", "2024-01-01T00:02:00Z"},
		{"7d", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-08T00:00:00Z"},  // no calendar's week
		{"day", "2024-03-31T02:30:00Z", "2024-03-31T00:00:00Z", "2024-04-01T00:00:00Z"}, // clocks change elsewhere
		{"week", "1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z", "1970-01-05T00:00:00Z"},
		{"week", "2021-01-03T23:59:59Z", "2020-12-28T00:00:00Z", "2021-01-04T00:00:00Z"}, // week 53
		{"week", "2024-12-30T00:00:00Z", "2024-12-30T00:00:00Z", "2025-01-06T00:00:00Z"}, // week 1 of 2025
		{"month", "2023-02-28T23:59:59Z", "2023-02-01T00:00:00Z", "2023-03-01T00:00:00Z"},
		{"month", "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"month", "2100-02-28T23:59:59Z", "2100-02-01T00:00:00Z", "2100-03-01T00:00:00Z"}, // no leap year
		{"month", "2024-12-31T23:59:59Z", "2024-12-01T00:00:00Z", "2025-01-01T00:00:00Z"},
		{"year", "2000-02-29T00:00:00Z", "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z"},
		{"year", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z"},
		{"year", "2112-08-07T08:00:00Z", "2112-01-01T00:00:00Z", "2113-01-01T00:00:00Z"}, // MaxInstant
	} {
		t.Run(tt.window+"_"+tt.now, func(t *testing.T) {
			w, ok := ParseCalendarWindow([]byte(tt.window))
			got, want := w.at(instant(t, tt.now)), span{instant(t, tt.start), instant(t, tt.end)}
			if !ok || got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if instant(t, "2112-08-07T08:00:00Z") != MaxInstant {
		t.Error("the last row is not at MaxInstant")
	}
}

// Windows hold their instants and follow each other without a gap, where the
// calendar, counted in days without the time package, says.
func TestWindowsFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapidDice{t}
		w, now := windowLimits(d, 1).Window, Instant(d.between(0, int64(MaxInstant)))
		got := w.at(now)
		if start, end := windowOf(w, int64(now)); got != (span{Instant(start), Instant(end)}) {
			t.Fatalf("%d at %d: %v, want %d to %d", w, now, got, start, end)
		}
		if next := w.at(got.end); now < got.start || now >= got.end || next.start != got.end {
			t.Fatalf("%d at %d: %v, then %v", w, now, got, next)
		}
	})
}
