package memstore

import (
	"slices"
	"testing"
	"time"

	"sluice/engine"
)

// BenchmarkGrow tells how long a call takes at worst while a store grows to -loadkeys
// keys: the tables of all its shards grow at about the same time, again and again.
func BenchmarkGrow(b *testing.B) {
	for range b.N {
		s := open(b)
		call := callOf(b, engine.GCRA, nil, 1)
		call.Limit = thirds(b)
		name := make([]byte, 0, 17)
		took := make([]time.Duration, *loadKeys)
		for i := range took {
			name = digits(name[:0], i)
			call.Key.Name = name
			began := time.Now()
			s.mustTake(b, call)
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		micros := func(n int) float64 { return float64(took[len(took)-n].Nanoseconds()) / 1e3 }
		b.ReportMetric(micros(1), "worst-µs")
		b.ReportMetric(micros(10), "10th-worst-µs")
		b.ReportMetric(micros(shardCount), "1024th-worst-µs")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(took)), "ns/key")
	}
}

// BenchmarkResize is the index of one shard of many being made anew: what a call that
// makes a table grow waits for.
func BenchmarkResize(b *testing.B) {
	s := filled(b, *loadKeys)
	i := 0
	for b.Loop() {
		sh := &s.shards[i%shardCount]
		sh.mu.Lock()
		sh.resize(2 * sh.keys())
		sh.mu.Unlock()
		i += 7
	}
}
