package httpdemo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestOnFailure(t *testing.T) {
	ask := Ask{Subject: "s", Rules: rulesOfAll, Cost: 1}
	for _, c := range []struct {
		name  string
		share int
		asks  int // after which one more is
		want  string
	}{
		{"open", 1, 100, "granted"},
		{"closed", 1, 0, "unavailable"},
		{"local", 1, 2, "granted"},
		{"local", 1, 3, "limited"},
		{"local", 3, 0, "granted"},
		{"local", 3, 1, "limited"},
		{"local", 100, 0, "granted"},
		{"local", 0, 2, "granted"},
	} {
		on, err := ParseOnFailure(c.name)
		if err != nil {
			t.Fatal(err)
		}
		down := errStoreDown
		f := NewFailover(failing(&down), on, testLocal(t), c.share, FailoverOptions{Log: slog.New(slog.DiscardHandler)})
		for range c.asks {
			_, _ = f.Take(t.Context(), ask)
		}
		v, err := f.Take(t.Context(), ask)
		got := "granted"
		switch {
		case errors.Is(err, ErrUnavailable) && errors.Is(err, errStoreDown):
			got = "unavailable"
		case err != nil:
			got = err.Error()
		case v.Limited:
			got = "limited"
		}
		if got != c.want || v.Degraded == (err != nil) {
			t.Errorf("%+v: %s %+v", c, got, v)
		}
		n := uint64(c.asks + 1)
		want := Stats{Calls: n, Failures: n, Degraded: n}
		if err != nil {
			want.Degraded = 0
		}
		if f.Stats() != want {
			t.Errorf("%+v: %+v", c, f.Stats())
		}
	}
	if _, err := ParseOnFailure("half-open"); err == nil {
		t.Error("half-open is no way to fail")
	}
}

func TestUnavailableSaysWhenToTryAgain(t *testing.T) {
	down := errStoreDown
	f := NewFailover(failing(&down), FailClosed, nil, 1, FailoverOptions{Log: slog.New(slog.DiscardHandler)})
	_, err := f.Take(t.Context(), askOne("s"))
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || unavailable.RetryAfter != time.Second {
		t.Errorf("%#v", err)
	}
}

// What is let through unseen has no numbers: the headers tell the policy, and that
// nobody counted.
func TestOpenTellsNoNumbers(t *testing.T) {
	down := errStoreDown
	f := NewFailover(failing(&down), FailOpen, nil, 1, FailoverOptions{Log: silent()})
	for _, d := range []Dialect{BothHeaders, Draft6, Draft7} {
		res := do(limit(t, f, twoRules, Options{Headers: d})(http.HandlerFunc(saysOK)), from("192.0.2.7:1"))
		var told []string
		for name := range res.Header {
			if strings.Contains(name, "Ratelimit") {
				told = append(told, name)
			}
		}
		slices.Sort(told)
		if want := []string{"Ratelimit-Degraded", "Ratelimit-Policy"}; res.StatusCode != 200 || !slices.Equal(told, want) {
			t.Errorf("%d %v, want %v", res.StatusCode, told, want)
		}
	}
}

// A middleware before a store that fails closed adds no warnings to the Failover's,
// neither about requests nor about giving back.
func TestClosedWarnsOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		to := slog.New(slog.NewTextHandler(&log, nil))
		var down error
		f := NewFailover(NewBreaker(failing(&down), BreakerOptions{}), FailClosed, nil, 1, FailoverOptions{Log: to})
		fails := func(w http.ResponseWriter, _ *http.Request) { // after its request was granted
			down = errStoreDown
			w.WriteHeader(http.StatusInternalServerError)
		}
		h := limit(t, f, twoRules, Options{Logger: to, OnDecision: LogDecisions(to), RefundIf: SuccessesOnly})(http.HandlerFunc(fails))
		for range 90 {
			for range 10 {
				do(h, from("192.0.2.7:1"))
			}
			time.Sleep(time.Second)
		}
		if n := strings.Count(log.String(), "\n"); n != 2 || strings.Count(log.String(), "level=WARN") != 2 {
			t.Errorf("%d lines in 90 s, want 2 warnings:\n%s", n, &log)
		}
	})
}

// Refusals, wrong questions and clients that leave are no failures.
func TestNoFailures(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var log bytes.Buffer
	var err error
	s := &stubStore{take: func(context.Context, Ask) (Verdict, error) { return Verdict{Limited: true}, err }}
	f := NewFailover(s, FailOpen, nil, 1, FailoverOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if v, err := f.Take(t.Context(), Ask{}); err != nil || !v.Limited || v.Degraded {
		t.Errorf("a refusal becomes %+v %v", v, err)
	}
	err = ErrAsk
	if _, err := f.Take(t.Context(), Ask{}); !errors.Is(err, ErrAsk) {
		t.Errorf("a wrong question becomes %v", err)
	}
	err = errStoreDown // what the store makes of a client that has left
	if _, err := f.Take(cancelled, Ask{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left gets %v", err)
	}
	if want := (Stats{Calls: 3}); f.Stats() != want || log.Len() > 0 {
		t.Errorf("%+v\n%s", f.Stats(), &log)
	}
}

// One warning a minute, with how many failures it stands for.
func TestOneWarningAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		down := errStoreDown
		f := NewFailover(NewBreaker(failing(&down), BreakerOptions{}), FailOpen, nil, 1,
			FailoverOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
		for range 150 {
			for range 10 {
				_, _ = f.Take(t.Context(), askOne("s"))
			}
			time.Sleep(time.Second)
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		for i, want := range []string{"failures=1 ", "failures=600 ", "failures=600 "} {
			if len(lines) != 3 || !strings.Contains(lines[i], want) || !strings.Contains(lines[i], "on_failure=open") ||
				!strings.Contains(lines[i], errStoreDown.Error()) {
				t.Fatalf("want %q in line %d of 3:\n%s", want, i+1, &log)
			}
		}
		if s := f.Stats(); s.Breaker != BreakerOpen || s.Failures != 1500 {
			t.Errorf("%+v", s)
		}
	})
}
