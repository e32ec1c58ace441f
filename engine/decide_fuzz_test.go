package engine

import "testing"

// FuzzDecide asks any state with any call: no panic, and an answer within bounds.
// Its input is an algorithm, then what the dice show.
func FuzzDecide(f *testing.F) {
	for i := range Algorithms {
		for _, dice := range []string{"", "\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x01\x7f\x03some bytes that are any numbers at all"} {
			f.Add(uint8(i), []byte(dice))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, dice []byte) {
		a := Algorithms[int(i)%len(Algorithms)]
		s, d := subjectOf(t, a), &byteDice{dice}
		w := newWalk(a, s, d)
		if d.between(0, 7) > 0 {
			w.state = s.state(d)
			w.state.Kind = a.Kind
		}
		for range 4 {
			before, r := w.state, w.request()
			if what := w.untrue(before, r, w.state, w.call(r)); what != "" {
				t.Fatalf("%s: %s", a.Name, what)
			}
			w.pass()
		}
	})
}
