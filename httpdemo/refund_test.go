package httpdemo

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRefunds(t *testing.T) {
	degraded := grants()
	degraded.verdict.Degraded = true
	for _, c := range []struct {
		name     string
		store    *script
		refundIf func(int, *http.Request) bool
		handler  http.HandlerFunc
		cost     int64
		costs    []int64
	}{
		{"failures only, a failure", grants(), FailuresOnly, answers(401), 1, []int64{1}},
		{"failures only, a success", grants(), FailuresOnly, answers(204), 1, []int64{1, -1}},
		{"failures only, nothing said", grants(), FailuresOnly, func(http.ResponseWriter, *http.Request) {}, 3, []int64{3, -3}},
		{"failures only, a body alone", grants(), FailuresOnly, saysOK, 1, []int64{1, -1}},
		{"successes only, a failure", grants(), SuccessesOnly, answers(500), 2, []int64{2, -2}},
		{"successes only, a success", grants(), SuccessesOnly, answers(302), 1, []int64{1}},
		{"early hints are no answer", grants(), FailuresOnly, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(403)
		}, 1, []int64{1}},
		{"the first answer counts", grants(), FailuresOnly, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			w.WriteHeader(200)
		}, 1, []int64{1}},
		{"nothing taken, nothing back", grants(), FailuresOnly, saysOK, 0, []int64{0}},
		{"refused", refuses(), FailuresOnly, saysOK, 1, []int64{1}},
		{"degraded", degraded, FailuresOnly, saysOK, 1, []int64{1}},
		{"no refunds", grants(), nil, saysOK, 1, []int64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			do(limit(t, c.store, twoRules, Options{
				RefundIf: c.refundIf, Cost: func(*http.Request) int64 { return c.cost },
			})(c.handler), from("192.0.2.7:1"))
			if got := c.store.costs(); !slices.Equal(got, c.costs) {
				t.Errorf("asked for %v, want %v", got, c.costs)
			}
			for _, a := range c.store.asks[1:] {
				if a.Subject != c.store.asks[0].Subject || a.MaxWait != 0 {
					t.Errorf("given back to %+v", a)
				}
			}
		})
	}
}

func answers(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// Five wrong passwords, and any number of right ones.
func TestFailedLoginsOnly(t *testing.T) {
	inBubble(t, func(t *testing.T, store *Local) {
		rules := []Rule{{Name: "logins", Algorithm: "fixed-window", Limit: 5, Window: time.Hour}}
		h := limit(t, store, rules, Options{RefundIf: FailuresOnly})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("password") != "right" {
				w.WriteHeader(401)
			}
		}))
		try := func(password string) int {
			return do(h, httptest.NewRequest("POST", "/?password="+password, nil)).StatusCode
		}
		for range 50 {
			if got := try("right"); got != 200 {
				t.Fatalf("a right one: %d", got)
			}
		}
		for i := range 6 {
			if got, want := try("wrong"), map[bool]int{true: 401, false: 429}[i < 5]; got != want {
				t.Errorf("wrong number %d: %d, want %d", i+1, got, want)
			}
		}
		if got := try("right"); got != 429 {
			t.Errorf("a right one after all: %d", got)
		}
	})
}

func TestPanicKeepsHeadersAndCounts(t *testing.T) {
	s := grants()
	limited := limit(t, s, twoRules, Options{RefundIf: SuccessesOnly})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("at the handler")
	}))
	res := do(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != "at the handler" {
				t.Errorf("recovered %v", p)
			}
			w.WriteHeader(500)
		}()
		limited.ServeHTTP(w, r)
	}), from("192.0.2.7:1"))
	if res.StatusCode != 500 || res.Header.Get("RateLimit") == "" || res.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if got := s.costs(); !slices.Equal(got, []int64{1, -1}) { // a 500 does not count here
		t.Errorf("asked for %v", got)
	}
}

// Streams, files and taken-over connections pass through, with and without a recorder.
func TestResponsesOfAllKinds(t *testing.T) {
	for name, refundIf := range map[string]func(int, *http.Request) bool{"plain": nil, "recorded": SuccessesOnly} {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			mux := http.NewServeMux()
			mux.HandleFunc("/stream", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "first\n")
				w.(http.Flusher).Flush()
				<-next
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				_, _ = io.Copy(w, strings.NewReader("last\n"))
			})
			mux.HandleFunc("/deadline", func(w http.ResponseWriter, _ *http.Request) {
				if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
					t.Error(err)
				}
			})
			mux.HandleFunc("/takeover", func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, "mine")
				_ = conn.Close()
			})
			server := httptest.NewServer(limit(t, grants(), twoRules, Options{RefundIf: refundIf})(mux))
			defer server.Close()
			wantStream(t, server, next)
			res, err := server.Client().Get(server.URL + "/deadline")
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			wantTakeover(t, server)
		})
	}
}

func wantStream(t *testing.T, server *httptest.Server, next chan struct{}) {
	t.Helper()
	res, err := server.Client().Get(server.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.Header.Get("RateLimit") == "" {
		t.Errorf("headers %v", res.Header)
	}
	body := bufio.NewReader(res.Body)
	if line, err := body.ReadString('\n'); line != "first\n" {
		t.Errorf("before the end: %q, %v", line, err)
	}
	close(next)
	if rest, err := io.ReadAll(body); string(rest) != "last\n" {
		t.Errorf("the end: %q, %v", rest, err)
	}
}

func wantTakeover(t *testing.T, server *httptest.Server) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /takeover HTTP/1.1\r\nHost: x\r\n\r\n")
	if all, err := io.ReadAll(conn); string(all) != "mine" {
		t.Errorf("%q, %v", all, err)
	}
}
