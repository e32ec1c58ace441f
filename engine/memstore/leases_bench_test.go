package memstore

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/engine"
)

// holders is n tokens as CC.ACQUIRE makes them.
func holders(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	}
	return tokens
}

// lease makes a call that must find, or give, a lease.
func (s *Store) lease(b *testing.B, c *engine.LeaseCall, op engine.LeaseOp) {
	c.Op = op
	if _, held, err := s.Lease(b.Context(), c); !held || err != nil {
		b.Fatal(held, err)
	}
}

// BenchmarkLease is a lease that is acquired and released: of a key of its own, and of
// one among keys and holders that are there.
func BenchmarkLease(b *testing.B) {
	for _, tt := range []struct{ keys, holders int }{{0, 0}, {100_000, 1}, {1, 15}, {1, 100}, {1, 1000}} {
		b.Run(fmt.Sprintf("keys=%d/holders=%d", tt.keys, tt.holders), func(b *testing.B) {
			s := open(b)
			c := &engine.LeaseCall{Limit: engine.MaxUnits, Lease: time.Hour}
			tokens, names := holders(tt.holders+1), make([][]byte, max(tt.keys, 1000))
			for i := range names {
				names[i] = name17(i)
			}
			for _, c.Key.Name = range names[:tt.keys] {
				for _, c.Token = range tokens[1:] {
					s.lease(b, c, engine.Acquire)
				}
			}
			c.Token = tokens[0]
			if tt.keys > 0 {
				names = names[:tt.keys]
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Key.Name = names[i*7919%len(names)]
				s.lease(b, c, engine.Acquire)
				s.lease(b, c, engine.Release)
			}
		})
	}
}
