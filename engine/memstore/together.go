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
	locked := s.lockSome(hashes[:len(keys)], room[:0])
	defer s.unlockSome(locked)
	inner := &s.shard(hashes[0]).inner
	inner.touch(hashes[:len(keys)])
	inner.instant = s.now()
	inner.asOne(locked, f)
}
