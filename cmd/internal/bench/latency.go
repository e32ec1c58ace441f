package bench

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are kept from a microsecond to a minute, with three digits; a longer one
// counts as a minute.
const (
	shortest = int64(time.Microsecond)
	longest  = int64(time.Minute)
	digits   = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(shortest, longest, digits)
}

// record counts n calls that took a time in nanoseconds.
func record(h *hdrhistogram.Histogram, took, n int64) {
	if err := h.RecordValues(min(max(took, shortest), longest), n); err != nil {
		panic("bench: a latency within the histogram's bounds is refused: " + err.Error())
	}
}

// A Latency is what a histogram says, in microseconds.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

func summarize(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	at := func(percentile float64) float64 { return micros(h.ValueAtPercentile(percentile)) }
	return Latency{Mean: h.Mean() / 1000, P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: micros(h.Max())}
}

func micros(nanoseconds int64) float64 { return float64(nanoseconds) / 1000 }
