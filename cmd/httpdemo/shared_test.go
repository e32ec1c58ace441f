package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// TestInstancesShareOneLimit is R32: several instances on one server, 1,000 requests
// over 10 s of the server's clock, which stands still between steps. A fixed window
// that begins with them allows exactly its limit, a token bucket what it holds and
// what flows in until the last step.
func TestInstancesShareOneLimit(t *testing.T) {
	for _, instances := range []int{2, 4} {
		for _, c := range []struct {
			env  []string
			want int64
		}{
			{[]string{"ALGORITHM=fixed-window", "LIMIT=100", "WINDOW=10s"}, 100},
			{[]string{"ALGORITHM=sliding-log", "LIMIT=100", "WINDOW=10s"}, 100},
			{[]string{"ALGORITHM=token-bucket", "CAPACITY=100", "REFILL_PER_SECOND=1"}, 100 + 9},
		} {
			t.Run(fmt.Sprintf("%d instances, %s", instances, c.env[0]), func(t *testing.T) {
				server := startServer(t, "--enable-debug-command", "yes")
				hand := server.client(t, "")
				server.do(t, hand, "DEBUG", "CLOCK", "SET", 1_800_000_000_000)
				demos := startDemos(t, instances, append(c.env, "STORE_ADDR="+server.addr, "STORE_TIMEOUT=30s")...)
				var allowed atomic.Int64
				for range 100 {
					allowed.Add(atOnce(t, demos, 10))
					server.do(t, hand, "DEBUG", "CLOCK", "ADVANCE", 100)
				}
				if got := allowed.Load(); got != c.want {
					t.Errorf("%d of 1000 requests were allowed, want %d", got, c.want)
				}
			})
		}
	}
}

// TestShardsKeepTheirCallers has two instances over two servers: each caller's limit
// is kept at one of them, the same for both instances.
func TestShardsKeepTheirCallers(t *testing.T) {
	servers := []*process{startServer(t), startServer(t)}
	demos := startDemos(t, 2, "ALGORITHM=fixed-window", "LIMIT=3", "WINDOW=366d", "KEY_BY=header:X-Api-Key",
		"STORE_ADDR="+servers[0].addr+","+servers[1].addr, "STORE_TIMEOUT=10s")
	for caller := range 20 {
		var allowed int
		for i := range 8 {
			if demos[i%2].get(t, "/limited", "X-Api-Key", fmt.Sprint(caller)).status == http.StatusOK {
				allowed++
			}
		}
		if allowed != 3 {
			t.Errorf("caller %d was allowed %d, want 3", caller, allowed)
		}
	}
	for i, server := range servers {
		keys, err := server.client(t, "").DBSize(t.Context()).Result()
		if err != nil || keys == 0 || keys == 20 {
			t.Errorf("server %d has %d of 20 callers, %v", i, keys, err)
		}
	}
}

func startDemos(t *testing.T, n int, env ...string) []*process {
	t.Helper()
	demos := make([]*process, n)
	for i := range demos {
		demos[i] = startDemo(t, env...)
	}
	return demos
}

// atOnce sends n requests at the same time, to one instance after the other, and
// counts those that got through.
func atOnce(t *testing.T, demos []*process, n int) int64 {
	var allowed atomic.Int64
	var requests sync.WaitGroup
	for i := range n {
		requests.Go(func() {
			res, err := http.Get("http://" + demos[i%len(demos)].addr + "/limited")
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			switch res.StatusCode {
			case http.StatusOK:
				allowed.Add(1)
			case http.StatusTooManyRequests:
			default:
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
	requests.Wait()
	return allowed.Load()
}
