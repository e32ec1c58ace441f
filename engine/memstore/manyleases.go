package memstore

import (
	"strings"

	"github.com/tidwall/btree"

	"sluice/engine"
)

// manyLeases are leases by token in a map, and in the order in which they end in a
// B-tree that counts, so that the n-th is found without a walk.
type manyLeases struct {
	byToken map[string]engine.Instant
	byEnd   *btree.BTreeG[engine.Lease]
	tokens  int // bytes of all of them, as memory comes
}

func newManyLeases(before func(a, b engine.Lease) bool, all []engine.Lease) *manyLeases {
	m := &manyLeases{
		byToken: make(map[string]engine.Instant, len(all)),
		byEnd:   btree.NewBTreeGOptions(before, btree.Options{NoLocks: true}),
	}
	for _, lease := range all {
		m.Add(lease)
	}
	return m
}

func (m *manyLeases) Get(token string) (engine.Lease, bool) {
	until, ok := m.byToken[token]
	if !ok {
		return engine.Lease{}, false
	}
	return engine.Lease{Token: token, Until: until}, true
}

// Add keeps a copy of the token: the caller's may be part of a longer text.
func (m *manyLeases) Add(lease engine.Lease) {
	lease.Token = strings.Clone(lease.Token)
	m.tokens += tokenBytes(lease.Token)
	m.put(lease)
}

func (m *manyLeases) put(lease engine.Lease) {
	m.byToken[lease.Token] = lease.Until
	m.byEnd.Set(lease)
}

func (m *manyLeases) Set(lease engine.Lease) {
	had, ok := m.Get(lease.Token)
	if !ok {
		m.Add(lease)
		return
	}
	had, _ = m.byEnd.Delete(had)
	lease.Token = had.Token
	m.put(lease)
}

func (m *manyLeases) Delete(token string) {
	if lease, ok := m.Get(token); ok {
		delete(m.byToken, token)
		m.byEnd.Delete(lease)
		m.tokens -= tokenBytes(token)
	}
}

func (m *manyLeases) DeleteFirst() {
	first, _ := m.byEnd.Min()
	m.Delete(first.Token)
}

func (m *manyLeases) Len() int { return len(m.byToken) }

func (m *manyLeases) End(i int) engine.Instant {
	lease, _ := m.byEnd.GetAt(i)
	return lease.Until
}

func (m *manyLeases) items() []engine.Lease { return m.byEnd.Items() }

// size is about what map and tree take: both are half to quite full.
func (m *manyLeases) size() int { return 96*len(m.byToken) + m.tokens }

// tokenBytes is what the bytes of a token take: memory comes in sixteens.
func tokenBytes(token string) int { return (len(token) + 15) / 16 * 16 }

func endsBefore(a, b engine.Lease) bool {
	if a.Until != b.Until {
		return a.Until < b.Until
	}
	return strings.Compare(a.Token, b.Token) < 0
}
