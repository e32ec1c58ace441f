package memstore

import (
	"fmt"
	"testing"

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

func BenchmarkLoad(b *testing.B) {
	const keys = 1_000_000
	var all [][]engine.Record
	_ = filled(b, keys).Dump(func(r []engine.Record) error {
		all = append(all, copies(r))
		return nil
	})
	b.ReportAllocs()
	for b.Loop() {
		s := New()
		s.Expect(keys)
		for _, records := range all {
			if err := s.Load(records); err != nil {
				b.Fatal(err)
			}
		}
		s.Loaded(0)
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
}
