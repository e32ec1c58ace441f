package memstore

import (
	"context"
	"strings"

	"github.com/tidwall/btree"

	"sluice/engine"
)

// leases keeps one key's leases: by token in a map, and in the order in which they
// end in a B-tree that counts, so that the n-th is found without a walk.
type leases struct {
	byToken map[string]engine.Instant
	byEnd   *btree.BTreeG[engine.Lease]
	changes uint64
	tokens  int // bytes of all tokens
}

var _ engine.Leases = (*leases)(nil)

func newLeases() *leases {
	byEnd := btree.NewBTreeGOptions(endsBefore, btree.Options{NoLocks: true})
	return &leases{byToken: map[string]engine.Instant{}, byEnd: byEnd}
}

func endsBefore(a, b engine.Lease) bool {
	if a.Until != b.Until {
		return a.Until < b.Until
	}
	return strings.Compare(a.Token, b.Token) < 0
}

func (l *leases) Get(token string) (engine.Lease, bool) {
	until, ok := l.byToken[token]
	return engine.Lease{Token: token, Until: until}, ok
}

func (l *leases) Set(lease engine.Lease) {
	l.Delete(lease.Token)
	l.byToken[lease.Token] = lease.Until
	l.byEnd.Set(lease)
	l.tokens += len(lease.Token)
	l.changes++
}

func (l *leases) Delete(token string) {
	lease, ok := l.Get(token)
	if !ok {
		return
	}
	delete(l.byToken, token)
	l.byEnd.Delete(lease)
	l.tokens -= len(token)
	l.changes++
}

func (l *leases) Len() int { return len(l.byToken) }

func (l *leases) Nth(i int) engine.Lease {
	lease, _ := l.byEnd.GetAt(i)
	return lease
}

// size is about what the leases take: a token twice as a header, once as bytes, and
// what map and tree need around it.
func (l *leases) size() int { return 512 + 96*len(l.byToken) + l.tokens }

// state is the key's state. A change that leaves number and end alike shows too.
func (l *leases) state() engine.State {
	s := engine.LeaseState(l)
	if s.Kind != 0 {
		s.Words[1] = l.changes
	}
	return s
}

// setBack moves the end of every lease with the clock.
func (l *leases) setBack(from, to engine.Instant) {
	// From a copy: a map that is changed while it is walked may show a token twice.
	for _, lease := range l.byEnd.Items() {
		lease.Until -= from - to
		l.Set(lease)
	}
}

// Lease carries a call about leases out.
func (s *Store) Lease(_ context.Context, c *engine.LeaseCall) (d engine.Decision, held bool, err error) {
	h := s.hash(c.Key)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	c.Now = s.clock.Now()
	i := sh.find(h, c.Key)
	old := sh.state(i, c.Now)
	if old.Kind != 0 && old.Kind != engine.KindConcurrency {
		return d, false, engine.ErrWrongKind
	}
	content := newLeases()
	if old.Kind != 0 {
		content = sh.boxOf(sh.record(sh.index[i].ref())).leases
	}
	if _, has := content.Get(c.Token); !has && c.Op == engine.Acquire && c.Lease > 0 && sh.full() {
		return d, false, engine.ErrFull
	}
	d, held = c.Decide(content)
	next := content.state()
	switch {
	case next.Kind == 0 && old.Kind != 0:
		sh.remove(i)
	case next.Kind != 0 && next != old:
		err = sh.put(h, c.Key, i, next, box{leases: content})
	}
	if err != nil {
		return engine.Decision{}, false, err
	}
	return d, held, nil
}
