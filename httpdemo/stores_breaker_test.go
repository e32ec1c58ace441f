package httpdemo

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// states are what a breaker is seen to do, a call a row.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down error
		s := failing(&down)
		b := NewBreaker(s, BreakerOptions{})
		take := func(want error, touches int64, state BreakerState) {
			t.Helper()
			before := s.calls.Load()
			if _, err := b.Take(t.Context(), Ask{}); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			if n := s.calls.Load() - before; n != touches || b.State() != state {
				t.Errorf("touches the store %d times, want %d; then it is %v, want %v", n, touches, b.State(), state)
			}
		}
		take(nil, 1, BreakerClosed)
		down = errStoreDown
		for range 4 {
			take(errStoreDown, 1, BreakerClosed)
		}
		down = nil
		take(nil, 1, BreakerClosed) // they were not in a row
		down = errStoreDown
		for range 4 {
			take(errStoreDown, 1, BreakerClosed)
		}
		take(errStoreDown, 1, BreakerOpen)
		for range 1000 {
			take(ErrBreakerOpen, 0, BreakerOpen)
		}
		time.Sleep(250*time.Millisecond - 1)
		take(ErrBreakerOpen, 0, BreakerOpen)
		time.Sleep(250*time.Millisecond + 1)
		take(errStoreDown, 1, BreakerOpen) // the probe fails, and the rest begins anew
		take(errStoreDown, 0, BreakerOpen) // and the reason is told with it
		time.Sleep(500 * time.Millisecond)
		down = nil
		take(nil, 1, BreakerClosed)
		take(nil, 1, BreakerClosed)
	})
}

// One that fails for good is asked every 250 to 500 ms, not in step with others;
// its return is noticed within half a second.
func TestBreakerProbesAtRandomIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down, last := errStoreDown, time.Now()
		var rests []time.Duration
		s := &stubStore{take: func(context.Context, Ask) (Verdict, error) {
			rests = append(rests, time.Since(last))
			last = time.Now()
			return Verdict{}, down
		}}
		b := NewBreaker(s, BreakerOptions{Failures: 1})
		for range 60_000 { // a minute
			_, _ = b.Take(t.Context(), Ask{})
			time.Sleep(time.Millisecond)
		}
		seen := map[time.Duration]bool{}
		for _, rest := range rests[1:] {
			if rest < 250*time.Millisecond || rest > 501*time.Millisecond {
				t.Errorf("a rest of %v", rest)
			}
			seen[rest] = true
		}
		if len(rests) < 60*2 || len(rests) > 60*4+1 || len(seen) < len(rests)/4 {
			t.Errorf("%d probes in a minute, of %d different rests", len(rests), len(seen))
		}
		down = nil
		time.Sleep(500 * time.Millisecond)
		if _, err := b.Take(t.Context(), Ask{}); err != nil {
			t.Error(err)
		}
	})
}

// While one probe is under way nobody else asks.
func TestBreakerHasOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errStoreDown
		s := &stubStore{}
		s.take = func(context.Context, Ask) (Verdict, error) {
			err := down
			time.Sleep(50 * time.Millisecond)
			return Verdict{}, err
		}
		b := NewBreaker(s, BreakerOptions{Failures: 1})
		_, _ = b.Take(t.Context(), Ask{})
		time.Sleep(500 * time.Millisecond)
		s.calls.Store(0)
		down = nil
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { _, _ = b.Take(t.Context(), Ask{}) })
		}
		synctest.Wait()
		if n := s.calls.Load(); n != 1 || b.State() != BreakerHalfOpen {
			t.Errorf("%d probes under way, %v", n, b.State())
		}
		all.Wait()
		if b.State() != BreakerClosed {
			t.Errorf("%v after a good probe", b.State())
		}
	})
}

// A call that began before the breaker opened neither closes it nor makes it rest
// anew.
func TestBreakerIgnoresLateEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan error)
		s := &stubStore{take: func(ctx context.Context, a Ask) (Verdict, error) {
			if a.Subject == "slow" {
				return Verdict{}, <-slow
			}
			return Verdict{}, errStoreDown
		}}
		b := NewBreaker(s, BreakerOptions{Failures: 1})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { _, _ = b.Take(t.Context(), Ask{Subject: "slow"}) })
		}
		synctest.Wait()
		_, _ = b.Take(t.Context(), Ask{})
		until := b.until
		slow <- nil
		time.Sleep(time.Millisecond)
		slow <- errStoreDown
		all.Wait()
		if b.State() != BreakerOpen || b.until != until {
			t.Errorf("%v until %v", b.State(), b.until)
		}
	})
}

// What is no failure of the store does not open the breaker, and a probe that ends
// so leaves its place to the next.
func TestBreakerJudges(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		err   error
		probe BreakerState // after a probe that ends so
		opens bool
	}{
		{"refusal", t.Context(), nil, BreakerClosed, false},
		{"misconfigured", t.Context(), ErrMisconfigured, BreakerClosed, false},
		{"wrong question", t.Context(), ErrAsk, BreakerOpen, false},
		{"client left", cancelled, context.Canceled, BreakerOpen, false},
		{"timeout", t.Context(), context.DeadlineExceeded, BreakerOpen, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := c.err
				s := failing(&err)
				b := NewBreaker(s, BreakerOptions{Failures: 1})
				_, _ = b.Take(c.ctx, Ask{})
				if got := b.State() == BreakerOpen; got != c.opens {
					t.Errorf("opens: %v", got)
				}
				err = errStoreDown
				_, _ = b.Take(context.Background(), Ask{})
				time.Sleep(500 * time.Millisecond)
				err = c.err
				s.calls.Store(0)
				_, _ = b.Take(c.ctx, Ask{})
				if b.State() != c.probe {
					t.Errorf("after a probe it is %v, want %v", b.State(), c.probe)
				}
				if _, _ = b.Take(c.ctx, Ask{}); !c.opens && s.calls.Load() != 2 {
					t.Error("the next call may not ask the store")
				}
			})
		})
	}
}

// A panic in the store does not keep the breaker half open for ever.
func TestBreakerSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		b := NewBreaker(&stubStore{take: func(context.Context, Ask) (Verdict, error) {
			if fail {
				return Verdict{}, errStoreDown
			}
			panic("a bug")
		}}, BreakerOptions{Failures: 1})
		_, _ = b.Take(t.Context(), Ask{})
		time.Sleep(500 * time.Millisecond)
		fail = false
		func() {
			defer func() { _ = recover() }()
			_, _ = b.Take(t.Context(), Ask{})
		}()
		if b.State() != BreakerOpen {
			t.Errorf("%v", b.State())
		}
	})
}

func TestBreakerCostsNothingWhenOpen(t *testing.T) {
	down := errStoreDown
	b := NewBreaker(failing(&down), BreakerOptions{Failures: 1, Rest: time.Hour})
	ctx := t.Context()
	_, _ = b.Take(ctx, Ask{})
	if n := testing.AllocsPerRun(100, func() { _, _ = b.Take(ctx, Ask{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
