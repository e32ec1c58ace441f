package httpdemo

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A script is a store that answers as it is told and remembers what it was asked.
type script struct {
	mu      sync.Mutex
	verdict Verdict
	err     error
	asks    []Ask
}

func (s *script) Take(_ context.Context, a Ask) (Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = append(s.asks, a)
	return s.verdict, s.err
}

func (s *script) costs() (costs []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asks {
		costs = append(costs, a.Cost)
	}
	return costs
}

var twoRules = []Rule{
	{Name: "burst", Algorithm: "token-bucket", Capacity: 10, RefillPerSecond: 3_000_000},
	{Name: "per-day", Algorithm: "fixed-window", Limit: 5000, Window: 24 * time.Hour},
}

func grants() *script {
	return &script{verdict: Verdict{Deciding: -1, RetryAfter: Never, Decisions: []Decision{
		{Limit: 10, Remaining: 9, RetryAfter: Never, ResetAfter: 333 * time.Millisecond},
		{Limit: 5000, Remaining: 4321, RetryAfter: Never, ResetAfter: 2 * time.Hour},
	}}}
}

// refuses has a second rule that refuses for a second and a bit.
func refuses() *script {
	return &script{verdict: Verdict{Limited: true, Deciding: 1, RetryAfter: 1001 * time.Millisecond, Decisions: []Decision{
		{Limit: 10, Remaining: 7, RetryAfter: Never, ResetAfter: time.Second},
		{Limited: true, Limit: 5000, RetryAfter: 1001 * time.Millisecond, ResetAfter: 1001 * time.Millisecond},
	}}}
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// limit is a middleware that must be right.
func limit(t testing.TB, s Store, rules []Rule, o Options) func(http.Handler) http.Handler {
	t.Helper()
	if o.Logger == nil {
		o.Logger = silent()
	}
	m, err := New(s, rules, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func saysOK(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

func do(h http.Handler, r *http.Request) *http.Response {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Result()
}

func TestNewRefusesMisuse(t *testing.T) {
	same := []Rule{twoRules[0], twoRules[0]}
	window := twoRules[1:]
	for _, c := range []struct {
		name  string
		store Store
		rules []Rule
		o     Options
		says  string
	}{
		{"no store", nil, twoRules, Options{}, "no store"},
		{"no rules", grants(), nil, Options{}, "no rules"},
		{"17 rules", grants(), make([]Rule, 17), Options{}, "17 rules"},
		{"a rule without numbers", grants(), []Rule{{Name: "x", Algorithm: "gcra"}}, Options{}, "x"},
		{"an unknown algorithm", grants(), []Rule{{Name: "x", Algorithm: "dice"}}, Options{}, "dice"},
		{"a name with a quote", grants(), []Rule{{Name: `a"b`, Algorithm: "gcra"}}, Options{}, "Name"},
		{"one name twice", grants(), same, Options{}, "two rules"},
		{"a negative budget", grants(), twoRules, Options{WaitBudget: -1}, "WaitBudget"},
		{"a budget and nothing that queues", grants(), window, Options{WaitBudget: 1}, "token-bucket or leaky-bucket"},
		{"drafts that clash", grants(), twoRules, Options{Headers: Draft7 | Draft8}, "draft-8"},
		{"none and some", grants(), twoRules, Options{Headers: NoHeaders | Draft8}, "no headers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := New(c.store, c.rules, c.o); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q in it", err, c.says)
			}
		})
	}
}

func TestMisuseIsLoggedOnce(t *testing.T) {
	byConnection := func(r *http.Request) (string, error) { return r.RemoteAddr, nil }
	for _, c := range []struct {
		name, says string
		o          Options
		twice      bool
	}{
		{"unexpected header", "no proxy is trusted", Options{}, false},
		{"unexpected header, own ByIP", "no proxy is trusted", Options{Key: Join(ByIP(Proxies{}, 24, 56), ByRoute(nil))}, false},
		{"everybody trusted", "every address", Options{TrustedProxies: proxies(t, "0.0.0.0/0")}, false},
		{"a key with the port", "use ByIP", Options{Key: byConnection}, false},
		{"store failures", "did not decide", Options{Key: ByHeader(xff, nil)}, false},
		{"negative cost", "below zero", Options{TrustedProxies: proxies(t, "10.0.0.1"), Cost: func(*http.Request) int64 { return -5 }}, false},
		{"around itself", "count double", Options{TrustedProxies: proxies(t, "10.0.0.1")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log strings.Builder
			c.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			s := grants()
			if c.name == "store failures" {
				s.err = errStoreDown
			}
			m := limit(t, s, twoRules, c.o)
			h := m(http.HandlerFunc(saysOK))
			if c.twice {
				h = m(h)
			}
			for range 3 {
				do(h, from("192.0.2.7:1", xff, "198.51.100.1"))
			}
			if n := strings.Count(log.String(), c.says); n != 1 || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("said %d times:\n%s", n, &log)
			}
			for _, cost := range s.costs() {
				if cost != 1 {
					t.Errorf("asked for %d", cost)
				}
			}
		})
	}
}

