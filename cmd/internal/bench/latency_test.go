package bench

import (
	"testing"
	"time"
)

// TestLatency records 1 to 10000 µs, one each: the percentiles are known.
func TestLatency(t *testing.T) {
	h := newHistogram()
	for i := range int64(10_000) {
		record(h, (i+1)*1000, 1)
	}
	l := summarize(h)
	for what, values := range map[string][2]float64{
		"mean": {l.Mean, 5000.5}, "p50": {l.P50, 5000}, "p90": {l.P90, 9000}, "p99": {l.P99, 9900}, "p99.9": {l.P999, 9990}, "max": {l.Max, 10_000},
	} {
		if got, want := values[0], values[1]; got < want*0.998 || got > want*1.002 {
			t.Errorf("%s is %v, want %v to three digits", what, got, want)
		}
	}
}

func TestLatencyBounds(t *testing.T) {
	h := newHistogram()
	record(h, -5, 1)
	record(h, int64(time.Hour), 2)
	if l := summarize(h); h.TotalCount() != 3 || l.P50 < 59e6 || l.Max > 61e6 {
		t.Errorf("%d recorded: %+v", h.TotalCount(), l)
	}
	if l := summarize(newHistogram()); l != (Latency{}) {
		t.Errorf("of nothing: %+v", l)
	}
}

// TestLatencyMerged: the percentiles of two loops together are not the mean of theirs.
func TestLatencyMerged(t *testing.T) {
	a, b := newHistogram(), newHistogram()
	record(a, 1000_000, 99)
	record(b, 9000_000, 1)
	a.Merge(b)
	l := summarize(a)
	near(t, "p99", l.P99, 1000)
	near(t, "p99.9", l.P999, 9000)
}
