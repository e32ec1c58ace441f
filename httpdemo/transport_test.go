package httpdemo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	perSecond = Rule{Name: "second", Algorithm: "token-bucket", Capacity: 2, RefillPerSecond: 2_000_000}
	perMinute = Rule{Name: "minute", Algorithm: "fixed-window", Limit: 5, Window: time.Minute}
	perDay    = Rule{Name: "day", Algorithm: "fixed-window", Limit: 7, Window: 24 * time.Hour}
)

func newPaced(budget time.Duration, rules ...Rule) (*Transport, *partner) {
	p := &partner{start: time.Now()}
	return &Transport{Store: &pureStore{}, Rules: rules, Budget: budget, Base: p}, p
}

func call(t *Transport, ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://partner.example/v1", nil)
	if err != nil {
		return err
	}
	_, err = t.RoundTrip(r)
	return err
}

func wantTimes(t *testing.T, p *partner, want ...time.Duration) {
	t.Helper()
	if !slices.Equal(p.at, want) {
		t.Errorf("the partner was called at %v, want %v", p.at, want)
	}
}

// TestTransportPaces calls as fast as it may under three rules at once.
func TestTransportPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(2*time.Minute, perSecond, perMinute, perDay)
		for range 7 {
			if err := call(paced, t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		const half = 500 * time.Millisecond
		wantTimes(t, partner, 0, 0, half, 2*half, 3*half, time.Minute, time.Minute)
		err := call(paced, t.Context())
		var late *NotInTimeError
		if !errors.As(err, &late) || !errors.Is(err, ErrNotInTime) || late.RetryAfter != 24*time.Hour-time.Minute {
			t.Errorf("the eighth call of the day: %v", err)
		}
	})
}

// TestTransportIsFair starts calls one after the other that all have to wait.
func TestTransportIsFair(t *testing.T) {
	for _, rule := range []Rule{perSecond, {Name: "w", Algorithm: "fixed-window", Limit: 2, Window: time.Second}} {
		t.Run(rule.Algorithm, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				paced, _ := newPaced(time.Minute, rule)
				var mu sync.Mutex
				var order []int
				var calls sync.WaitGroup
				for i := range 20 {
					calls.Go(func() {
						if err := call(paced, t.Context()); err != nil {
							t.Error(err)
						}
						mu.Lock()
						order = append(order, i/2) // two that go at the same instant end in any order
						mu.Unlock()
					})
					synctest.Wait()
				}
				calls.Wait()
				if !slices.IsSorted(order) {
					t.Errorf("served in the order %v", order)
				}
			})
		})
	}
}

// TestTransportGivesBack cancels a call that waits; the next has its place.
func TestTransportGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(time.Minute, perSecond)
		for range 2 {
			_ = call(paced, t.Context())
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if err := call(paced, ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that is cancelled: %v", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := call(paced, ctx); !errors.Is(err, ErrNotInTime) || time.Since(partner.start) > 100*time.Millisecond {
			t.Errorf("a call whose deadline is too soon: %v after %v", err, time.Since(partner.start))
		}
		if err := call(paced, t.Context()); err != nil {
			t.Error(err)
		}
		wantTimes(t, partner, 0, 0, 500*time.Millisecond)
	})
}

// TestTransportObeysRetryAfter holds further calls, and those that wait already.
func TestTransportObeysRetryAfter(t *testing.T) {
	date := func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		status int
		header func() string
		want   time.Duration
	}{
		"seconds on 429": {429, func() string { return "3" }, 3 * time.Second},
		"date on 503":    {503, date, 3 * time.Second},
		"date long ago":  {429, func() string { return "Sun, 06 Nov 1994 08:49:37 GMT" }, 0},
		"nonsense":       {429, func() string { return "soon" }, 0},
		"below zero":     {429, func() string { return "-3" }, 0},
		"on 200":         {200, func() string { return "3" }, 0},
		"without end":    {503, func() string { return "99999999999999" }, MaxHold},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				paced, partner := newPaced(2*MaxHold, Rule{Name: "r", Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 1_000_000})
				partner.answer = func(n int) (int, string) {
					if n == 1 {
						return c.status, c.header()
					}
					return 200, ""
				}
				for range 2 {
					if err := call(paced, t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				wantTimes(t, partner, 0, c.want)
			})
		})
	}
}

