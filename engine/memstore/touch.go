package memstore

import "sluice/engine"

// cacheLine is how far from its begin a record may need another line of the cache.
const cacheLine = 64

// touching is the keys of a touch, and what of them is known so far.
type touching struct {
	store  *Store
	hashes []uint64
	refs   [max(engine.MaxTogether, engine.MaxParts)]ref
	boxes  [max(engine.MaxTogether, engine.MaxParts)]*box
	sum    slot // of what was loaded, or the compiler might leave the loads out
}

// touch loads what calls for keys of these hashes will: step by step, each for all of
// them, for what depends on a step's content stops the processor from going ahead.
func (s *Store) touch(hashes []uint64) {
	t := touching{store: s, hashes: hashes}
	for _, h := range hashes {
		if sh := s.shard(h); len(sh.index) > 0 {
			t.sum += sh.index[sh.home(h)]
		}
	}
	for i, h := range hashes {
		t.refs[i] = s.shard(h).likely(h)
	}
	for i, h := range hashes {
		sh := s.shard(h)
		if t.refs[i] == 0 {
			t.tail(sh)
			continue
		}
		rec := sh.record(t.refs[i])
		t.sum += slot(rec[0]) + slot(rec[min(len(rec)-1, cacheLine)])
	}
	if t.findBoxes() {
		t.contents()
	}
	s.touched = t.sum
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

// tail loads where a new record would go.
func (t *touching) tail(sh *shard) {
	if sh.newest >= 0 {
		if data := sh.pages[sh.newest].data; len(data) < cap(data) {
			t.sum += slot(data[:len(data)+1][len(data)])
		}
	}
}

// findBoxes finds the boxes of records that have some, and says whether there are any.
// A record with short content may have to move.
func (t *touching) findBoxes() (found bool) {
	for i, h := range t.hashes {
		sh := t.store.shard(h)
		if t.refs[i] == 0 || !boxed(sh.record(t.refs[i]).kind()) {
			continue
		}
		if n := sh.record(t.refs[i]).box(); n != 0 {
			t.boxes[i], found = &sh.boxes[n], true
			continue
		}
		t.tail(sh)
	}
	return found
}

// contents loads what of logs and leases nearly every call looks at.
func (t *touching) contents() {
	for _, b := range t.boxes[:len(t.hashes)] {
		if b != nil {
			t.sum += slot(b.bytes)
		}
	}
	for i, b := range t.boxes[:len(t.hashes)] {
		switch {
		case b == nil:
		case b.log != nil:
			st := t.store.shard(t.hashes[i]).record(t.refs[i]).state()
			t.sum += slot(b.log.Touch(&st))
		case b.leases != nil:
			t.sum += slot(b.leases.Len())
		}
	}
}
