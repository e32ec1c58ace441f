package engine

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"
)

// A tally is Leases that count how often they are asked.
type tally struct {
	leases []Lease
	asked  int
}

func (l *tally) find(token string) int {
	return slices.IndexFunc(l.leases, func(x Lease) bool { return x.Token == token })
}

func (l *tally) Get(token string) (Lease, bool) {
	l.asked++
	if i := l.find(token); i >= 0 {
		return l.leases[i], true
	}
	return Lease{}, false
}

func (l *tally) Set(lease Lease) {
	l.Delete(lease.Token)
	i, _ := slices.BinarySearchFunc(l.leases, lease, func(a, b Lease) int { return cmp.Compare(a.Until, b.Until) })
	l.leases = slices.Insert(l.leases, i, lease)
}

func (l *tally) Delete(token string) {
	l.asked++
	if i := l.find(token); i >= 0 {
		l.leases = slices.Delete(l.leases, i, i+1)
	}
}

func (l *tally) Len() int { l.asked++; return len(l.leases) }

func (l *tally) End(i int) Instant { l.asked++; return l.leases[i].Until }

func (l *tally) Add(lease Lease) { l.Set(lease) }

func (l *tally) DeleteFirst() { l.asked++; l.leases = l.leases[1:] }

// However many hold a lease, a call asks for a handful of them. A lease that is over
// is dropped once, which was paid for when it was acquired.
func TestLeaseCallsStayShort(t *testing.T) {
	const each = 16
	for _, n := range []int{10, 100, 1000} {
		l := &tally{}
		call := func(c LeaseCall) Decision {
			l.asked = 0
			had, _ := l.Get(c.Token)
			d, _ := c.Decide(l, had)
			if l.asked > each {
				t.Errorf("among %d: %+v asked %d times", n, c, l.asked)
			}
			return d
		}
		acquire := func(i int) LeaseCall {
			return LeaseCall{Token: fmt.Sprint(i), Limit: uint64(n), Lease: time.Duration(i+1) * time.Second}
		}
		for i := range n {
			call(acquire(i))
		}
		if d := call(acquire(n)); !d.Limited || d.RetryAfter != time.Second {
			t.Errorf("one of %d must end: %+v", n, d)
		}
		lower := acquire(n)
		lower.Limit = 1
		if d := call(lower); d.RetryAfter != time.Duration(n)*time.Second {
			t.Errorf("all of %d must end: %+v", n, d)
		}
		for i := range n {
			call(LeaseCall{Op: Renew, Token: fmt.Sprint(i), Lease: time.Minute})
		}
		call(LeaseCall{Op: Release, Token: "0"})
		look := LeaseCall{Limit: uint64(n), Now: Instant(time.Minute)}
		l.asked = 0
		if d, _ := look.Decide(l, Lease{}); d.Remaining != uint64(n) || l.asked > 8*n {
			t.Errorf("when all of %d are over: %+v, asked %d times", n, d, l.asked)
		}
	}
}
