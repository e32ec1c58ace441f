package httpdemo

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"sluice/engine"
)

func TestDecisionsInTheLog(t *testing.T) {
	for _, c := range []struct {
		name   string
		store  *script
		o      Options
		level  string
		fields map[string]any
	}{
		{"granted", grants(), Options{}, "DEBUG", map[string]any{"outcome": "granted", "rule": nil, "retry_after": nil, "subject": nil, "error": nil}},
		{"refused", refuses(), Options{}, "INFO", map[string]any{"outcome": "refused", "rule": "per-day", "retry_after": float64(1001 * time.Millisecond)}},
		{"failed", &script{err: errStoreDown}, Options{}, "DEBUG", map[string]any{"outcome": "undecided", "error": "broken", "retry_after": nil}},
		{"revealed", grants(), Options{RevealSubject: true}, "DEBUG", map[string]any{"subject": "ip:192.0.2.7"}},
		{"no key", grants(), Options{Key: ByHeader("X-Api-Key", nil)}, "INFO", map[string]any{"outcome": "unidentified"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			c.o.OnDecision = LogDecisions(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
			do(limit(t, c.store, twoRules, c.o)(http.HandlerFunc(saysOK)), from("192.0.2.7:1", "X-Request-Id", "mine"))
			if !c.o.RevealSubject && bytes.Contains(log.Bytes(), []byte("192.0.2.7")) {
				t.Errorf("the subject is in the log: %s", &log)
			}
			var line map[string]any
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			c.fields["level"], c.fields["request_id"] = c.level, "mine"
			for name, want := range c.fields {
				if line[name] != want {
					t.Errorf("%s is %v, want %v", name, line[name], want)
				}
			}
		})
	}
}

func TestHugeCostIsRefusedNotAsked(t *testing.T) {
	h := limit(t, testLocal(t), twoRules, Options{Cost: func(*http.Request) int64 { return 1 << 62 }})(http.HandlerFunc(saysOK))
	res := do(h, from("192.0.2.7:1"))
	if res.StatusCode != 429 || res.Header.Get("Retry-After") != "" || engine.MaxUnits >= 1<<62 {
		t.Errorf("%d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
}
