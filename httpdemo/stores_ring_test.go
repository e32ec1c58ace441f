package httpdemo

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sluice/engine"
)

// Two servers share the subjects, all rules of one at the same server, and several
// instances agree on where.
func TestRing(t *testing.T) {
	a, b := startSluice(t), startSluice(t)
	rules := rulesOfAll[:2]
	for range 2 { // instances
		r := testRemote(t, RemoteOptions{Addrs: []string{a.addr, b.addr}})
		for i := range 100 {
			if _, err := r.Take(t.Context(), Ask{Subject: fmt.Sprint(i), Rules: rules, Cost: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	na, nb := keysOf(t, a), keysOf(t, b)
	if na+nb != 200 || na < 40 || nb < 40 || na%2 != 0 {
		t.Errorf("%d and %d keys", na, nb)
	}
}

func keysOf(t *testing.T, s *sluice) int64 {
	n, err := s.store.Len(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// When a shard stops, its subjects move; when it is back, they return. Each within
// about a second.
func TestRingLosesAShard(t *testing.T) {
	a, b := startSluice(t), startSluice(t)
	r := testRemote(t, RemoteOptions{Addrs: []string{a.addr, b.addr}})
	takeAll := func() (failed int) {
		for i := range 20 {
			if _, err := r.Take(t.Context(), askOne(fmt.Sprint(i))); err != nil {
				if errors.Is(err, ErrMisconfigured) {
					t.Error(err)
				}
				failed++
			}
		}
		return failed
	}
	if n := takeAll(); n != 0 {
		t.Fatalf("%d of 20 fail", n)
	}
	a.stop()
	if n := takeAll(); n == 0 || n == 20 {
		t.Errorf("%d of 20 fail just after a shard is stopped", n)
	}
	within(t, 5*time.Second, func() bool { return takeAll() == 0 })
	a = a.restart(t)
	within(t, 5*time.Second, func() bool { return takeAll() == 0 && keysOf(t, a) > 0 })
	a.stop()
	b.stop()
	within(t, 5*time.Second, func() bool { return takeAll() == 20 })
}

// within polls the real time of sockets, which no synctest moves.
func within(t *testing.T, most time.Duration, f func() bool) {
	t.Helper()
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if f() {
			return
		}
	}
	t.Errorf("not within %v", most)
}

// Four instances on one server are held to one limit together.
func TestInstancesShareOneLimit(t *testing.T) {
	s := startSluice(t)
	s.store.StopClock(noon)
	rule := Rule{Name: "r", Algorithm: "fixed-window", Limit: 100, Window: 10 * time.Second}
	var mu sync.Mutex
	granted := 0
	var all sync.WaitGroup
	for range 4 {
		r := testRemote(t, RemoteOptions{Addrs: []string{s.addr}, PoolSize: 4})
		for range 8 {
			all.Go(func() {
				for range 25 {
					v, err := r.Take(t.Context(), Ask{Subject: "s", Rules: []Rule{rule}, Cost: 1})
					mu.Lock()
					if err != nil {
						t.Error(err)
					} else if !v.Limited {
						granted++
					}
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	if granted != 100 {
		t.Errorf("%d granted", granted)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	startSluice(t, "unixsocket", path)
	for range 2 {
		v, err := testRemote(t, RemoteOptions{Addrs: []string{path}}).Take(t.Context(), askOne("s"))
		if err != nil || v.Limited {
			t.Errorf("%+v %v", v, err)
		}
	}
}

// An address that nobody listens at is told as what it is.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	r := testRemote(t, RemoteOptions{Addrs: []string{l.Addr().String()}, PoolSize: 2})
	for range 10 {
		if _, err := r.Take(t.Context(), askOne("s")); !errorSays(err, "connection refused") {
			t.Errorf("%v", err)
		}
	}
}

// Reservations are kept and given back over the wire.
func TestRemoteReservation(t *testing.T) {
	s := startSluice(t)
	s.store.StopClock(noon - noon%engine.Instant(time.Second))
	r := testRemote(t, RemoteOptions{Addrs: []string{s.addr}})
	rule := Rule{Name: "r", Algorithm: "token-bucket", Capacity: 1, RefillPerSecond: 1_000_000}
	for i, c := range []struct {
		cost    int64
		limited bool
		retry   time.Duration
	}{
		{1, false, Never},
		{1, false, time.Second},
		{1, false, 2 * time.Second},
		{1, true, 3 * time.Second}, // longer than MaxWait
		{-1, false, Never},
		{1, false, 2 * time.Second},
	} {
		v, err := r.Take(t.Context(), Ask{Subject: "s", Rules: []Rule{rule}, Cost: c.cost, MaxWait: 2 * time.Second})
		if err != nil || v.Limited != c.limited || v.RetryAfter != c.retry {
			t.Errorf("row %d: %+v %v", i, v, err)
		}
	}
}
