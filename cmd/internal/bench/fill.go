package bench

import (
	"context"
	"math"
	"time"
)

// budget is how many calls a load may send.
func (l Load) budget() int64 {
	if l.Spread == each {
		return int64(l.Keys)
	}
	return math.MaxInt64
}

// Fill calls once with every key of a load, so that what is measured afterwards finds
// a server that has them all.
func Fill(ctx context.Context, l Load) (Result, error) {
	l.Spread, l.Threads, l.Rate, l.Warmup, l.Duration = each, 1, 0, 0, time.Hour
	l.Depth = max(l.Depth, 64)
	return Run(ctx, l)
}
