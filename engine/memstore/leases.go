package memstore

import (
	"context"
	"sort"
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

// live is how many leases are not over.
func (l *leases) live(now engine.Instant) int {
	n := l.Len()
	return n - sort.Search(n, func(i int) bool { return l.Nth(i).Until > now })
}

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
func (s *Store) Lease(_ context.Context, c *engine.LeaseCall) (engine.Decision, bool, error) {
	h := s.hash(c.Key)
	sh := s.shard(h)
	s.lock(sh)
	defer s.unlock(sh)
	c.Now = s.clock.Now()
	i := sh.find(h, c.Key)
	old := sh.state(i, c.Now)
	if old.Kind != 0 && old.Kind != engine.KindConcurrency {
		return engine.Decision{}, false, engine.ErrWrongKind
	}
	content := newLeases()
	if old.Kind != 0 {
		content = sh.boxOf(sh.record(sh.index[i].ref())).leases
	}
	had, has := content.Get(c.Token)
	call, barred := *c, s.barred(sh, c, had, has)
	if barred != nil {
		if c.Op != engine.Acquire {
			return engine.Decision{}, false, barred
		}
		call.Lease = 0 // it looks: one that is refused anyway is answered as ever
	}
	d, held := call.Decide(content)
	if err := sh.keep(h, c.Key, i, old, content); err != nil {
		if old.Kind != 0 {
			sh.undo(i, content, c.Token, had, has)
		}
		return engine.Decision{}, false, err
	}
	if barred != nil && !d.Limited {
		return engine.Decision{}, false, barred
	}
	if lease, has := content.Get(c.Token); lease != had || !has && had.Until > c.Now {
		s.noteLease(sh, c, old, content)
	}
	return d, held, nil
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
func (s *shard) keep(h uint64, k engine.Key, i int, old engine.State, content *leases) error {
	switch next := content.state(); {
	case next.Kind == 0 && old.Kind != 0:
		s.remove(i)
	case next.Kind != 0 && next != old:
		return s.put(h, k, i, next, box{leases: content})
	}
	return nil
}

// undo gives a token the lease back that it had, or none, for there was no room to
// keep the change. That leases which are over were dropped makes no difference.
func (s *shard) undo(i int, content *leases, token string, had engine.Lease, has bool) {
	content.Delete(token)
	if has {
		content.Set(had)
	}
	s.refill(s.record(s.index[i].ref()).box(), box{leases: content})
}
