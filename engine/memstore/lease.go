package memstore

import (
	"context"

	"sluice/engine"
)

// Lease carries a call about leases out.
func (s *Store) Lease(_ context.Context, c *engine.LeaseCall) (engine.Decision, bool, error) {
	h := s.hash(c.Key)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	c.Now = s.now()
	i := sh.find(h, c.Key)
	var old engine.State
	content := sh.leasesAt(i, c.Now, &old)
	if content == nil {
		return engine.Decision{}, false, engine.ErrWrongKind
	}
	had, has := content.Get(c.Token)
	asked, barred := c.Lease, s.barred(sh, c, had, has)
	if barred != nil {
		if c.Op != engine.Acquire {
			return engine.Decision{}, false, barred
		}
		c.Lease = 0 // it looks: one that is refused anyway is answered as ever
	}
	d, held := c.Decide(content, had)
	c.Lease = asked
	if err := sh.keep(h, c.Key, i, &old, content); err != nil {
		if !content.lent {
			sh.undo(i, content, c.Token, had, has)
		}
		return engine.Decision{}, false, err
	}
	if barred != nil && !d.Limited {
		return engine.Decision{}, false, barred
	}
	s.noteLease(sh, c, &old, content, had)
	return d, held, nil
}

// leasesAt is the leases of the key in slot i as now sees it, nil if it has another
// kind. It fills a zero state.
func (s *shard) leasesAt(i int, now engine.Instant, st *engine.State) *leases {
	if i < 0 {
		return s.desk.blankLeases()
	}
	rec := s.record(s.index[i].ref())
	if rec.deadline() <= now {
		return s.desk.blankLeases()
	}
	n, rest := rec.read(st)
	if st.Kind != engine.KindConcurrency {
		return nil
	}
	return s.desk.leasesOf(st, n, rest, &s.boxes)
}

// leasesOf is the leases of the key in slot i, or none if its state is of no such kind.
func (s *shard) leasesOf(i int, old engine.State) *leases {
	if old.Kind != engine.KindConcurrency {
		return s.desk.blankLeases()
	}
	return s.leasesIn(s.record(s.index[i].ref()))
}

// barred is why a call may not change anything now, or nil if it may or would not.
func (s *Store) barred(sh *shard, c *engine.LeaseCall, had engine.Lease, has bool) error {
	switch c.Op {
	case engine.Acquire:
		if c.Lease == 0 {
			return nil
		}
		if !has && sh.full() {
			return engine.ErrFull
		}
	default:
		if had.Until <= c.Now {
			return nil
		}
	}
	return s.refuses()
}

// keep puts what became of a key's leases in the place of its state in slot i.
func (s *shard) keep(h uint64, k engine.Key, i int, old *engine.State, content *leases) error {
	var next engine.State
	content.into(&next)
	switch {
	case next.Kind == 0 && old.Kind != 0:
		s.remove(i)
	case next.Kind != 0 && next != *old:
		return s.put(h, k, i, &next, box{leases: content})
	}
	return nil
}

// undo gives a token the lease in a box back that it had, or none, for there was no
// room to keep the change. That leases which are over were dropped makes no difference.
func (s *shard) undo(i int, content *leases, token string, had engine.Lease, has bool) {
	content.Delete(token)
	if has {
		content.Set(had)
	}
	s.setBox(s.record(s.index[i].ref()).box(), box{leases: content})
}
