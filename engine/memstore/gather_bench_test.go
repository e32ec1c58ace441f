package memstore

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"sluice/engine"
)

// BenchmarkGather is what random keys out of many cost, processor time a call, while
// each gathers leases or units and gives none back: records grow, and move.
func BenchmarkGather(b *testing.B) {
	const keys, calls, together = 1_000_000, 4_000_000, engine.MaxTogether
	tokens := holders(1 << 16)
	for _, kind := range []string{"gcra", "log", "leases"} {
		b.Run(kind, func(b *testing.B) {
			for range b.N {
				s := New()
				t := &batch{b: b, among: keys, call: *callOf(b, engine.SlidingLog, nil, 1), do: (*batch).take}
				t.call.Limit = must[engine.Limit](b)(engine.LogLimit(100, 86_400_000))
				t.lease = engine.LeaseCall{Limit: 100, Lease: 24 * time.Hour}
				made := 0
				switch kind {
				case "gcra":
					t.call = *callOf(b, engine.GCRA, nil, 1)
				case "leases":
					t.do = func(t *batch, s engine.Store, i int) {
						t.lease.Token = tokens[made%len(tokens)]
						made++
						t.acquire(s, i)
					}
				}
				t.fill(s, keys, 1)
				t.keys = make([]engine.Key, together)
				for i := range t.keys {
					t.keys[i].Name = make([]byte, 0, 24)
				}
				next, run := rand.New(rand.NewPCG(1, 2)), func(inner engine.Store) {
					for i := range t.keys {
						t.do(t, inner, i)
					}
				}
				before := processorTime()
				for range calls / together {
					for i := range t.keys {
						t.keys[i].Name = digits(t.keys[i].Name[:0], next.IntN(keys))
					}
					s.Together(t.keys, run)
				}
				b.ReportMetric(float64(processorTime()-before)/calls, "cpu-ns/call")
				b.ReportMetric(float64(s.Usage().Bytes)/keys, "bytes/key")
				s.Close()
			}
		})
	}
}

func processorTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
