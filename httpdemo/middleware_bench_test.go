package httpdemo

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// discard is a writer whose header is emptied between requests, so that what is
// measured is the middleware.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

func always(v Verdict) Store {
	return takes(func(context.Context, Ask) (Verdict, error) { return v, nil })
}

// BenchmarkMiddleware is what a request costs above the bare handler, with a store
// that does nothing, or is in the process.
func BenchmarkMiddleware(b *testing.B) {
	noop := always(grants().verdict)
	refusing := always(refuses().verdict)
	plenty := []Rule{{Name: "plenty", Algorithm: "token-bucket", Capacity: 1_000_000_000_000, RefillPerSecond: 1_000_000_000_000_000}}
	for _, c := range []struct {
		name  string
		store Store
		rules []Rule
		o     Options
	}{
		{"noop/none", noop, twoRules[:1], Options{Headers: NoHeaders}},
		{"noop/draft-8", noop, twoRules[:1], Options{Headers: Draft8}},
		{"noop/both", noop, twoRules[:1], Options{}},
		{"noop/both/2-rules", noop, twoRules, Options{}},
		{"noop/both/proxy", noop, twoRules[:1], Options{TrustedProxies: proxies(b, "192.0.2.0/24, 10.0.0.0/8")}},
		{"noop/both/refund", noop, twoRules[:1], Options{RefundIf: SuccessesOnly}},
		{"noop/both/events", noop, twoRules[:1], Options{OnDecision: func(Event) {}}},
		{"noop/both/refused", refusing, twoRules, Options{}},
		{"local/both", nil, plenty, Options{WaitBudget: time.Second}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.store == nil {
				c.store = testLocal(b)
			}
			h := limit(b, c.store, c.rules, c.o)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			r := from("192.0.2.7:1", xff, "198.51.100.1, 10.2.2.2", "X-Request-Id", "one")
			w := discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				h.ServeHTTP(w, r)
			}
		})
	}
}