func TestRulesAndCostOfRequests(t *testing.T) {
	s := grants()
	plan := []Rule{{Name: "gold", Algorithm: "gcra", Capacity: 100, RefillPerSecond: 1_000_000}}
	h := limit(t, s, twoRules, Options{
		Cost: func(r *http.Request) int64 { return int64(len(r.URL.Query())) },
		RulesFor: func(r *http.Request) []Rule {
			switch {
			case r.URL.Query().Has("gold"):
				return plan
			case r.URL.Query().Has("broken"):
				return []Rule{{}}
			}
			return nil
		},
		Skip: func(r *http.Request) bool { return r.URL.Path == "/free" },
	})(http.HandlerFunc(saysOK))
	do(h, httptest.NewRequest("GET", "/?gold&a&b", nil))
	do(h, httptest.NewRequest("GET", "/", nil))
	if a := s.asks[0]; a.Rules[0].Name != "gold" || a.Cost != 3 {
		t.Errorf("asked %+v", a)
	}
	if a := s.asks[1]; len(a.Rules) != 2 || a.Cost != 0 {
		t.Errorf("asked %+v", a)
	}
	if res := do(h, httptest.NewRequest("GET", "/free", nil)); res.StatusCode != 200 || len(s.asks) != 2 || len(res.Header) != 1 {
		t.Errorf("skipped: %d, %d asks, headers %v", res.StatusCode, len(s.asks), res.Header)
	}
	if res := do(h, httptest.NewRequest("GET", "/?broken", nil)); res.StatusCode != 500 || len(s.asks) != 2 {
		t.Errorf("wrong rules: %d, %d asks", res.StatusCode, len(s.asks))
	}
}

func TestFromContext(t *testing.T) {
	var seen Verdict
	var ok bool
	var id string
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen, ok = FromContext(r.Context())
		id = RequestID(r.Context())
	})
	res := do(limit(t, grants(), twoRules, Options{})(h), from("192.0.2.7:1"))
	if !ok || seen.Decisions[1].Remaining != 4321 || id == "" || id != res.Header.Get("X-Request-Id") {
		t.Errorf("%v %+v %q", ok, seen, id)
	}
	do(h, from("192.0.2.7:1"))
	if ok || id != "" {
		t.Error("something without a middleware")
	}
	// The denied handler has it too.
	res = do(limit(t, refuses(), twoRules, Options{Denied: h})(http.NotFoundHandler()), from("192.0.2.7:1"))
	if !ok || !seen.Limited || res.Header.Get("Retry-After") != "2" {
		t.Errorf("denied: %v %+v %v", ok, seen, res.Header)
	}
}

func TestReportOnly(t *testing.T) {
	for _, s := range []*script{grants(), refuses(), {err: errStoreDown}} {
		var events []Event
		h := limit(t, s, twoRules, Options{
			ReportOnly: true, WaitBudget: time.Hour, OnDecision: func(e Event) { events = append(events, e) },
		})(http.HandlerFunc(saysOK))
		res := do(h, from("192.0.2.7:1"))
		if res.StatusCode != 200 || len(res.Header) != 1 { // net/http's Content-Type
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
		if len(events) != 1 || events[0].Verdict.Limited != s.verdict.Limited || s.asks[0].MaxWait != 0 {
			t.Errorf("events %+v, asks %+v", events, s.asks)
		}
	}
}
