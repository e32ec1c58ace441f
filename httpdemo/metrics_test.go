package httpdemo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestMetrics counts one of each outcome and reads them from /metrics.
func TestMetrics(t *testing.T) {
	metrics := NewMetrics(func() Stats { return Stats{Failures: 3, Degraded: 2, Breaker: BreakerOpen} })
	for o := Granted; o <= Gone; o++ {
		metrics.Count(Event{Outcome: o, StoreTime: time.Millisecond})
	}
	text := body(t, Demo{Limit: unlimited, Metrics: metrics.Handler()}.Handler(), "/metrics")
	want := []string{
		"sluice_store_failures_total 3", "sluice_degraded_decisions_total 2", "sluice_degraded 1",
		`sluice_breaker_state{state="open"} 1`, `sluice_breaker_state{state="closed"} 0`, "sluice_decision_seconds_count 4",
	}
	for _, result := range []string{"granted", "refused", "undecided", "unidentified", "gone"} {
		want = append(want, `sluice_decisions_total{result="`+result+`"} 1`)
	}
	for _, line := range want {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("/metrics has no line %s", line)
		}
	}
}

func TestHealth(t *testing.T) {
	degraded := false
	demo := Demo{Limit: unlimited, Metrics: http.NotFoundHandler(), Degraded: func() bool { return degraded }}.Handler()
	if got := body(t, demo, "/healthz"); got != "ok\n" {
		t.Errorf("%q", got)
	}
	degraded = true
	if got := body(t, demo, "/healthz"); !strings.Contains(got, "does not answer") {
		t.Errorf("%q", got)
	}
}

func unlimited(h http.Handler) http.Handler { return h }

// body is what a handler answers with 200.
func body(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusOK {
		t.Errorf("%s: %d, %v", path, w.Code, err)
	}
	return string(text)
}
