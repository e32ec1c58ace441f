package memstore

import (
	"runtime"
	"testing"
	"time"

	"sluice/engine"
)

// What a store says that leases take is what the heap has: the bound on memory is
// kept by it.
func TestLeasesTakeWhatTheySay(t *testing.T) {
	for _, n := range []int{1, 2, mostFew, mostFew + 1, 33, 100, 1000, 5000} {
		heap, said := leaseBytes(t, n, scaled(50_000, 35_000)/n) // fewer, and the desks of shards count
		t.Logf("%d leases: %.0f bytes a key, %.0f by the store", n, heap, said)
		if said < heap*0.8 || said > heap*1.25 {
			t.Errorf("a key with %d leases takes %.0f bytes, the store says %.0f", n, heap, said)
		}
	}
}

// leaseBytes is the bytes of a key with n leases: those of the heap, and what the
// store says.
func leaseBytes(t testing.TB, n, keys int) (heap, said float64) {
	s := open(t)
	s.StopClock(noon)
	before := heapBytes()
	c := &engine.LeaseCall{Limit: uint64(n), Lease: time.Hour}
	for i := range keys {
		c.Key.Name = name17(i)
		for _, c.Token = range holders(n) {
			if _, held, err := s.Lease(t.Context(), c); !held || err != nil {
				t.Fatal(held, err)
			}
		}
	}
	heap = float64(heapBytes() - before)
	said = float64(s.Usage().Bytes)
	runtime.KeepAlive(s)
	return heap / float64(keys), said / float64(keys)
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
