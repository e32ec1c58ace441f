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
	for len(records) > 0 {
		if records[0].Change == engine.Empty {
			s.lockAll()
			s.flush(records[0].Key.DB)
			s.unlockAll()
			records = records[1:]
			continue
		}
		n, err := s.loadTogether(records)
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// loadTogether loads the first of some records, about keys, and says how many.
func (s *Store) loadTogether(records []engine.Record) (n int, err error) {
	var keys [engine.MaxTogether]engine.Key
	for n < min(len(records), len(keys)) && records[n].Change != engine.Empty {
		keys[n] = records[n].Key
		n++
	}
	s.Together(keys[:n], func(inner engine.Store) {
		for i := range records[:n] {
			if err = inner.(*Store).load(&records[i]); err != nil {
				return
			}
		}
	})
	return n, err
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

// load applies a record of a key. The caller is Together.
func (s *Store) load(r *engine.Record) error {
	h := s.hash(r.Key)
	sh := s.shard(h)
	i := sh.find(h, r.Key)
	next, content := sh.restore(i, r)
	if next.Kind == 0 || next.Deadline <= s.instant && !boxed(next.Kind) {
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
	content := s.leasesOf(i, old)
	if content.lent && content.Len()+len(r.Leases) > mostShortLeases {
		content = content.own()
	}
	r.RestoreLeases(content)
	return content.state(), box{leases: content}
}