// TestTransportHoldsThoseWhoWait has calls in the queue when the partner says stop:
// they come after it, at the pace.
func TestTransportHoldsThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(time.Minute, Rule{Name: "r", Algorithm: "token-bucket", Capacity: 1, RefillPerSecond: 1_000_000})
		partner.answer = func(n int) (int, string) {
			if n == 1 {
				return 429, "10"
			}
			return 200, ""
		}
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				if err := call(paced, t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		wantTimes(t, partner, 0, 10*time.Second, 11*time.Second, 12*time.Second)
	})
}

// TestTransportRefuses shows what comes at once instead of a call.
func TestTransportRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(0, perSecond)
		body := &closing{Reader: strings.NewReader("x")}
		for i := range 3 {
			r, _ := http.NewRequest("POST", "http://partner.example", body)
			_, err := paced.RoundTrip(r)
			if want := i == 2; errors.Is(err, ErrNotInTime) != want {
				t.Errorf("call %d: %v", i, err)
			}
		}
		if !body.closed {
			t.Error("the body of a call that was not made stayed open")
		}
		paced.Store = brokenStore{}
		if err := call(paced, t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("a broken store: %v", err)
		}
		wantTimes(t, partner, 0, 0)
	})
}

// TestTransportLeaks: a leaky bucket grants more than the budget can wait for, and gets
// that back.
func TestTransportLeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(2*time.Second, Rule{Name: "r", Algorithm: "leaky-bucket", Capacity: 10, RefillPerSecond: 1_000_000})
		var calls sync.WaitGroup
		var late atomic.Int64
		for range 8 {
			calls.Go(func() {
				if err := call(paced, t.Context()); errors.Is(err, ErrNotInTime) {
					late.Add(1)
				}
			})
		}
		calls.Wait()
		wantTimes(t, partner, 0, time.Second, 2*time.Second)
		if late.Load() != 5 {
			t.Errorf("%d were told that it is too late, want 5", late.Load())
		}
	})
}

// TestTransportTellsTheQueue: who comes behind someone that waits longer than the
// newcomer can is told at once, and when to come.
func TestTransportTellsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(time.Hour, perMinute)
		for range 5 {
			_ = call(paced, t.Context())
		}
		var first sync.WaitGroup
		first.Go(func() { _ = call(paced, t.Context()) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var late *NotInTimeError
		if err := call(paced, ctx); !errors.As(err, &late) || late.RetryAfter != time.Minute || time.Since(partner.start) > 0 {
			t.Errorf("%v after %v", err, time.Since(partner.start))
		}
		first.Wait()
		wantTimes(t, partner, 0, 0, 0, 0, 0, time.Minute)
	})
}

// TestTransportKeepsSubjectsApart: who is refused does not hold up other subjects.
func TestTransportKeepsSubjectsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paced, partner := newPaced(time.Hour, Rule{Name: "m", Algorithm: "fixed-window", Limit: 1, Window: time.Minute})
		paced.Subject = func(r *http.Request) string { return r.Header.Get("Account") }
		var calls sync.WaitGroup
		for i := range 4 {
			calls.Go(func() {
				r, _ := http.NewRequest("GET", "http://partner.example", nil)
				r.Header.Set("Account", fmt.Sprint(i%2))
				if _, err := paced.RoundTrip(r); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		calls.Wait()
		wantTimes(t, partner, 0, 0, time.Minute, time.Minute)
	})
}

// TestTransportForgetsHosts calls many hosts once.
func TestTransportForgetsHosts(t *testing.T) {
	paced, _ := newPaced(0, perSecond)
	for i := range 1000 {
		r, _ := http.NewRequest("GET", fmt.Sprintf("http://h%d.example", i), nil)
		_, _ = paced.RoundTrip(r)
	}
	if n := len(paced.hosts.m) + len(paced.subjects.m); n > 2 {
		t.Errorf("%d hosts and subjects are remembered after their calls", n)
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

var errBroken = errors.New("broken")

type brokenStore struct{}

func (brokenStore) Take(context.Context, Ask) (Verdict, error) { return Verdict{}, errBroken }

// TestRetryAfterByTheirClock: a partner whose clock is an hour ahead of ours.
func TestRetryAfterByTheirClock(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	h := http.Header{}
	h.Set("Date", now.Add(time.Hour).Format(http.TimeFormat))
	h.Set("Retry-After", now.Add(time.Hour+30*time.Second).Format(http.TimeFormat))
	if wait, ok := parseRetryAfter(h, now); !ok || wait != 30*time.Second {
		t.Errorf("%v, %v; want 30s", wait, ok)
	}
}
