package memstore

import (
	"slices"
	"sort"
	"unsafe"

	"sluice/engine"
)

// leases keeps one key's leases. Nearly every key has few, and what is made to find
// one among thousands would cost it more than its leases do; so that is made when
// they become many, and dropped when they are few again.
type leases struct {
	few     packedLeases
	many    *manyLeases // in the place of few, or nil
	changes uint64
	lent    bool // they are the desk's, and few; nobody asks for their size
}

// From about 17 leases on a map finds one sooner than a look at each. Leases that
// come and go at one of these bounds are not moved each time.
const (
	mostFew   = 16
	leastMany = 8
)

// leasesHeader is what leases take themselves.
const leasesHeader = int(unsafe.Sizeof(leases{}))

// A leaseSet is a way to keep leases.
type leaseSet interface {
	engine.Leases
	items() []engine.Lease // a copy, in the order in which they end
	size() int
}

var _ engine.Leases = (*leases)(nil)

func newLeases(tokens *packer) *leases { return &leases{few: packedLeases{tokens: tokens}} }

func (l *leases) set() leaseSet {
	if l.many != nil {
		return l.many
	}
	return &l.few
}

func (l *leases) Get(token string) (engine.Lease, bool) { return l.set().Get(token) }

func (l *leases) Add(lease engine.Lease) {
	l.set().Add(lease)
	l.changed()
}

func (l *leases) Set(lease engine.Lease) {
	l.set().Set(lease)
	l.changed()
}

func (l *leases) Delete(token string) {
	n := l.Len()
	if l.set().Delete(token); l.Len() < n {
		l.changed()
	}
}

func (l *leases) DeleteFirst() {
	l.set().DeleteFirst()
	l.changed()
}

// changed is after each change.
func (l *leases) changed() {
	l.changes++
	switch n := l.Len(); {
	case l.lent:
	case l.many == nil && n > mostFew:
		l.many = newManyLeases(endsBefore, l.few.items())
		l.few = packedLeases{tokens: l.few.tokens}
	case l.many != nil && n < leastMany:
		l.few, l.many = packLeases(l.many.items(), l.few.tokens), nil
	case l.many == nil && 4*len(l.few.bytes) <= cap(l.few.bytes):
		l.few.bytes = slices.Clone(l.few.bytes)
	}
}

func (l *leases) Len() int { return l.set().Len() }

func (l *leases) End(i int) engine.Instant { return l.set().End(i) }

func (l *leases) items() []engine.Lease { return l.set().items() }

// clear makes lent leases none, for another key.
func (l *leases) clear() {
	l.few.bytes, l.few.n, l.changes = l.few.bytes[:0], 0, 0
}

// own is a copy of leases that are lent.
func (l *leases) own() *leases {
	o := &leases{few: l.few}
	o.few.bytes = slices.Clone(l.few.bytes)
	o.changed() // they may have become many
	o.changes = l.changes
	return o
}

// size is what the leases take.
func (l *leases) size() int { return leasesHeader + l.set().size() }

// live is how many leases are not over.
func (l *leases) live(now engine.Instant) int {
	n := l.Len()
	return n - sort.Search(n, func(i int) bool { return l.End(i) > now })
}

// state is the key's state.
func (l *leases) state() (s engine.State) {
	l.into(&s)
	return s
}

// into is state, into a zero one. A change that leaves number and end alike shows too.
func (l *leases) into(s *engine.State) {
	if n := l.Len(); n > 0 {
		s.Kind, s.Deadline = engine.KindConcurrency, l.End(n-1)
		s.Words[0], s.Words[1] = uint64(n), l.changes
	}
}

// setBack moves the end of every lease with the clock.
func (l *leases) setBack(from, to engine.Instant) {
	for _, lease := range l.items() {
		lease.Until -= from - to
		l.Set(lease)
	}
}
