package memstore

import (
	"fmt"
	"testing"
	"time"

	"sluice/engine"
)

// A clock set back moves each lease once, however many there are.
func TestLeasesAndTheClock(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	const holders = 200
	call := &engine.LeaseCall{Key: engine.Key{Name: []byte("pool")}, Op: engine.Acquire, Limit: holders, Lease: time.Minute}
	for i := range holders {
		call.Token = fmt.Sprint("holder ", i)
		if _, held, err := s.Lease(t.Context(), call); !held || err != nil {
			t.Fatalf("%s: held %v (error: %v)", call.Token, held, err)
		}
	}
	s.AdvanceClock(-10 * time.Second)
	call.Token = "one more"
	d, held, err := s.Lease(t.Context(), call)
	if held || err != nil || d.RetryAfter != time.Minute || d.ResetAfter != time.Minute {
		t.Errorf("set back by ten seconds: %+v, held %v (error: %v)", d, held, err)
	}
	verify(t, s)
	s.AdvanceClock(time.Minute - 1)
	if d, held, _ := s.Lease(t.Context(), call); held {
		t.Errorf("a nanosecond before the leases end: %+v", d)
	}
	s.AdvanceClock(1)
	if n, b := s.mustLen(t), s.Usage().Bytes; n != 0 || b != 0 {
		t.Errorf("%d keys and %d bytes are left", n, b)
	}
}

// Leases that become many are kept as many are until they are few again.
func TestLeasesFewAndMany(t *testing.T) {
	l := newLeases(&packer{})
	isMany := func(n int, want bool) {
		t.Helper()
		if l.Len() != n || (l.many != nil) != want || want && l.few.bytes != nil {
			t.Errorf("%d leases of %d, as many: %v", l.Len(), n, l.many != nil)
		}
	}
	add := func(from, to int) {
		for i := from; i < to; i++ {
			l.Set(engine.Lease{Token: fmt.Sprint(i), Until: engine.Instant(1 + i*7919%1000)})
		}
	}
	remove := func(from, to int) {
		for i := from; i < to; i++ {
			l.Delete(fmt.Sprint(i))
		}
	}
	for range 2 {
		add(0, mostFew)
		isMany(mostFew, false)
		add(0, mostFew) // again
		isMany(mostFew, false)
		add(mostFew, 100)
		isMany(100, true)
		remove(leastMany, 100)
		isMany(leastMany, true)
		add(leastMany, mostFew+1)
		remove(leastMany-1, 100)
		isMany(leastMany-1, false)
		remove(1, 100)
		if isMany(1, false); cap(l.few.bytes) > 40 {
			t.Errorf("there are %d bytes where one lease is", cap(l.few.bytes))
		}
		l.Delete("none")
		remove(0, 1)
		if isMany(0, false); l.size() != leasesHeader {
			t.Errorf("no leases take %d bytes", l.size())
		}
	}
}

// What a dump was given does not change with the leases.
func TestLeasesItemsAreACopy(t *testing.T) {
	for _, n := range []int{3, 100} {
		l := newLeases(&packer{})
		for i := range n {
			l.Set(engine.Lease{Token: fmt.Sprint(i), Until: engine.Instant(1 + i)})
		}
		given := l.items()
		for i := range n {
			l.Set(engine.Lease{Token: fmt.Sprint(i), Until: engine.Instant(1 + n - i)})
		}
		l.Delete("0")
		for i, lease := range given {
			if want := (engine.Lease{Token: fmt.Sprint(i), Until: engine.Instant(1 + i)}); lease != want {
				t.Errorf("of %d leases number %d was %+v and is %+v", n, i, want, lease)
			}
		}
	}
}

// The order of ends is kept by comparing few of them, however many there are: in a
// hundred times as many leases a call may take twice as long, not a hundred times.
func TestLeasesCompareFew(t *testing.T) {
	perCall := map[int]int{}
	for _, n := range []int{100, 10_000} {
		compared := 0
		m := newManyLeases(func(a, b engine.Lease) bool {
			compared++
			return endsBefore(a, b)
		}, nil)
		calls := 0
		do := func(c engine.LeaseCall) {
			had, _ := m.Get(c.Token)
			c.Decide(m, had)
			engine.LeaseState(m)
			calls++
		}
		for i := range n {
			do(engine.LeaseCall{Token: fmt.Sprint(i), Limit: uint64(n), Lease: time.Duration(1+i*7919%n) * time.Second})
		}
		for i := range n {
			do(engine.LeaseCall{Token: "new", Limit: uint64(1 + i), Lease: time.Second})
			do(engine.LeaseCall{Op: engine.Renew, Token: fmt.Sprint(i), Lease: time.Hour})
		}
		(&leases{many: m}).live(engine.Instant(time.Minute))
		for i := range n {
			do(engine.LeaseCall{Op: engine.Release, Token: fmt.Sprint(i)})
		}
		perCall[n] = compared / calls
		if m.Len() != 0 || m.byEnd.Len() != 0 {
			t.Errorf("%d leases are left by token, %d by end", m.Len(), m.byEnd.Len())
		}
	}
	if few, many := perCall[100], perCall[10_000]; few == 0 || many > 3*few {
		t.Errorf("among a hundred a call compares %d times, among ten thousand %d", few, many)
	}
}
