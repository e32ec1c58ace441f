package httpdemo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What a server answers is read strictly, and each error is judged by whom it
// concerns.
func TestReplies(t *testing.T) {
	const good = "*5\r\n:0\r\n:3\r\n:2\r\n:-1\r\n:3001\r\n"
	two := func(head, a, b string) string { return "*5\r\n" + head + a + b }
	for _, c := range []struct {
		name, reply string
		rules       int
		want        string // granted, misconfigured or failed
	}{
		{"good", good, 1, "granted"},
		{"good two", two(":0\r\n$-1\r\n:-1\r\n", good, good), 2, "granted"},
		{"unknown command", "-ERR unknown command 'TB.TAKE'\r\n", 1, "misconfigured"},
		{"wrong type", "-WRONGTYPE Operation against\r\n", 1, "misconfigured"},
		{"cross slot", "-CROSSSLOT Keys in request\r\n", 1, "misconfigured"},
		{"no password", "-NOAUTH Authentication required.\r\n", 1, "failed"},
		{"no permission", "-NOPERM this user has no permissions\r\n", 1, "failed"},
		{"too many", "-ERR max number of clients reached\r\n", 1, "failed"},
		{"internal", "-ERR internal error\r\n", 1, "failed"},
		{"full", "-OOM command not allowed\r\n", 1, "failed"},
		{"loading", "-LOADING Redis is loading\r\n", 1, "failed"},
		{"status", "+OK\r\n", 1, "misconfigured"},
		{"null", "$-1\r\n", 1, "misconfigured"},
		{"four", "*4\r\n:0\r\n:3\r\n:2\r\n:-1\r\n", 1, "misconfigured"},
		{"text", "*5\r\n:0\r\n:3\r\n$1\r\n2\r\n:-1\r\n:0\r\n", 1, "misconfigured"},
		{"limited is 2", strings.Replace(good, ":0", ":2", 1), 1, "misconfigured"},
		{"another limit", strings.Replace(good, ":3\r", ":4\r", 1), 1, "misconfigured"},
		{"too much left", strings.Replace(good, ":2\r", ":4\r", 1), 1, "misconfigured"},
		{"too little left", strings.Replace(good, ":2\r", ":-1\r", 1), 1, "misconfigured"},
		{"retry -2", strings.Replace(good, ":-1", ":-2", 1), 1, "misconfigured"},
		{"reset -1", strings.Replace(good, ":3001", ":-1", 1), 1, "misconfigured"},
		{"reset too long", strings.Replace(good, ":3001", ":9223372036854775807", 1), 1, "misconfigured"},
		{"one for two", good, 2, "misconfigured"},
		{"two parts of four", two(":0\r\n$-1\r\n:-1\r\n", good, ":1\r\n"), 2, "misconfigured"},
		{"granted by one", two(":0\r\n$1\r\n1\r\n:-1\r\n", good, good), 2, "misconfigured"},
		{"limited by none", two(":1\r\n$-1\r\n:-1\r\n", good, good), 2, "misconfigured"},
		{"limited by a third", two(":1\r\n$1\r\n3\r\n:-1\r\n", good, good), 2, "misconfigured"},
		{"limited by a grant", two(":1\r\n$1\r\n2\r\n:-1\r\n", good, good), 2, "misconfigured"},
		{"no RESP", "HTTP/1.1 400 Bad Request\r\n\r\n", 1, "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := startFake(t, c.reply, false)
			r := testRemote(t, RemoteOptions{Addrs: []string{f.addr}})
			rules := []Rule{rulesOfAll[0], {Name: "b", Algorithm: "token-bucket", Capacity: 3, RefillPerSecond: 1}}
			_, err := r.Take(t.Context(), Ask{Subject: "s", Rules: rules[:c.rules], Cost: 1})
			got := "failed"
			switch {
			case err == nil:
				got = "granted"
			case errors.Is(err, ErrMisconfigured):
				got = "misconfigured"
			}
			if got != c.want || f.commands.Load() != 1 || f.conns.Load() != 1 {
				t.Errorf("%s: %v, in %d round trips", got, err, f.commands.Load())
			}
		})
	}
}

// A call whose reply is lost may have been granted: it is not repeated.
func TestNoRetries(t *testing.T) {
	a, b := startFake(t, "", true), startFake(t, "", true)
	for _, addrs := range [][]string{{a.addr}, {a.addr, b.addr}} {
		before := a.commands.Load() + b.commands.Load()
		r := testShards(t, BreakerOptions{}, addrs...)
		if _, err := r.Take(t.Context(), askOne("s")); err == nil {
			t.Error("no error")
		}
		if asked := a.commands.Load() + b.commands.Load() - before; asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	}
}

