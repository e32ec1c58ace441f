package memstore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/engine"
)

// A taker is what the benchmarks compare.
type taker interface {
	take(*testing.B, *engine.Call)
}

func (s *Store) take(b *testing.B, c *engine.Call) {
	if _, err := s.Take(b.Context(), c); err != nil {
		b.Fatal(err)
	}
}

// A peer is what one would write in ten minutes.
type peer struct {
	mu     sync.Mutex
	clock  *engine.Clock
	states map[string]engine.State
}

func (p *peer) take(_ *testing.B, c *engine.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Now = p.clock.Now()
	old := p.states[string(c.Key.Name)]
	next, _ := c.Algorithm.Decide(old.At(c.Now), &c.Request)
	if next != old {
		p.states[string(c.Key.Name)] = next
	}
}

func takers(b *testing.B) map[string]taker {
	return map[string]taker{
		"store=mem": open(b),
		"store=map": &peer{clock: engine.NewClock(), states: map[string]engine.State{}},
	}
}

func BenchmarkTake(b *testing.B) {
	const million = 1_000_000
	for name, s := range takers(b) {
		b.Run(name, func(b *testing.B) {
			for _, a := range engine.Algorithms {
				call, back := callOf(b, a, []byte(a.Name), 1), callOf(b, a, []byte(a.Name), -1)
				b.Run("keys=1/algorithm="+a.Name, func(b *testing.B) {
					b.ReportAllocs()
					for n := 0; b.Loop(); n++ {
						if n&1 == 0 {
							s.take(b, call)
						} else {
							s.take(b, back)
						}
					}
				})
			}
			names := make([]byte, 0, million*17)
			for i := range million {
				names = append(names, name17(i)...)
			}
			name := func(i int) []byte { i %= million; return names[i*17 : i*17+17] }
			b.Run("keys=1M", func(b *testing.B) {
				b.ReportAllocs()
				call := callOf(b, engine.GCRA, nil, 1)
				for i := 0; b.Loop(); i += 7919 {
					call.Key.Name = name(i)
					s.take(b, call)
				}
			})
			b.Run("keys=1M/parallel", func(b *testing.B) {
				b.ReportAllocs()
				var from atomic.Int64
				b.RunParallel(func(pb *testing.PB) {
					call := callOf(b, engine.GCRA, nil, 1)
					for i := int(from.Add(1)) * 1009; pb.Next(); i += 7919 {
						call.Key.Name = name(i)
						s.take(b, call)
					}
				})
			})
		})
	}
}

// BenchmarkTogether is calls for random keys out of many, one by one and together.
func BenchmarkTogether(b *testing.B) {
	const many = 1_000_000
	for _, at := range []int{1, 2, 4, 8, engine.MaxTogether} {
		b.Run(fmt.Sprintf("calls=%d", at), func(b *testing.B) {
			s := open(b)
			call := callOf(b, engine.GCRA, nil, 1)
			call.Limit = must[engine.Limit](b)(engine.GCRALimit(1_000_000, 1, 100*time.Second))
			names := make([]byte, 0, 17*many)
			for i := range many {
				names = fmt.Appendf(names, "key:%013d", i)
				call.Key.Name = names[17*i : 17*i+17]
				s.take(b, call)
			}
			keys := make([]engine.Key, at)
			all := func(inner engine.Store) {
				for i := range keys {
					call.Key = keys[i]
					if _, err := inner.Take(b.Context(), call); err != nil {
						b.Fatal(err)
					}
				}
			}
			next := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				for i := range keys {
					n := next.IntN(many)
					keys[i].Name = names[17*n : 17*n+17]
				}
				if at == 1 {
					all(s)
				} else {
					s.Together(keys, all)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*at), "ns/call")
		})
	}
}

// BenchmarkTakeAll is three random keys out of many, taken from one by one and as one.
func BenchmarkTakeAll(b *testing.B) {
	const many, parts = 1_000_000, 3
	s, call := open(b), callOf(b, engine.GCRA, nil, 1)
	call.Limit = must[engine.Limit](b)(engine.GCRALimit(1_000_000, 1, 100*time.Second))
	names := make([]byte, 0, 17*many)
	for i := range many {
		names = append(names, name17(i)...)
		call.Key.Name = names[17*i : 17*i+17]
		s.take(b, call)
	}
	next := rand.New(rand.NewPCG(1, 2))
	calls, decisions := []engine.Call{*call, *call, *call}, make([]engine.Decision, parts)
	draw := func() {
		for i := range calls {
			n := next.IntN(many)
			calls[i].Key.Name = names[17*n : 17*n+17]
		}
	}
	b.Run("as=three", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			draw()
			for i := range calls {
				s.take(b, &calls[i])
			}
		}
	})
	b.Run("as=one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			draw()
			if err := s.TakeAll(b.Context(), calls, decisions); err != nil {
				b.Fatal(err)
			}
		}
	})
}
