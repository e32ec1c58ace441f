package memstore

import (
	"unsafe"

	"sluice/engine"
)

// cacheLine is how far from its begin a record may need another line of the cache.
const cacheLine = 64

// mostTouched is the most keys of a touch.
const mostTouched = max(engine.MaxTogether, engine.MaxParts)

// touching is the keys of a touch, and what of them is known so far.
type touching struct {
	store  *Store
	hashes []uint64
	refs   [mostTouched]ref
	boxes  [mostTouched]*box
	n      int
	lines  [3 * mostTouched]uintptr // the first n are to be loaded
}

// touch has the processor load what calls for keys of these hashes will: step by step,
// each for all of them, for what depends on a step's content is to wait for that. While
// the first calls are decided, what the others need is on its way.
func (s *Store) touch(hashes []uint64) {
	t := touching{store: s, hashes: hashes}
	t.slots()
	t.load()
	for i, h := range hashes {
		t.refs[i] = s.shard(h).likely(h)
	}
	t.records()
	t.load()
	if s.boxed.Load() && t.findBoxes() {
		t.load()
		t.contents()
		t.load()
	}
}

func (t *touching) line(at unsafe.Pointer) {
	t.lines[t.n] = uintptr(at)
	t.n++
}

func (t *touching) load() {
	prefetch(t.lines[:t.n])
	t.n = 0
}

// slots is where a look at the index begins.
func (t *touching) slots() {
	for _, h := range t.hashes {
		if sh := t.store.shard(h); len(sh.index) > 0 {
			t.line(unsafe.Pointer(&sh.index[sh.home(h)]))
		}
	}
}

// likely is the record that find would look at first, 0 if it would look at none.
func (s *shard) likely(h uint64) ref {
	if len(s.index) == 0 {
		return 0
	}
	for i := s.home(h); ; i = s.after(i) {
		if at := s.index[i]; at == emptySlot || at.mayBe(h) {
			return at.ref()
		}
	}
}

// records is where records lie, and where they would go if they are new or have to move.
func (t *touching) records() {
	move := t.store.swells.Load()
	for i, h := range t.hashes {
		sh, r := t.store.shard(h), t.refs[i]
		if r == 0 || move {
			t.tail(sh)
		}
		if r != 0 {
			rec := sh.record(r)
			t.line(unsafe.Pointer(&rec[0]))
			t.line(unsafe.Pointer(&rec[min(len(rec)-1, cacheLine)]))
		}
	}
}

// tail is where a new record would go.
func (t *touching) tail(sh *shard) {
	if sh.newest >= 0 {
		if data := sh.pages[sh.newest].data; len(data) < cap(data) {
			t.line(unsafe.Pointer(&data[:len(data)+1][len(data)]))
		}
	}
}

// findBoxes finds the boxes of records that have some, and says whether there are any.
func (t *touching) findBoxes() (found bool) {
	for i, h := range t.hashes {
		if t.refs[i] == 0 {
			continue
		}
		sh := t.store.shard(h)
		if n := sh.record(t.refs[i]).box(); n != 0 {
			t.boxes[i], found = &sh.boxes[n], true
			t.line(unsafe.Pointer(t.boxes[i]))
		}
	}
	return found
}

// contents is what of logs and leases nearly every call looks at.
func (t *touching) contents() {
	for i, b := range t.boxes[:len(t.hashes)] {
		switch {
		case b == nil:
		case b.log != nil:
			st := t.store.shard(t.hashes[i]).record(t.refs[i]).state()
			oldest, newest := b.log.Ends(&st)
			t.line(unsafe.Pointer(oldest))
			t.line(unsafe.Pointer(newest))
		case b.leases != nil:
			t.line(unsafe.Pointer(b.leases))
		}
	}
}
