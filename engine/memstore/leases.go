package memstore

import (
	"encoding/binary"
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
	// They are the desk's, and some tokens lie on it. They are few, whatever comes, and
	// nobody asks for their size.
	lent bool
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
	if l.lent {
		return
	}
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

func (l *leases) items() []engine.Lease {
	all := l.set().items()
	for i := range all {
		if l.lent {
			all[i].Token = strings.Clone(all[i].Token)
		}
	}
	return all
}

// own is a copy of leases that are lent.
func (l *leases) own() *leases {
	o := &leases{}
	for _, lease := range l.items() {
		o.Set(lease)
	}
	o.changes = l.changes
	return o
}

// appendShort appends the leases, and says whether they are short. Of each it appends
// the length of the token, the token and the end, but for the last end: that is the
// deadline.
func (l *leases) appendShort(b []byte) ([]byte, bool) {
	if l.many != nil || len(l.few) > mostShortLeases {
		return nil, false
	}
	for i, lease := range l.few {
		n := len(lease.Token)
		if len(b)+1+n+8 > maxShort {
			return nil, false
		}
		b = append(append(b, byte(n)), lease.Token...)
		if i < len(l.few)-1 {
			b = binary.LittleEndian.AppendUint64(b, uint64(lease.Until))
		}
	}
	return b, true
}

// readShort is what appendShort has appended: n leases, whose tokens stay where they are.
func (l *leases) readShort(b []byte, n int, deadline engine.Instant) {
	for i := range n {
		to := 1 + int(b[0])
		lease := engine.Lease{Token: lentString(b[1:to]), Until: deadline}
		b = b[to:]
		if i < n-1 {
			lease.Until = engine.Instant(binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
		l.few = append(l.few, lease)
	}
}

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
