package memstore

import (
	"runtime"
	"testing"

	"sluice/engine"
)

// What a key with short content takes is little: of the heap, all told.
func TestShortContentTakesLittle(t *testing.T) {
	keys := 200_000 // with fewer, pages that are not full count
	for _, tt := range []struct {
		name string
		most float64
		use  func(*Store, *engine.Call, *engine.LeaseCall)
	}{
		{"a log of one unit", 80, func(s *Store, c *engine.Call, _ *engine.LeaseCall) { s.mustTake(t, c) }},
		{"one lease", 105, func(s *Store, _ *engine.Call, l *engine.LeaseCall) {
			if _, held, err := s.Lease(t.Context(), l); !held || err != nil {
				t.Fatal(held, err)
			}
		}},
	} {
		s := open(t)
		s.StopClock(noon)
		before := heapBytes()
		call, lease := callOf(t, engine.SlidingLog, nil, 1), &engine.LeaseCall{Limit: 10, Lease: 60e9}
		for i := range keys {
			call.Key.Name = name17(i)
			lease.Key, lease.Token = call.Key, holders(1)[0]
			tt.use(s, call, lease)
		}
		each := float64(heapBytes()-before) / float64(keys)
		t.Logf("%s: %.0f bytes a key", tt.name, each)
		if each > tt.most {
			t.Errorf("a key with %s takes %.0f bytes", tt.name, each)
		}
		verify(t, s)
		runtime.KeepAlive(s)
	}
}
