package memstore

import "sluice/engine"

// Together runs f while nobody else touches the keys, at one instant. What the calls
// will touch is loaded beforehand, for all of them side by side: when a key is looked
// up alone, the processor waits for its slot, then for its page, then for its record.
//
// One reading of the clock under all the locks is as good as one under each: whoever
// had one of the keys before read the clock before, and who gets it next reads it after.
func (s *Store) Together(keys []engine.Key, f func(engine.Store)) {
	var hashes [engine.MaxTogether]uint64
	for i, k := range keys {
		hashes[i] = s.hash(k)
	}
	var room [engine.MaxTogether]int
	defer s.unlockSome(s.lockSome(hashes[:len(keys)], room[:0]))
	inner := &s.shard(hashes[0]).inner
	inner.touch(hashes[:len(keys)])
	inner.instant, inner.group = s.now(), s.group
	f(inner)
}

// touch loads what calls for keys of these hashes will: step by step, each for all of
// them, for what depends on a step's content stops the processor from going ahead.
func (s *Store) touch(hashes []uint64) {
	sum := slot(0)
	for _, h := range hashes {
		if sh := s.shard(h); len(sh.index) > 0 {
			sum += sh.index[sh.home(h)]
		}
	}
	var refs [max(engine.MaxTogether, engine.MaxParts)]ref
	for i, h := range hashes {
		refs[i] = s.shard(h).likely(h)
	}
	for i, h := range hashes {
		sh := s.shard(h)
		switch {
		case refs[i] != 0:
			sum += slot(sh.record(refs[i])[0])
		case sh.newest >= 0: // where a new record would go
			if data := sh.pages[sh.newest].data; len(data) < cap(data) {
				sum += slot(data[:len(data)+1][len(data)])
			}
		}
	}
	s.touched = sum // or the compiler might leave the loads out
}

// likely is the record that find would look at first, 0 if it would look at none.
func (s *shard) likely(h uint64) ref {
	if len(s.index) == 0 {
		return 0
	}
	mask := len(s.index) - 1
	for i := s.home(h); ; i = (i + 1) & mask {
		if at := s.index[i]; at == emptySlot || at.mayBe(h) {
			return at.ref()
		}
	}
}
