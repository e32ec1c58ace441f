package engine

import (
	"testing"
	"time"
)

// A call whose answer is dropped has changed nothing: not even entries that no
// longer counted for it, which count again when the clock is set back.
func TestSlidingLogDroppedCall(t *testing.T) {
	limit, err := LogLimit(3, 1000)
	if err != nil {
		t.Fatal(err)
	}
	state := State{}
	for _, ms := range []int64{0, 0, 900} {
		state, _ = decideSlidingLog(state, &Request{Limit: limit, Cost: 1, Now: Instant(ms) * millisecond})
	}
	before := state.Clone()
	now := 1500 * millisecond // the first two are over; two more go round the ring's end
	if _, d := decideSlidingLog(state, &Request{Limit: limit, Cost: 2, Now: now}); d.Limited {
		t.Fatal(d)
	}
	if !state.Equal(before) {
		t.Errorf("%v became %v", before.instants(), state.instants())
	}
	look := &Request{Limit: limit, Now: 950 * millisecond}
	if _, d := decideSlidingLog(state, look); d != (Decision{true, 0, 50 * time.Millisecond, 950 * time.Millisecond}) {
		t.Errorf("set back: %+v", d)
	}
}
