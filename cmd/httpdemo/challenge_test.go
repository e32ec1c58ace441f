package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// algorithms is each ALGORITHM with numbers that allow three at once and, for as long
// as a test lasts, no more; and with numbers that allow one a second.
var algorithms = []struct {
	name   string
	slow   []string
	second []string
}{
	{"token-bucket", []string{"CAPACITY=3", "REFILL_PER_SECOND=0.001"}, []string{"CAPACITY=1", "REFILL_PER_SECOND=1"}},
	{"gcra", []string{"CAPACITY=3", "REFILL_PER_SECOND=0.001"}, []string{"CAPACITY=1", "REFILL_PER_SECOND=1"}},
	{"leaky-bucket", []string{"CAPACITY=2", "REFILL_PER_SECOND=0.001"}, []string{"CAPACITY=0", "REFILL_PER_SECOND=1"}},
	{"fixed-window", []string{"LIMIT=3", "WINDOW=366d"}, []string{"LIMIT=1", "WINDOW=1s"}},
	{"sliding-window", []string{"LIMIT=3", "WINDOW=366d"}, []string{"LIMIT=1", "WINDOW=500ms"}},
	{"sliding-log", []string{"LIMIT=3", "WINDOW=366d"}, []string{"LIMIT=1", "WINDOW=1s"}},
}

// eachAlgorithm runs a test with each algorithm, in the process and on a server.
func eachAlgorithm(t *testing.T, f func(t *testing.T, algorithm int, env []string)) {
	server := startServer(t)
	for i, a := range algorithms {
		for where, store := range map[string]string{"in process": "", "on a server": server.addr} {
			t.Run(a.name+" "+where, func(t *testing.T) {
				t.Parallel()
				f(t, i, []string{"ALGORITHM=" + a.name, "STORE_ADDR=" + store, "STORE_TIMEOUT=10s", "TRUSTED_PROXIES=127.0.0.1"})
			})
		}
	}
}

// TestChallenge makes the coding challenge's checks: so many get through, the next is
// refused, another caller is not, and /unlimited is what it says.
func TestChallenge(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, algorithm int, env []string) {
		demo := startDemo(t, append(env, algorithms[algorithm].slow...)...)
		for i := range 3 {
			if got := demo.get(t, "/limited"); got.status != http.StatusOK || got.body == "" || got.header.Get("RateLimit") == "" {
				t.Fatalf("request %d: %+v", i+1, got)
			}
		}
		for _, method := range []string{"GET", "HEAD", "GET"} {
			got := demo.request(t, method, "/limited")
			seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
			if got.status != http.StatusTooManyRequests || err != nil || seconds < 1 || got.header.Get("RateLimit-Policy") == "" {
				t.Errorf("%s behind the limit: %+v", method, got)
			}
			if got.header.Get("Content-Type") != "application/problem+json" || got.header.Get("X-Request-Id") == "" {
				t.Errorf("%s behind the limit: %+v", method, got)
			}
		}
		if got := demo.get(t, "/limited", "X-Forwarded-For", "192.0.2."+strconv.Itoa(algorithm+1)); got.status != http.StatusOK {
			t.Errorf("another caller: %+v", got)
		}
		for range 20 {
			got := demo.get(t, "/unlimited")
			if got.status != http.StatusOK || got.body == "" {
				t.Fatalf("/unlimited: %+v", got)
			}
			for name := range got.header {
				if strings.Contains(strings.ToLower(name), "ratelimit") || name == "Retry-After" {
					t.Errorf("/unlimited has the header %s", name)
				}
			}
		}
	})
}

// TestRetryAfterIsEnough waits as told, once, and gets through.
func TestRetryAfterIsEnough(t *testing.T) {
	eachAlgorithm(t, func(t *testing.T, algorithm int, env []string) {
		caller := fmt.Sprintf("198.51.100.%d", algorithm)
		demo := startDemo(t, append(env, algorithms[algorithm].second...)...)
		var got answer
		for range 10 { // a window may end between two requests
			if got = demo.get(t, "/limited", "X-Forwarded-For", caller); got.status != http.StatusOK {
				break
			}
		}
		seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
		if got.status != http.StatusTooManyRequests || err != nil || seconds > 1 {
			t.Fatalf("%+v", got)
		}
		time.Sleep(time.Duration(seconds) * time.Second)
		if got := demo.get(t, "/limited", "X-Forwarded-For", caller); got.status != http.StatusOK {
			t.Errorf("after waiting as told: %+v", got)
		}
	})
}