// A server that never answers is waited for until Timeout, five times in all, and
// then no more. Not by the clock: that Take returns at all shows it.
func TestServerThatNeverAnswers(t *testing.T) {
	f := startFake(t, "", false)
	r := NewRemote(RemoteOptions{Addrs: []string{f.addr}, Timeout: 20 * time.Millisecond})
	defer r.Close()
	var deadlines atomic.Int64
	seen := &stubStore{take: func(ctx context.Context, a Ask) (Verdict, error) {
		v, err := r.Take(ctx, a)
		var timeout interface{ Timeout() bool }
		if errors.As(err, &timeout) && timeout.Timeout() {
			deadlines.Add(1)
		}
		return v, err
	}}
	b := NewBreaker(seen, BreakerOptions{Rest: time.Hour})
	for range 1000 {
		if _, err := b.Take(context.Background(), askOne("s")); err == nil {
			t.Fatal("an answer from nowhere")
		}
	}
	if seen.calls.Load() != 5 || deadlines.Load() != 5 {
		t.Errorf("asked %d times, %d ended by the timeout", seen.calls.Load(), deadlines.Load())
	}
}

// A client that leaves while the server is slow gets its own error, and says
// nothing about the store.
func TestClientLeaves(t *testing.T) {
	f := startFake(t, "", false)
	r := testRemote(t, RemoteOptions{Addrs: []string{f.addr}, Timeout: 20 * time.Millisecond})
	b := NewBreaker(r, BreakerOptions{Failures: 1})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for f.commands.Load() == 0 { // until it is asked
			time.Sleep(100 * time.Microsecond)
		}
		cancel()
	}()
	if _, err := b.Take(ctx, askOne("s")); !errors.Is(err, context.Canceled) || b.State() != BreakerClosed {
		t.Errorf("%v, %v", err, b.State())
	}
}

// The way of a server: stopped, and back in the same place.
func TestServerRestarted(t *testing.T) {
	s := startSluice(t)
	now := time.Now()
	b := NewBreaker(testRemote(t, RemoteOptions{Addrs: []string{s.addr}}), BreakerOptions{Now: func() time.Time { return now }})
	for range 20 { // more often than the pool is large
		for i := range 3 {
			if _, err := b.Take(t.Context(), askOne("s")); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		s.stop()
		for range 50 {
			if _, err := b.Take(t.Context(), askOne("s")); err == nil || errors.Is(err, ErrMisconfigured) {
				t.Fatalf("a server that is stopped: %v", err)
			}
		}
		if b.State() != BreakerOpen {
			t.Fatal(b.State())
		}
		for range 5 {
			now = now.Add(500 * time.Millisecond)
			_, _ = b.Take(t.Context(), askOne("s"))
		}
		s = s.restart(t)
		now = now.Add(500 * time.Millisecond)
	}
}

func TestPassword(t *testing.T) {
	s := startSluice(t, "requirepass", "secret")
	for password, want := range map[string]string{"secret": "", "": "NOAUTH", "wrong": "WRONGPASS"} {
		b := NewBreaker(testRemote(t, RemoteOptions{Addrs: []string{s.addr}, Password: password}), BreakerOptions{Failures: 1})
		_, err := b.Take(t.Context(), askOne("s"))
		if want == "" && err != nil || want != "" && (!errorSays(err, want) || b.State() != BreakerOpen) {
			t.Errorf("password %q: %v, %v", password, err, b.State())
		}
		if errors.Is(err, ErrMisconfigured) || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("password %q: %v", password, err)
		}
	}
}

// Another algorithm's state under a subject's key fails that request alone.
func TestWrongTypeDoesNotOpen(t *testing.T) {
	s := startSluice(t)
	r := testRemote(t, RemoteOptions{Addrs: []string{s.addr}})
	if err := r.client.Do(t.Context(), "FW.INCR", "{s}:tb:token-bucket", 5, 60).Err(); err != nil {
		t.Fatal(err)
	}
	b := NewBreaker(r, BreakerOptions{Failures: 1})
	if _, err := b.Take(t.Context(), askOne("s")); !errors.Is(err, ErrMisconfigured) || b.State() != BreakerClosed {
		t.Errorf("%v, %v", err, b.State())
	}
	if _, err := b.Take(t.Context(), askOne("t")); err != nil {
		t.Error(err)
	}
}
