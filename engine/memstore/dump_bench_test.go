package memstore

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
)

func filled(b *testing.B, n int) *Store {
	s := New()
	b.Cleanup(s.Close)
	limit := thirds(b)
	for i := range n {
		c := engine.Call{Key: engine.Key{Name: fmt.Appendf(nil, "key:%013d", i)}, Algorithm: engine.GCRA, Request: engine.Request{Limit: limit, Cost: 1}}
		s.mustTake(b, &c)
	}
	return s
}

func BenchmarkDump(b *testing.B) {
	const keys = 1_000_000
	s := filled(b, keys)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := s.Dump(func(r []engine.Record) error { n += len(r); return nil }); err != nil || n != keys {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
}

var loadKeys = flag.Int("loadkeys", 1_000_000, "keys of BenchmarkLoad")

// BenchmarkLoad loads blocks of records on two processors, as a snapshot is read.
func BenchmarkLoad(b *testing.B) {
	const block = 1500
	b.ReportAllocs()
	for b.Loop() {
		s := New()
		s.Expect(int64(*loadKeys))
		var next atomic.Int64
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				records, names := make([]engine.Record, block), make([]byte, block*17)
				for {
					end := int(next.Add(block))
					if end > *loadKeys {
						return
					}
					for i := range records {
						name := digits(names[17*i:17*i], end-i)
						st := engine.State{Kind: engine.KindGCRA, Deadline: never - engine.Instant(i)}
						records[i] = engine.Record{Change: engine.Put, Key: engine.Key{Name: name}, State: st}
					}
					if err := s.Load(records); err != nil {
						b.Error(err)
					}
				}
			})
		}
		readers.Wait()
		s.Loaded(0)
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(*loadKeys)), "ns/key")
}

var dumpKeys = flag.Int("dumpkeys", 1_000_000, "keys of BenchmarkTakeDuringDump")

// BenchmarkTakeDuringDump tells how long a decision takes at worst while the store
// is written down again and again, and while it is not.
func BenchmarkTakeDuringDump(b *testing.B) {
	s := filled(b, *dumpKeys)
	limit := thirds(b)
	for _, dumping := range []bool{false, true} {
		b.Run(fmt.Sprint("dumping=", dumping), func(b *testing.B) {
			var stop atomic.Bool
			var dumps sync.WaitGroup
			dumps.Go(func() {
				for dumping && !stop.Load() {
					_ = s.Dump(func([]engine.Record) error { return nil })
				}
			})
			took := make([]time.Duration, 0, b.N)
			name := make([]byte, 0, 32)
			for i := range b.N {
				name = fmt.Appendf(name[:0], "key:%013d", i*7919%*dumpKeys)
				c := engine.Call{Key: engine.Key{Name: name}, Algorithm: engine.GCRA, Request: engine.Request{Limit: limit, Cost: 1}}
				began := time.Now()
				s.mustTake(b, &c)
				took = append(took, time.Since(began))
			}
			stop.Store(true)
			dumps.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*999/1000].Nanoseconds())/1e3, "p99.9-µs")
			b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e3, "worst-µs")
		})
	}
}
