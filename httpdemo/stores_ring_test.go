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
func TestShards(t *testing.T) {
	a, b := startSluice(t), startSluice(t)
	rules := rulesOfAll[:2]
	for range 2 { // instances
		r := testShards(t, BreakerOptions{}, a.addr, b.addr)
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

// A shard that is down, stopped or held up, concerns its own subjects alone: they are
// met as named, and never with a fresh limit of the other server. When it is back, so
// are they, within a second.
func TestShardDown(t *testing.T) {
	for _, way := range []string{"stopped", "held up"} {
		for on := FailOpen; on <= FailLocal; on++ {
			t.Run(way+", "+on.String(), func(t *testing.T) {
				t.Parallel()
				shardDown(t, way == "stopped", on)
			})
		}
	}
}

func shardDown(t *testing.T, stopped bool, on OnFailure) {
	dead, alive := startSluice(t), startSluice(t)
	door := startRelay(t, dead.addr, nil)
	addr := door.addr
	if stopped {
		addr = dead.addr
	}
	s := NewShards(RemoteOptions{Addrs: []string{addr, alive.addr}, Timeout: 200 * time.Millisecond}, BreakerOptions{})
	t.Cleanup(func() { s.Close() })
	f := NewFailover(s, on, testLocal(t), 3, FailoverOptions{Log: silent()})
	rule := Rule{Name: "r", Algorithm: "fixed-window", Limit: 3, Window: time.Hour}
	take := func(subject string) string {
		v, err := f.Take(t.Context(), Ask{Subject: subject, Rules: []Rule{rule}, Cost: 1})
		got := "granted"
		switch {
		case errors.Is(err, ErrUnavailable):
			return "unavailable"
		case err != nil:
			t.Fatal(err)
		case v.Limited:
			got = "limited"
		}
		if v.Degraded {
			got += ", degraded"
		}
		return got
	}
	var ofDead, ofAlive []string
	for i := range 20 {
		subject, before := fmt.Sprint(i), keysOf(t, dead)
		for n := range 4 { // all is used up
			if got, want := take(subject), []string{"granted", "limited"}[n/3]; got != want {
				t.Fatalf("take %d of %s: %s, want %s", n, subject, got, want)
			}
		}
		if keysOf(t, dead) > before {
			ofDead = append(ofDead, subject)
		} else {
			ofAlive = append(ofAlive, subject)
		}
	}
	kept := keysOf(t, alive)
	if len(ofDead) == 0 || len(ofAlive) == 0 {
		t.Fatalf("%d and %d subjects: this shows nothing", len(ofDead), len(ofAlive))
	}
	thaw := func() {}
	if stopped {
		dead.stop()
	} else {
		door.gate.Lock()
		thaw = sync.OnceFunc(door.gate.Unlock)
		t.Cleanup(thaw)
	}
	want := map[OnFailure][]string{
		FailOpen:   {"granted, degraded", "granted, degraded"},
		FailClosed: {"unavailable", "unavailable"},
		FailLocal:  {"granted, degraded", "limited, degraded"}, // the share of 3 is 1
	}[on]
	asked := map[string]bool{}
	// Longer than go-redis would take to leave it out, and than the breaker's rests.
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, subject := range ofAlive {
			if got := take(subject); got != "limited" {
				t.Fatalf("%s of the healthy shard: %s", subject, got)
			}
		}
		for _, subject := range ofDead {
			i := 0
			if asked[subject] {
				i = 1
			}
			asked[subject] = true
			if got := take(subject); got != want[i] {
				t.Fatalf("%s of the dead shard: %s, want %s", subject, got, want[i])
			}
		}
	}
	if got := f.Stats().Breaker; got != BreakerOpen {
		t.Errorf("the breakers' state is %v", got)
	}
	if n := keysOf(t, alive); n != kept {
		t.Errorf("the healthy server has %d keys, %d before", n, kept)
	}
	wanted := "limited"
	thaw()
	if stopped { // a new server, empty
		dead.restart(t)
		wanted = "granted"
	}
	within(t, time.Second, func() bool { return take(ofDead[0]) == wanted })
	if got := f.Stats().Breaker; got != BreakerClosed {
		t.Errorf("back, and the breakers' state is %v", got)
	}
}

// Each shard has a breaker of its own, and the state is the worst of them.
func TestBreakerPerShard(t *testing.T) {
	alive, dead := startSluice(t), startSluice(t)
	s := testShards(t, BreakerOptions{Rest: time.Hour}, alive.addr, dead.addr)
	if got := s.State(); got != BreakerClosed {
		t.Error(got)
	}
	dead.stop()
	for i := range 100 {
		_, _ = s.Take(t.Context(), askOne(fmt.Sprint(i)))
	}
	var failed, rested int
	for i := range 100 {
		if _, err := s.Take(t.Context(), askOne(fmt.Sprint(i))); err != nil {
			failed++
			if errors.Is(err, ErrBreakerOpen) {
				rested++
			}
		}
	}
	if n := keysOf(t, alive); failed != rested || int64(failed)+n != 100 || n == 0 || n == 100 {
		t.Errorf("%d of 100 fail, %d without asking, %d are kept at the healthy server", failed, rested, n)
	}
	states := map[BreakerState]int{}
	for _, b := range s.stores {
		states[b.State()]++
	}
	if states[BreakerClosed] != 1 || states[BreakerOpen] != 1 || s.State() != BreakerOpen {
		t.Errorf("%v, in all %v", states, s.State())
	}
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
