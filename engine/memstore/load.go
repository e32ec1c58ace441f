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
			if err := s.settle(); err != nil {
				return err
			}
			s.lockAll()
			s.flush(records[0].Key.DB)
			s.unlockAll()
			records = records[1:]
			continue
		}
		n := 1
		for n < min(len(records), loadBlock) && records[n].Change != engine.Empty {
			n++
		}
		if err := s.loadInLanes(records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// loadBlock is how many records are put in order at a time: a block of a snapshot has
// fewer.
const loadBlock = 4096

// loadInLanes loads records of keys in the order of their lanes: then those who load at
// the same time are in different ones nearly always. Records of a key stay in order.
func (s *Store) loadInLanes(records []engine.Record) error {
	var hashes [loadBlock]uint64
	var before [laneCount + 1]uint16 // how many belong into lanes before this one
	for i := range records {
		hashes[i] = s.hash(records[i].Key)
		before[laneOf(hashes[i])+1]++
	}
	for n := range laneCount {
		before[n+1] += before[n]
	}
	var order [loadBlock]uint16
	for i := range records {
		n := laneOf(hashes[i])
		order[before[n]] = uint16(i)
		before[n]++
	}
	first := uint16(0)
	for n := range laneCount {
		if which := order[first:before[n]]; len(which) > 0 {
			if err := s.lanes[n].take(records, hashes[:], which); err != nil {
				return err
			}
		}
		first = before[n]
	}
	return s.arrived(int64(len(records)))
}

// arrived settles the store once the last of the records is there that were expected.
func (s *Store) arrived(n int64) error {
	if left := s.expected.Add(-n); left <= 0 && left+n > 0 {
		return s.settle()
	}
	return nil
}

// A loadGroup is records that are loaded together.
type loadGroup struct {
	store   *Store
	n       int
	records [engine.MaxTogether]*engine.Record
	hashes  [engine.MaxTogether]uint64
}

func (g *loadGroup) add(r *engine.Record, h uint64) {
	g.records[g.n], g.hashes[g.n] = r, h
	g.n++
}

func (g *loadGroup) load() error {
	s, hashes := g.store, g.hashes[:g.n]
	var room [engine.MaxTogether]int
	defer s.unlockSome(s.lockSome(hashes, room[:0]))
	s.shard(hashes[0]).inner.touch(hashes)
	now := s.clock.Now()
	for i, h := range hashes {
		if err := s.shard(h).load(h, g.records[i], now); err != nil {
			return err
		}
	}
	return nil
}

// Expect makes tables of as many pages as the keys will fill at least, so that these
// need not grow, and has an empty store gather. Until as many records were loaded or
// Loaded is called, nobody will find a key.
func (s *Store) Expect(keys int64) {
	if keys == 0 {
		return
	}
	s.expected.Store(keys)
	s.large.want(keys * leastRecord)
	for i := range s.lanes {
		s.lanes[i].expect(int(keys / shardCount))
	}
}

// Loaded ends loading.
func (s *Store) Loaded(newest engine.Instant) {
	_ = s.settle() // a snapshot that is whole is settled, and another counts for nothing
	s.large.want(0)
	s.lockAll()
	if now := s.clock.Now(); now < newest {
		s.setBack(newest, now)
	}
	s.unlockAll()
	s.loading.Store(false)
	s.sweep()
}

// load applies a record of a key.
func (s *shard) load(h uint64, r *engine.Record, now engine.Instant) error {
	i := s.find(h, r.Key)
	next, content := s.restore(i, r)
	if next.Kind == 0 || next.Deadline <= now && !boxed(next.Kind) {
		if i >= 0 {
			s.remove(i)
		}
		return nil
	}
	return s.put(h, r.Key, i, &next, content)
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
