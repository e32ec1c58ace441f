package server

import "testing"

// Patience that was in vain is tried ever more seldom, and always once it was not.
func TestPatience(t *testing.T) {
	tries := func(p *patience, waits int, came bool) (n int) {
		for range waits {
			if p.next() > 0 {
				n++
				p.learn(came)
			}
		}
		return n
	}
	p := &patience{}
	if n := tries(p, 1000, true); n != 1000 {
		t.Errorf("of those who come soon, %d of 1000 are waited for", n)
	}
	if n := tries(p, 1000, false); n < 1000/(mostInVain+1) || n > 30 {
		t.Errorf("of those who don't, %d of 1000 are waited for", n)
	}
	tries(p, mostInVain+1, true)
	if n := tries(p, 100, true); n != 100 {
		t.Errorf("of those who come soon again, %d of 100 are waited for", n)
	}
	if n := tries(&patience{none: true}, 100, true); n != 0 {
		t.Errorf("without patience, %d are waited for", n)
	}
}
