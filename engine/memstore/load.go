package memstore

import "sluice/engine"

// Load applies records. From the first call to Loaded nothing is swept: what is
// over by the clock may be what the next record goes on with.
func (s *Store) Load(records []engine.Record) error {
	if !s.loading.Load() {
		s.sweeping.Lock() // one that is under way ends first
		s.loading.Store(true)
		s.sweeping.Unlock()
	}
	now := s.clock.Now()
	for i := range records {
		if err := s.load(&records[i], now); err != nil {
			return err
		}
	}
	return nil
}

// Expect makes indexes that keys fit in, so that they need not grow.
func (s *Store) Expect(keys int64) {
	each := int(keys / shardCount)
	for i := range s.shards {
		sh := &s.shards[i]
		s.lock(sh)
		if each > sh.keys() {
			sh.resize(each)
		}
		s.unlock(sh)
	}
}

// Loaded ends loading.
func (s *Store) Loaded(newest engine.Instant) {
	s.lockAll()
	if now := s.clock.Now(); now < newest {
		s.setBack(newest, now)
	}
	s.unlockAll()
	s.loading.Store(false)
	s.sweep()
}

func (s *Store) load(r *engine.Record, now engine.Instant) error {
	if r.Change == engine.Empty {
		s.lockAll()
		defer s.unlockAll()
		s.flush(r.Key.DB)
		return nil
	}
	h := s.hash(r.Key)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	i := sh.find(h, r.Key)
	next, content := sh.restore(i, r)
	if next.Kind == 0 || next.Deadline <= now && !boxed(next.Kind) {
		if i >= 0 {
			sh.remove(i)
		}
		return nil
	}
	return sh.put(h, r.Key, i, next, content)
}

// restore is the state after a record of the key in slot i, or -1, and what
// belongs in its box.
func (s *shard) restore(i int, r *engine.Record) (engine.State, box) {
	var old engine.State
	if i >= 0 {
		old = s.stateOf(s.record(s.index[i].ref()))
	}
	if r.State.Kind != engine.KindConcurrency {
		next := r.Restore(old)
		return next, box{log: next.Log}
	}
	content := newLeases()
	if old.Kind == engine.KindConcurrency {
		content = s.boxOf(s.record(s.index[i].ref())).leases
	}
	r.RestoreLeases(content)
	return content.state(), box{leases: content}
}
