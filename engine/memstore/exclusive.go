package memstore

import (
	"slices"

	"sluice/engine"
)

func (s *Store) lock(sh *shard) {
	if !s.held {
		sh.mu.Lock()
	}
}

func (s *Store) unlock(sh *shard) {
	if !s.held {
		sh.mu.Unlock()
	}
}

// lockAll locks every shard, in their order. Who locks several takes them in this
// order, so nobody waits in a circle.
func (s *Store) lockAll() {
	for i := range s.shards {
		s.lock(&s.shards[i])
	}
}

func (s *Store) unlockAll() {
	for i := range s.shards {
		s.unlock(&s.shards[i])
	}
}

// shardsOf is the shards that hashes lie in, in their order and each once: what
// lockSome takes. They are appended to room.
func shardsOf(hashes []uint64, room []int) []int {
	for _, h := range hashes {
		room = append(room, int(h>>(64-shardBits)))
	}
	slices.Sort(room)
	return slices.Compact(room)
}

func (s *Store) lockSome(shards []int) {
	for _, n := range shards {
		s.lock(&s.shards[n])
	}
}

func (s *Store) unlockSome(shards []int) {
	for _, n := range shards {
		s.unlock(&s.shards[n])
	}
}

// Exclusively runs f while nobody else touches the keys, or any key at all if none
// is named. What f changes is one entry of the journal.
func (s *Store) Exclusively(keys []engine.Key, f func(engine.Store)) {
	inner := &Store{shared: s.shared, held: true, group: s.group}
	if len(keys) == 0 {
		s.lockAll()
		defer s.unlockAll()
		inner.asOne(f)
		return
	}
	hashes := make([]uint64, len(keys))
	for i, k := range keys {
		hashes[i] = s.hash(k)
	}
	shards := shardsOf(hashes, nil)
	s.lockSome(shards)
	defer s.unlockSome(shards)
	inner.asOne(f)
}
