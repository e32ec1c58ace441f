package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A naiveLog is what the sliding log means: the instants of all units, in a slice
// that is gone through from end to end.
type naiveLog struct {
	window Window
	units  []Instant
}

func (l *naiveLog) decide(r *Request) Decision {
	var live []Instant
	for _, at := range l.units {
		if l.window == r.Limit.Window && at > r.Now-r.Limit.Window.length() {
			live = append(live, at)
		}
	}
	d := Decision{RetryAfter: Never}
	most, cost := int(r.Limit.Max), int(max(r.Cost, 1))
	switch {
	case r.Cost < 0:
		live = live[:max(0, len(live)+int(r.Cost))]
	case len(live)+cost > most:
		d.Limited = true
		for gone, at := range live { // the first so many must go
			if len(live)-gone-1+cost <= most {
				d.RetryAfter = time.Duration(at + r.Limit.Window.length() - r.Now)
				break
			}
		}
	default:
		for range r.Cost {
			live = append(live, r.Now)
		}
	}
	d.Remaining = uint64(max(0, most-len(live)))
	if len(live) > 0 {
		d.ResetAfter = time.Duration(live[len(live)-1] + r.Limit.Window.length() - r.Now)
	}
	if !d.Limited && r.Cost != 0 {
		l.window, l.units = r.Limit.Window, live
	}
	return d
}

// A logPair is a state and what it means.
type logPair struct {
	fastDice
	t     *testing.T
	state State
	naive naiveLog
	now   Instant
	most  uint64 // the highest limit so far
}

// newLogPair begins at any position: around the places where a ring of any length
// turns over, and far out.
func newLogPair(t *testing.T, seed uint64) *logPair {
	p := &logPair{fastDice: fastDice{rand.New(rand.NewPCG(seed, 0))}, t: t, now: 1_900_000_000 * Instant(time.Second)}
	if first := oneOf(p, 0, uint64(1)<<p.between(2, 62)); first > 0 {
		first -= uint64(p.between(0, 3))
		p.naive = naiveLog{1000, []Instant{p.now}}
		p.state = State{
			Kind: KindSlidingLog, Deadline: p.now + Window(1000).length(),
			Words: [3]uint64{1000, first, first + 1}, Log: NewLog(first, p.naive.units),
		}
	}
	p.most = 1
	return p
}

func (p *logPair) move() {
	switch p.between(0, 5) {
	case 0:
		p.now += Instant(p.between(0, int64(p.naive.window.length())))
	case 1:
		p.now += Instant(p.between(0, int64(time.Millisecond)))
	case 2: // to where a unit goes, or just before
		if n := len(p.naive.units); n > 0 {
			at := p.naive.units[p.between(0, int64(n-1))] + p.naive.window.length() - Instant(p.between(0, 1))
			p.now = max(p.now, at)
		}
	case 3:
		if p.between(0, 9) == 0 {
			p.setBack()
		}
	}
	if p.state = p.state.At(p.now); p.state.Kind == 0 { // as a store forgets it
		p.naive = naiveLog{}
	}
}

func (p *logPair) setBack() {
	to := p.now - Instant(p.between(0, int64(time.Minute)))
	if p.state = p.state.At(p.now); p.state.Kind != 0 {
		p.state = setBackSlidingLog(p.state, p.now, to)
		for i := range p.naive.units {
			p.naive.units[i] -= p.now - to
		}
	}
	p.now = to
}

func (p *logPair) call(most uint64) {
	w := oneOf(p, Window(1000), 1000, 1000, 1000, 1000, 1000, 1000, 7)
	r := &Request{Limit: Limit{Max: most, Window: w}, Now: p.now}
	r.Cost = oneOf(p, 1, p.between(-2, 3), p.between(-int64(most), int64(most)+1))
	before, held := p.state, p.state.Words[2]-p.state.Words[1]
	copied := before.Clone()
	if p.between(0, 3) == 0 { // a call that is dropped
		decideSlidingLog(p.state, &Request{Limit: r.Limit, Now: p.now, Cost: p.between(-3, int64(most))})
	}
	want := p.naive.decide(r)
	after, got := decideSlidingLog(p.state, r)
	if got != want {
		p.t.Fatalf("%+v on %v: %+v, not %+v", r, copied, got, want)
	}
	if !before.Equal(copied) {
		p.t.Fatalf("%+v: what was there before became %v", r, before.instants())
	}
	p.state = after
	p.most = max(p.most, most)
	p.compare(fmt.Sprintf("%+v", r))
	if after != before && r.Cost > 0 {
		p.fits(held+uint64(r.Cost), after.Log != before.Log)
	}
}

// fits checks the ring of a call that was granted, which had to hold so many units:
// what counted before and what is new.
func (p *logPair) fits(units uint64, made bool) {
	ring := uint64(len(p.state.Log.ring))
	if made && ring > max(smallLog, 2*units) || ring > max(smallLog, 8*units+7) {
		p.t.Fatalf("a ring of %d for %d units (made now: %v)", ring, units, made)
	}
}

func (p *logPair) compare(what string) {
	p.t.Helper()
	s := p.state
	if s.Kind == 0 {
		if len(p.naive.units) != 0 {
			p.t.Fatalf("%s: the state is zero, of the naive %d are left", what, len(p.naive.units))
		}
		return
	}
	last := p.naive.units[len(p.naive.units)-1]
	if !slices.Equal(s.instants(), p.naive.units) || Window(s.Words[0]) != p.naive.window || s.Deadline != last+p.naive.window.length() {
		p.t.Fatalf("%s: %+v with %v, not %+v", what, s, s.instants(), p.naive)
	}
	if n := uint64(s.Log.Bytes()); n > 8*max(smallLog, 4*p.most) {
		p.t.Fatalf("%s: %d bytes for at most %d units", what, n, p.most)
	}
}

// The ring is a naive log, whatever limits, windows, costs and times come.
func TestSlidingLogIsNaiveLog(t *testing.T) {
	for seed := range uint64(300) {
		p := newLogPair(t, seed)
		most := uint64(spread(p, 1, 200))
		for range 300 {
			if p.between(0, 20) == 0 {
				most = uint64(spread(p, 1, 400)) // it grows and shrinks
			}
			p.move()
			p.call(most)
		}
	}
}

// A key at its limit, always used, goes round and round in one ring.
func TestSlidingLogRunsInPlace(t *testing.T) {
	for _, most := range []int64{1, 3, 4, 5, 100, 128} {
		limit, err := LogLimit(most, 1000)
		if err != nil {
			t.Fatal(err)
		}
		r := &Request{Limit: limit, Cost: 1, Now: 1}
		var s State
		run := func() {
			for range 8 * most {
				s, _ = decideSlidingLog(s.At(r.Now), r)
				r.Now += Instant(time.Second)/Instant(most) + Instant(most%2)
			}
		}
		run()
		ring := s.Log
		if n := testing.AllocsPerRun(20, run); most > 1 && (n != 0 || s.Log != ring) {
			t.Errorf("at a limit of %d: %v allocations in %d calls", most, n, 8*most)
		}
		if n := uint64(s.Log.Bytes()); n > 8*ringLength(2*uint64(most)) {
			t.Errorf("at a limit of %d: %d bytes", most, n)
		}
	}
}
