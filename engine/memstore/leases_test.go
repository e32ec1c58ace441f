package memstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidwall/btree"

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

// The order of ends is kept by comparing few of them, however many there are: in a
// hundred times as many leases a call may take twice as long, not a hundred times.
func TestLeasesCompareFew(t *testing.T) {
	perCall := map[int]int{}
	for _, n := range []int{100, 10_000} {
		compared := 0
		l := newLeases()
		l.byEnd = btree.NewBTreeGOptions(func(a, b engine.Lease) bool {
			compared++
			return endsBefore(a, b)
		}, btree.Options{NoLocks: true})
		calls := 0
		do := func(c engine.LeaseCall) {
			c.Decide(l)
			l.state()
			calls++
		}
		for i := range n {
			do(engine.LeaseCall{Token: fmt.Sprint(i), Limit: uint64(n), Lease: time.Duration(1+i*7919%n) * time.Second})
		}
		for i := range n {
			do(engine.LeaseCall{Token: "new", Limit: uint64(1 + i), Lease: time.Second})
			do(engine.LeaseCall{Op: engine.Renew, Token: fmt.Sprint(i), Lease: time.Hour})
		}
		l.live(engine.Instant(time.Minute))
		for i := range n {
			do(engine.LeaseCall{Op: engine.Release, Token: fmt.Sprint(i)})
		}
		perCall[n] = compared / calls
		if l.Len() != 0 || l.tokens != 0 || l.byEnd.Len() != 0 {
			t.Errorf("%d leases and %d bytes of tokens are left", l.Len(), l.tokens)
		}
	}
	if few, many := perCall[100], perCall[10_000]; few == 0 || many > 3*few {
		t.Errorf("among a hundred a call compares %d times, among ten thousand %d", few, many)
	}
}
