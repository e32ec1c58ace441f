package memstore

import (
	"context"

	"sluice/engine"
)

// parts is the calls of a TakeAll, and what is known of their keys.
type parts struct {
	store   *Store
	calls   []engine.Call
	hashes  [engine.MaxParts]uint64
	slots   [engine.MaxParts]int
	crowded bool // two of the keys are in one shard
	before  [engine.MaxParts]engine.State
	after   [engine.MaxParts]engine.State
	changed [engine.MaxParts]bool
}

// TakeAll decides several calls as one. What they change is one entry of the journal.
func (s *Store) TakeAll(_ context.Context, calls []engine.Call, decisions []engine.Decision) error {
	p := parts{store: s, calls: calls}
	hashes := p.hashes[:len(calls)]
	for i := range calls {
		hashes[i] = s.hash(calls[i].Key)
	}
	p.crowded = twoInOne(hashes)
	var room [engine.MaxParts]int
	defer s.unlockSome(s.lockSome(hashes, room[:0]))
	first := s.shard(hashes[0])
	if !s.still { // else Together has
		first.inner.touch(hashes)
	}
	now := s.now()
	if err := p.find(first, now); err != nil {
		return err
	}
	if !p.decide(decisions, now) {
		return nil
	}
	if err := s.refuses(); err != nil {
		return err
	}
	if err := p.keep(); err != nil {
		return err
	}
	p.note(first, now)
	return nil
}

// twoInOne says whether two hashes lie in one shard.
func twoInOne(hashes []uint64) bool {
	for i, h := range hashes {
		for _, other := range hashes[:i] {
			if shardOf(h) == shardOf(other) {
				return true
			}
		}
	}
	return false
}

// find finds the keys and their states.
func (p *parts) find(first *shard, now engine.Instant) error {
	for i := range p.calls {
		c := &p.calls[i]
		c.Now = now
		sh := p.store.shard(p.hashes[i])
		p.slots[i] = sh.find(p.hashes[i], c.Key)
		if p.slots[i] < 0 {
			continue
		}
		rec := sh.record(sh.index[p.slots[i]].ref())
		if rec.deadline() <= now {
			continue // it is over: see State.At
		}
		if rec.kind() != c.Algorithm.Kind {
			return engine.ErrWrongKind
		}
		var d *desk
		if boxed(rec.kind()) {
			d = first.partDesk(i)
		}
		d.read(rec, &sh.boxes, &p.before[i])
	}
	return nil
}

// partDesk is the desk for a part of a TakeAll: all states are in use at a time.
func (s *shard) partDesk(i int) *desk {
	if i >= len(s.desks) {
		s.desks = append(s.desks, make([]desk, i+1-len(s.desks))...)
	}
	return &s.desks[i]
}

// decide decides the calls, and says whether that changes any state.
func (p *parts) decide(decisions []engine.Decision, now engine.Instant) (changed bool) {
	n := len(p.calls)
	if !engine.DecideAll(p.calls, p.before[:n], p.after[:n], decisions) {
		return false
	}
	for i := range p.calls {
		if p.after[i].Deadline <= now {
			p.after[i] = engine.State{}
		}
		p.changed[i] = p.after[i] != p.before[i]
		changed = changed || p.changed[i]
	}
	return changed
}

// keep puts the new states in the place of the old: all, or none if there is no room
// for one of them. What is taken out goes last: in a full store it could not come back.
func (p *parts) keep() error {
	for i := range p.calls {
		next := &p.after[i]
		if next.Kind == 0 || !p.changed[i] {
			continue
		}
		sh, slot := p.place(i)
		if slot < 0 { // also if it was evicted for another: it is told whole
			p.before[i] = engine.State{}
		}
		if err := sh.put(p.hashes[i], p.calls[i].Key, slot, next, box{log: next.Log}); err != nil {
			p.restore(i)
			return err
		}
	}
	for i := range p.calls {
		if p.after[i].Kind != 0 || !p.changed[i] {
			continue
		}
		if sh, slot := p.place(i); slot >= 0 { // else it was evicted meanwhile
			sh.remove(slot)
		}
	}
	return nil
}

// place is where a key is now. In a shard with another of the keys, what was done to
// that one may have moved it.
func (p *parts) place(i int) (sh *shard, slot int) {
	sh, slot = p.store.shard(p.hashes[i]), p.slots[i]
	if p.crowded {
		slot = sh.find(p.hashes[i], p.calls[i].Key)
	}
	return sh, slot
}

// restore gives the first n keys the states back that they had. It can not fail: what
// was there has its room still.
func (p *parts) restore(n int) {
	for i := range n {
		if p.after[i].Kind == 0 {
			continue
		}
		sh, old := p.store.shard(p.hashes[i]), p.before[i]
		switch slot := sh.find(p.hashes[i], p.calls[i].Key); {
		case slot < 0: // it was evicted meanwhile
		case old.Kind == 0:
			sh.remove(slot)
		default:
			sh.giveBack(slot, &old, box{log: old.Log})
		}
	}
}

// note tells the journal of all that has changed, as one. The caller holds the lock
// of sh, too.
func (p *parts) note(sh *shard, now engine.Instant) {
	s := p.store
	if s.options.Journal == nil {
		return
	}
	for i := range p.calls {
		if p.changed[i] && !p.evicted(i) {
			s.change(sh).Note(p.calls[i].Key, p.before[i], p.after[i])
		}
	}
	s.tell(sh, now)
}

// evicted says whether a new state was evicted for that of another part. The journal
// has been told.
func (p *parts) evicted(i int) bool {
	if !p.crowded || p.after[i].Kind == 0 {
		return false
	}
	_, slot := p.place(i)
	return slot < 0
}
