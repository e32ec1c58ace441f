package memstore

import "sluice/engine"

// A group collects changes that are told as one: those of a call that makes several,
// or of calls together, so that the journal is locked once for all of them.
type group struct {
	at      engine.Instant
	changes []engine.Record
}

// refuses is why no change may be made now, or nil.
func (s *Store) refuses() error {
	if j := s.options.Journal; j != nil {
		return j.Refuses()
	}
	return nil
}

// note tells the journal that a key's state has changed. The caller holds the lock
// of its shard.
func (s *Store) note(sh *shard, at engine.Instant, k engine.Key, before, after engine.State) {
	if s.options.Journal == nil {
		return
	}
	r := s.change(sh)
	r.Note(k, before, after)
	s.tell(sh, at)
}

// noteLease tells what became of the lease that a call's token had, if it changed.
func (s *Store) noteLease(sh *shard, c *engine.LeaseCall, before *engine.State, content *leases, had engine.Lease) {
	if s.options.Journal == nil {
		return
	}
	lease, _ := content.Get(c.Token)
	if lease == had {
		return
	}
	r := s.change(sh)
	after := engine.LeaseState(content)
	r.Note(c.Key, *before, after)
	if after.Kind != 0 {
		if before.Kind != 0 {
			r.Change = engine.Amend
		}
		lease.Token = c.Token
		r.Leases = append(r.Leases, lease)
	}
	s.tell(sh, c.Now)
}

// noteFlush tells that a database is empty. The caller holds every lock.
func (s *Store) noteFlush(db int) {
	if s.options.Journal == nil {
		return
	}
	sh := &s.shards[0]
	r := s.change(sh)
	*r = engine.Record{Change: engine.Empty, Key: engine.Key{DB: db}}
	s.tell(sh, s.clock.Now())
}

// noteAll tells every state anew, as one: what was over before the clock was set
// back stays so. The caller holds every lock.
func (s *Store) noteAll(at engine.Instant) {
	if s.options.Journal == nil {
		return
	}
	(&Store{shared: s.shared, held: true}).asOne(s.allOthers(), func(inner engine.Store) {
		all := inner.(*Store)
		all.noteFlush(engine.AllDatabases)
		for i := range s.shards {
			sh := &s.shards[i]
			sh.each(func(_ int, rec record) {
				*all.change(sh) = sh.whole(rec)
				all.tell(sh, at)
			})
		}
	})
}

// change is where the next change is written down.
func (s *Store) change(sh *shard) *engine.Record {
	changes := &sh.changes
	if sh.group != nil {
		changes = &sh.group.changes
	}
	n := len(*changes)
	if n == cap(*changes) {
		*changes = append(*changes, engine.Record{})
	}
	*changes = (*changes)[:n+1] // what is there has room for instants
	return &(*changes)[n]
}

// tell tells the journal, as one, of what change was filled with since, or leaves it
// to asOne.
func (s *Store) tell(sh *shard, at engine.Instant) {
	if sh.group != nil {
		sh.group.at = at
		return
	}
	changes := sh.changes
	sh.changes = changes[:0]
	s.options.Journal.Append(at, changes)
	for i := range changes {
		changes[i].Key.Name = nil
	}
}

// asOne runs f with a store that holds the locks of some shards, and tells the journal
// of all that changes in them as one, evictions among it. Within another asOne, where
// the store has locked none itself, changes are that one's.
func (s *Store) asOne(locked []int, f func(engine.Store)) {
	if s.options.Journal == nil || len(locked) == 0 {
		f(s)
		return
	}
	for _, n := range locked {
		s.shards[n].group = &s.own
	}
	defer s.tellGroup(locked) // also if f panics: what it has changed is changed
	f(s)
}

func (s *Store) tellGroup(locked []int) {
	for _, n := range locked {
		s.shards[n].group = nil
	}
	g := &s.own
	if len(g.changes) == 0 {
		return
	}
	s.options.Journal.Append(g.at, g.changes)
	for i := range g.changes {
		g.changes[i].Key.Name = nil
	}
	g.changes = g.changes[:0]
}
