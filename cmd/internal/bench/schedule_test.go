package bench

import "testing"

func TestSchedule(t *testing.T) {
	for _, rate := range []float64{0.5, 1, 3, 7, 1000, 20_000, 333_333, 1e8} {
		s := NewSchedule(100, rate)
		if n := s.Due(99); n != 0 {
			t.Errorf("rate %v: %d calls are due before the first", rate, n)
		}
		for _, n := range []int64{0, 1, 2, 3, 6, 7, 999, 1_000_000, 123_456_789} {
			at := s.At(n)
			if due := s.Due(at); due != n+1 {
				t.Errorf("rate %v: %d calls are due when call %d is", rate, due, n)
			}
			if due := s.Due(at - 1); due != n {
				t.Errorf("rate %v: %d calls are due just before call %d", rate, due, n)
			}
		}
		if exact, got := 100+3600e9, float64(s.At(int64(3600*rate))); got < exact || got > exact+1000 {
			t.Errorf("rate %v: after an hour the schedule is at %v, not %v", rate, got, exact)
		}
	}
}

// TestCoordinatedOmission moves a clock by hand. A server that answers in 1 ms stalls
// once for 100 ms, under 1000 calls a second on one connection: the calls that were
// due meanwhile count with what they waited, not with the millisecond that each took
// once it was sent.
func TestCoordinatedOmission(t *testing.T) {
	const ms = 1_000_000
	p := Pacer{Schedule: NewSchedule(0, 1000)}
	h := newHistogram()
	for now := int64(0); now < 1000*ms; {
		first, n := p.Take(now, 1)
		if n == 0 {
			now = p.NextAt()
			continue
		}
		took := int64(ms / 2)
		if first == 500 {
			took = 100 * ms
		}
		now += took
		record(h, now-p.At(first), 1)
	}
	l := summarize(h)
	if h.TotalCount() != 1000 || p.Missed(1000*ms) != 0 {
		t.Errorf("%d calls, %d missed", h.TotalCount(), p.Missed(1000*ms))
	}
	// The queue of 100 is worked off at twice the rate: some 200 calls waited, from 100 ms down.
	near(t, "p50", l.P50, 500)
	near(t, "p90", l.P90, 50_000)
	near(t, "p99", l.P99, 95_000)
	near(t, "max", l.Max, 100_000)
}

// near compares microseconds to within a twentieth.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got < want*0.95 || got > want*1.05 {
		t.Errorf("%s is %v µs, want about %v", what, got, want)
	}
}

func TestPacer(t *testing.T) {
	p := Pacer{Schedule: NewSchedule(0, 1e9/10)} // at 0, 10, 20, …
	for _, step := range []struct {
		now      int64
		most     int
		first, n int64
		next     int64
	}{
		{0, 5, 0, 1, 10},
		{9, 5, 1, 0, 10},
		{35, 2, 1, 2, 30},
		{35, 2, 3, 1, 40},
		{5, 2, 4, 0, 40}, // a clock that goes back
	} {
		first, n := p.Take(step.now, step.most)
		if first != step.first || int64(n) != step.n || p.NextAt() != step.next {
			t.Errorf("at %d: calls %d+%d, next at %d; want %d+%d, %d", step.now, first, n, p.NextAt(), step.first, step.n, step.next)
		}
	}
	if m := p.Missed(60); m != 2 {
		t.Errorf("%d calls missed before 60, want those of 40 and 50", m)
	}
	if m := p.Missed(30); m != 0 {
		t.Errorf("%d calls missed before 30", m)
	}
}
