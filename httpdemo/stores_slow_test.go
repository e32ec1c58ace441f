package httpdemo

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A relay stands before a server, and can hold up what the server says, as one that
// is stopped (SIGSTOP) or overloaded does: calls arrive, answers come late.
type relay struct {
	addr string
	gate sync.RWMutex // held for writing: nothing comes back
	mu   sync.Mutex
	open []net.Conn
}

// startRelay runs a relay, with TLS if secure is not nil.
func startRelay(t testing.TB, to string, secure *tls.Config) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	r := &relay{addr: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			r.mu.Lock()
			r.open = append(r.open, client)
			r.mu.Unlock()
			all.Go(func() {
				_, _ = io.Copy(server, client)
				server.Close()
			})
			all.Go(func() {
				r.back(client, server)
				client.Close()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		r.cut()
		all.Wait()
	})
	return r
}

// cut ends all connections, and says how many there have been.
func (r *relay) cut() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		c.Close()
	}
	return len(r.open)
}

func (r *relay) conns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

func (r *relay) back(client, server net.Conn) {
	b := make([]byte, 4096)
	for {
		n, err := server.Read(b)
		if err != nil {
			return
		}
		r.gate.RLock()
		_, err = client.Write(b[:n])
		r.gate.RUnlock()
		if err != nil {
			return
		}
	}
}

// A late answer is nobody's: the next one who asks over the same pool gets his own.
func TestLateAnswers(t *testing.T) {
	s := startSluice(t)
	s.store.StopClock(noon)
	door := startRelay(t, s.addr, nil)
	r := NewRemote(RemoteOptions{Addrs: []string{door.addr}, Timeout: 100 * time.Millisecond, PoolSize: 1})
	t.Cleanup(func() { r.Close() })
	take := func(limit int64) (Verdict, error) {
		rule := Rule{Name: "r", Algorithm: "fixed-window", Limit: limit, Window: time.Hour}
		return r.Take(context.Background(), Ask{Subject: "s", Rules: []Rule{rule}, Cost: 1})
	}
	for limit := int64(10); limit < 20; limit += 2 {
		if v, err := take(limit); err != nil || v.Decisions[0].Limit != limit {
			t.Fatalf("%+v %v", v, err)
		}
		door.gate.Lock()
		_, err := take(limit + 1)
		door.gate.Unlock()
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Fatalf("a store that is held up: %v", err)
		}
	}
	// The server has counted those too: asking again could have counted them twice.
	if v, err := take(100); err != nil || v.Decisions[0].Remaining != 100-11 {
		t.Errorf("%+v %v", v, err)
	}
}

// All of it together, as a middleware has it: the store is held up and is back.
// While it is, requests are decided here and most of them without asking.
func TestHeldUpAndBack(t *testing.T) {
	s := startSluice(t)
	s.store.StopClock(noon)
	door := startRelay(t, s.addr, nil)
	r := NewRemote(RemoteOptions{Addrs: []string{door.addr}, Timeout: 100 * time.Millisecond})
	t.Cleanup(func() { r.Close() })
	now := time.Now()
	clock := func() time.Time { return now }
	b := NewBreaker(r, BreakerOptions{Now: clock})
	f := NewFailover(b, FailLocal, testLocal(t), 2, FailoverOptions{Now: clock, Log: slog.New(slog.DiscardHandler)})
	rule := Rule{Name: "r", Algorithm: "fixed-window", Limit: 40, Window: time.Hour}
	take := func(n int) (granted int) {
		t.Helper()
		for range n {
			v, err := f.Take(t.Context(), Ask{Subject: "s", Rules: []Rule{rule}, Cost: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !v.Limited {
				granted++
			}
		}
		return granted
	}
	take(10)
	door.gate.Lock()
	granted := take(100)
	door.gate.Unlock()
	if got := f.Stats(); granted != 20 || got.Degraded != 100 || got.Breaker != BreakerOpen {
		t.Errorf("%d granted in the process, %+v", granted, got)
	}
	now = now.Add(500 * time.Millisecond)
	if granted := take(100); granted != 40-10-1 { // one was counted and not answered, four got no connection
		t.Errorf("%d granted by the server that is back", granted)
	}
	if got := f.Stats(); got != (Stats{Calls: 210, Failures: 100, Degraded: 100}) {
		t.Errorf("%+v", got)
	}
}

// Connections that the server has ended while nobody used them cost no call, with
// TLS neither.
func TestConnectionsEndedMeanwhile(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	for name, c := range map[string]struct{ server, client *tls.Config }{
		"tcp": {},
		"tls": {
			&tls.Config{Certificates: certified.TLS.Certificates},
			&tls.Config{RootCAs: roots, ServerName: "example.com"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSluice(t)
			door := startRelay(t, s.addr, c.server)
			r := testRemote(t, RemoteOptions{Addrs: []string{door.addr}, TLS: c.client})
			const conns = 20
			var all sync.WaitGroup
			door.gate.Lock()
			for range conns {
				all.Go(func() {
					if _, err := r.Take(t.Context(), askOne("s")); err != nil {
						t.Error(err)
					}
				})
			}
			within(t, 10*time.Second, func() bool { return door.conns() == conns })
			door.gate.Unlock()
			all.Wait()
			for range 5 {
				if _, err := r.Take(t.Context(), askOne("s")); err != nil {
					t.Error(err)
				}
			}
			if n := door.cut(); n != conns {
				t.Errorf("%d connections: they are not kept", n)
			}
			if _, err := r.Take(t.Context(), askOne("s")); err != nil {
				t.Errorf("the first call after: %v", err)
			}
		})
	}
}

// Many at once, while the store fails and returns: nobody gets what was not
// decided, and everything is counted.
func TestManyAtOnce(t *testing.T) {
	s := startSluice(t)
	door := startRelay(t, s.addr, nil)
	f := NewFailover(NewBreaker(testRemote(t, RemoteOptions{Addrs: []string{door.addr}}), BreakerOptions{Rest: 1}),
		FailLocal, testLocal(t), 2, FailoverOptions{})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 100 {
				if i == 0 && n%10 == 0 {
					door.cut()
				}
				if v, err := f.Take(t.Context(), askOne("s")); err != nil || len(v.Decisions) != 1 {
					t.Errorf("%+v %v", v, err)
				}
			}
		})
	}
	all.Wait()
	if got := f.Stats(); got.Calls != 1600 || got.Failures != got.Degraded {
		t.Errorf("%+v", got)
	}
}
