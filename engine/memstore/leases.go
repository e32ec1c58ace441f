package memstore

import (
	"slices"
	"sort"
	"strings"
	"unsafe"

	"sluice/engine"
)

// leases keeps one key's leases. Nearly every key has few, and what is made to find
// one among thousands would cost it more than its leases do; so that is made when
// they become many, and dropped when they are few again.
type leases struct {
	few     fewLeases
	many    *manyLeases // in the place of few, or nil
	changes uint64
	tokens  int // bytes of all tokens, as memory comes
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
	size() int             // without tokens
}

var _ engine.Leases = (*leases)(nil)

func (l *leases) set() leaseSet {
	if l.many != nil {
		return l.many
	}
	return &l.few
}

func (l *leases) Get(token string) (engine.Lease, bool) { return l.set().Get(token) }

func (l *leases) Set(lease engine.Lease) {
	n := l.Len()
	l.set().Set(lease)
	l.changed(lease.Token, l.Len()-n)
}

func (l *leases) Delete(token string) {
	n := l.Len()
	l.set().Delete(token)
	if l.Len() < n {
		l.changed(token, -1)
	}
}

// changed is after each change. There are more leases by so many: 1, 0 or -1.
func (l *leases) changed(token string, more int) {
	l.changes++
	l.tokens += more * tokenBytes(token)
	switch n := l.Len(); {
	case l.many == nil && n > mostFew:
		l.few, l.many = nil, newManyLeases(endsBefore, l.few)
	case l.many != nil && n < leastMany:
		l.few, l.many = l.many.items(), nil
	case l.many == nil && 4*n <= cap(l.few):
		l.few = slices.Clone(l.few)
	}
}

func (l *leases) Len() int { return l.set().Len() }

func (l *leases) Nth(i int) engine.Lease { return l.set().Nth(i) }

func (l *leases) items() []engine.Lease { return l.set().items() }

// size is what the leases take.
func (l *leases) size() int { return leasesHeader + l.set().size() + l.tokens }

// tokenBytes is what the bytes of a token take: memory comes in sixteens.
func tokenBytes(token string) int { return (len(token) + 15) / 16 * 16 }

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
	for _, lease := range l.items() {
		lease.Until -= from - to
		l.Set(lease)
	}
}

func endsBefore(a, b engine.Lease) bool {
	if a.Until != b.Until {
		return a.Until < b.Until
	}
	return strings.Compare(a.Token, b.Token) < 0
}
