package main

import (
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A slowRoad carries bytes to a server and its answers back, those after a delay.
type slowRoad struct {
	addr  string
	delay atomic.Int64
}

func startSlowRoad(t *testing.T, to string) *slowRoad {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	road := &slowRoad{addr: listener.Addr().String()}
	var carriers sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		carriers.Wait()
	})
	carriers.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			carriers.Go(func() { road.carry(near, to) })
		}
	})
	return road
}

// carry ends when either side hangs up; the test's cleanup kills the demo first.
func (road *slowRoad) carry(near net.Conn, to string) {
	defer near.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(far, near)
		far.Close()
	}()
	buf := make([]byte, 4096)
	for {
		n, err := far.Read(buf)
		time.Sleep(time.Duration(road.delay.Load()))
		if _, failed := near.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

// TestSlowStore is R31's server that takes 200 ms, four times STORE_TIMEOUT.
func TestSlowStore(t *testing.T) {
	for _, onFailure := range []string{"open", "closed", "local"} {
		t.Run(onFailure, func(t *testing.T) {
			road := startSlowRoad(t, startServer(t).addr)
			demo := startDemo(t, "STORE_ADDR="+road.addr, "STORE_TIMEOUT="+timeout.String(),
				"ON_STORE_FAILURE="+onFailure, "LOCAL_SHARE=2", "ALGORITHM=fixed-window", "LIMIT=20", "WINDOW=366d")
			comesBack(t, demo)
			road.delay.Store(int64(200 * time.Millisecond))
			during(t, demo, onFailure)
			road.delay.Store(0)
			comesBack(t, demo)
		})
	}
}

// TestCallersWaitTheirTurn has 50 clients behind one address at two instances: all are
// served, at the rate, none at once.
func TestCallersWaitTheirTurn(t *testing.T) {
	server := startServer(t)
	demos := startDemos(t, 2, "STORE_ADDR="+server.addr, "STORE_TIMEOUT=10s", "CAPACITY=1", "REFILL_PER_SECOND=100", "WAIT_BUDGET=10s")
	begin := time.Now()
	if got := atOnce(t, demos, 50); got != 50 {
		t.Errorf("%d of 50 were served", got)
	}
	if took := time.Since(begin); took < 490*time.Millisecond {
		t.Errorf("50 were served in %v at 100 a second", took)
	}
}

// TestNobodyWaitsInVain: whose turn does not come within the budget is told at once.
func TestNobodyWaitsInVain(t *testing.T) {
	demo := startDemo(t, "CAPACITY=1", "REFILL_PER_SECOND=0.01", "WAIT_BUDGET=10s")
	demo.get(t, "/limited")
	got := demo.get(t, "/limited")
	if got.status != http.StatusTooManyRequests || got.took > 5*time.Second || len(got.header.Get("Retry-After")) < 2 {
		t.Errorf("%+v", got)
	}
}
