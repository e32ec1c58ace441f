package memstore

import (
	"context"
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
	shards := make([]int, len(keys))
	for i, k := range keys {
		shards[i] = int(s.hash(k) >> (64 - shardBits))
	}
	slices.Sort(shards)
	shards = slices.Compact(shards)
	for _, n := range shards {
		s.lock(&s.shards[n])
	}
	defer func() {
		for _, n := range shards {
			s.unlock(&s.shards[n])
		}
	}()
	inner.asOne(f)
}

// TakeAll decides several calls as one.
func (s *Store) TakeAll(_ context.Context, calls []engine.Call) (decisions []engine.Decision, err error) {
	keys := make([]engine.Key, len(calls))
	for i := range calls {
		keys[i] = calls[i].Key
	}
	s.Exclusively(keys, func(inner engine.Store) { decisions, err = inner.(*Store).takeAll(calls) })
	return decisions, err
}

// takeAll is TakeAll for who holds the locks.
func (s *Store) takeAll(calls []engine.Call) ([]engine.Decision, error) {
	now := s.clock.Now()
	before := make([]engine.State, len(calls))
	for i := range calls {
		c := &calls[i]
		c.Now = now
		before[i] = s.peek(c.Key, now)
		if k := before[i].Kind; k != 0 && k != c.Algorithm.Kind {
			return nil, engine.ErrWrongKind
		}
	}
	after, decisions := engine.DecideAll(before, calls)
	for i := range after {
		after[i] = after[i].At(now)
	}
	if slices.Equal(before, after) {
		return decisions, nil
	}
	if err := s.refuses(); err != nil {
		return nil, err
	}
	if err := s.setAll(calls, before, after); err != nil {
		return nil, err
	}
	for i := range calls {
		if after[i] != before[i] {
			s.note(nil, now, calls[i].Key, before[i], after[i])
		}
	}
	return decisions, nil
}

// setAll puts states in the place of others: all, or none if there is no room for
// one of them. What is taken out goes last: in a full store it could not come back.
func (s *Store) setAll(calls []engine.Call, before, after []engine.State) error {
	for i := range calls {
		if after[i].Kind == 0 || after[i] == before[i] {
			continue
		}
		if err := s.set(calls[i].Key, after[i]); err != nil {
			for j := range i {
				if after[j].Kind != 0 {
					s.restore(calls[j].Key, before[j])
				}
			}
			return err
		}
	}
	for i := range calls {
		if after[i].Kind == 0 && before[i].Kind != 0 {
			s.restore(calls[i].Key, after[i])
		}
	}
	return nil
}

func (s *Store) peek(k engine.Key, now engine.Instant) engine.State {
	h := s.hash(k)
	sh := s.shard(h)
	return sh.state(sh.find(h, k), now)
}

// set puts a state, which is not zero, in the place of a key's.
func (s *Store) set(k engine.Key, next engine.State) error {
	h := s.hash(k)
	sh := s.shard(h)
	return sh.put(h, k, sh.find(h, k), next, box{log: next.Log})
}

// restore gives a key the state back that it had, which may be zero. It can not
// fail: what was there has its room still.
func (s *Store) restore(k engine.Key, st engine.State) {
	h := s.hash(k)
	sh := s.shard(h)
	switch i := sh.find(h, k); {
	case i < 0: // it was evicted meanwhile
	case st.Kind == 0:
		sh.remove(i)
	default:
		sh.overwrite(sh.index[i].ref(), st, box{log: st.Log})
	}
}
