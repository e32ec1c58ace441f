package memstore

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"sluice/engine"
)

// What a touch loads is what calls will look at: records that are there, and the places
// for those that are new or may have to move.
func TestTouchFinds(t *testing.T) {
	s := open(t)
	at := func(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }
	touched := func(k engine.Key) (here []uintptr, sh *shard, slot int) {
		h := s.hash(k)
		sh = s.shard(h)
		ready := touching{store: s, hashes: []uint64{h}}
		ready.refs[0] = sh.likely(h)
		ready.records()
		return ready.lines[:ready.n], sh, sh.find(h, k)
	}
	tail := func(sh *shard) uintptr {
		data := sh.pages[sh.newest].data
		return at(unsafe.SliceData(data)) + uintptr(len(data))
	}
	call := callOf(t, engine.GCRA, []byte("a key that is longer than any line of the cache, as some clients have them"), 1)
	s.mustTake(t, call)
	lines, sh, slot := touched(call.Key)
	rec := sh.record(sh.index[slot].ref())
	if want := []uintptr{at(&rec[0]), at(&rec[cacheLine])}; !slices.Equal(lines, want) {
		t.Errorf("of a record: %x, not %x", lines, want)
	}
	log := callOf(t, engine.SlidingLog, []byte("log"), 1)
	s.mustTake(t, log)
	lines, sh, slot = touched(log.Key)
	rec = sh.record(sh.index[slot].ref())
	if want := []uintptr{tail(sh), at(&rec[0]), at(&rec[len(rec)-1])}; !slices.Equal(lines, want) {
		t.Errorf("of a log: %x, not %x", lines, want)
	}
	if lines, _, _ = touched(engine.Key{Name: []byte("nobody has used it")}); len(lines) > 1 {
		t.Errorf("of a new key: %x", lines)
	}
}

// Boxes are found, and what is in them.
func TestTouchFindsContents(t *testing.T) {
	s := open(t)
	log := callOf(t, engine.SlidingLog, []byte("log"), mostShortLog+1)
	log.Limit = must[engine.Limit](t)(engine.LogLimit(100, 60_000))
	s.mustTake(t, log)
	lease := &engine.LeaseCall{Key: engine.Key{Name: []byte("lease")}, Limit: 100, Lease: time.Minute}
	for _, lease.Token = range holders(mostShortLeases + 1) {
		if _, _, err := s.Lease(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
	}
	ready := touching{store: s, hashes: []uint64{s.hash(log.Key), s.hash(lease.Key)}}
	for i, h := range ready.hashes {
		ready.refs[i] = s.shard(h).likely(h)
	}
	if !s.boxed.Load() || !ready.findBoxes() || ready.boxes[0].log == nil || ready.boxes[1].leases == nil {
		t.Fatalf("boxes: %v, %+v", s.boxed.Load(), ready.boxes[:2])
	}
	ready.n = 0
	ready.contents()
	ring := ready.boxes[0].log
	st := s.shard(ready.hashes[0]).record(ready.refs[0]).state()
	oldest, newest := ring.Ends(&st)
	want := []uintptr{
		uintptr(unsafe.Pointer(oldest)), uintptr(unsafe.Pointer(newest)), uintptr(unsafe.Pointer(ready.boxes[1].leases)),
	}
	if got := ready.lines[:ready.n]; !slices.Equal(got, want) {
		t.Errorf("contents: %x, not %x", got, want)
	}
}

// To load ahead is harmless whatever an address is: nothing may be there any more.
func TestPrefetchIsHarmless(t *testing.T) {
	var here byte
	prefetch(nil)
	prefetch([]uintptr{0, 1, uintptr(unsafe.Pointer(&here)), 1 << 40, ^uintptr(0)})
}
