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

// lockAll locks every shard, in their order. Who waits for one while he holds another
// takes them in this order, so nobody waits in a circle.
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

// allOthers is the shards that this Store's lockAll locks: none if they are held.
func (s *Store) allOthers() (locked []int) {
	if s.held {
		return nil
	}
	for i := range s.shards {
		locked = append(locked, i)
	}
	return locked
}

func shardOf(h uint64) int { return int(h >> (64 - shardBits)) }

// lockSome locks the shards that hashes lie in, and appends them to room for
// unlockSome. To sort a few takes longer than to lock them: they are taken as they
// come, which is good as long as there is nobody to wait for.
func (s *Store) lockSome(hashes []uint64, room []int) (locked []int) {
	if s.held {
		return room
	}
	for _, h := range hashes {
		n := shardOf(h)
		if s.shards[n].mu.TryLock() {
			room = append(room, n)
			continue
		}
		if !slices.Contains(room, n) {
			s.unlockSome(room)
			return s.lockInOrder(hashes, room[:0])
		}
	}
	return room
}

func (s *Store) lockInOrder(hashes []uint64, room []int) (locked []int) {
	if s.held {
		return room
	}
	for _, h := range hashes {
		room = append(room, shardOf(h))
	}
	slices.Sort(room)
	room = slices.Compact(room)
	for _, n := range room {
		s.shards[n].mu.Lock()
	}
	return room
}

func (s *Store) unlockSome(locked []int) {
	for _, n := range locked {
		s.shards[n].mu.Unlock()
	}
}

// Exclusively runs f while nobody else touches the keys, or any key at all if none
// is named. What f changes is one entry of the journal.
func (s *Store) Exclusively(keys []engine.Key, f func(engine.Store)) {
	inner := &Store{shared: s.shared, held: true}
	if len(keys) == 0 {
		s.lockAll()
		defer s.unlockAll()
		inner.asOne(s.allOthers(), f)
		return
	}
	hashes := make([]uint64, len(keys))
	for i, k := range keys {
		hashes[i] = s.hash(k)
	}
	locked := s.lockInOrder(hashes, nil)
	defer s.unlockSome(locked)
	inner.asOne(locked, f)
}
