package commands

import (
	"fmt"
	"testing"

	"sluice/engine/memstore"
)

// BenchmarkLeases is CC.ACQUIRE and CC.RELEASE of a key of its own, and of one that
// many hold.
func BenchmarkLeases(b *testing.B) {
	for _, holders := range []int{0, 1000} {
		b.Run(fmt.Sprintf("holders=%d", holders), func(b *testing.B) {
			store := memstore.New()
			defer store.Close()
			c := testSession(b, store)
			for range holders {
				c.do("CC.ACQUIRE", "pool", "1000000", "1h")
			}
			acquire := [][]byte{[]byte("CC.ACQUIRE"), []byte("pool"), []byte("1000000"), []byte("1h")}
			release := [][]byte{[]byte("CC.RELEASE"), []byte("pool"), nil}
			b.ReportAllocs()
			for b.Loop() {
				reply := c.Do(acquire)
				release[2] = append(release[2][:0], reply.Text...)
				if r := c.Do(release); r.Number != 1 {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkToken is the making of one.
func BenchmarkToken(b *testing.B) {
	var made tokens
	b.ReportAllocs()
	for b.Loop() {
		made.next()
	}
}
