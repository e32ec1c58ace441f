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
