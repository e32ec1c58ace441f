package engine

import "testing"

// Kinds are in files on disk, and names on the wire: neither ever changes.
func TestKindsNeverChange(t *testing.T) {
	names := [...]string{"none", "gcra", "token-bucket", "fixed-window", "sliding-window", "leaky-bucket", "sliding-log"}
	for _, a := range Algorithms {
		if int(a.Kind) >= len(names) || names[a.Kind] != a.Name || a.Kind == 0 {
			t.Errorf("kind %d is %q: new on disk and on the wire? then it belongs into this test", a.Kind, a.Name)
		}
		if a.Kind.Algorithm() != a || a.Kind.String() != a.Name {
			t.Errorf("%s: its kind leads to %v", a.Name, a.Kind)
		}
		if a.Doc == "" || a.Decide == nil || a.SetBack == nil {
			t.Errorf("%s: the row has a hole", a.Name)
		}
	}
	if none := Kind(0); none.String() != "none" || none.Algorithm() != nil {
		t.Errorf("the zero Kind is %v", none)
	}
}

func TestStateAt(t *testing.T) {
	state := State{Kind: KindFixedWindow, Deadline: 10, Words: [3]uint64{60_000, 1}}
	for _, tt := range []struct {
		now  Instant
		want State
	}{{0, state}, {9, state}, {10, State{}}, {MaxInstant, State{}}} {
		if got := state.At(tt.now); got != tt.want {
			t.Errorf("at %d: %+v, want %+v", tt.now, got, tt.want)
		}
	}
	if got := (State{}).At(0); got != (State{}) {
		t.Errorf("the zero state at 0 is %+v", got)
	}
}
