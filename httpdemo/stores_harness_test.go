package httpdemo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/commands"
	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
	"sluice/server"
)

// A sluice is a real server in the process, on a port of 127.0.0.1.
type sluice struct {
	addr  string
	store *memstore.Store
	stop  func()
}

// startSluice runs a server until its stop or the test's end. options are names and
// values in turn.
func startSluice(t testing.TB, options ...string) *sluice {
	t.Helper()
	cfg := config.New()
	for i := 0; i < len(options); i += 2 {
		if err := cfg.Start(options[i], options[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if cfg.String(config.Port) == "6390" { // the default: this test does not care
		if err := cfg.Start("port", "0"); err != nil {
			t.Fatal(err)
		}
	}
	store := memstore.New()
	srv, err := server.New(commands.NewService(store, cfg, slog.New(slog.DiscardHandler), "test"))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(srv.Serve)
	s := &sluice{addr: srv.Addrs()[0].String(), store: store}
	s.stop = sync.OnceFunc(func() {
		at, cancel := context.WithCancel(context.Background())
		cancel() // clients that keep their connections are cut off
		_ = srv.Stop(at)
		serving.Wait()
		store.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// restart is another server, empty, in the place of one that was stopped.
func (s *sluice) restart(t testing.TB, options ...string) *sluice {
	_, port, _ := net.SplitHostPort(s.addr)
	return startSluice(t, append([]string{"port", port}, options...)...)
}

// A fakeServer is a server that gives one reply to every command, or none if it is empty.
type fakeServer struct {
	addr     string
	commands atomic.Int64 // what came in one piece
	conns    atomic.Int64
}

// startFake runs a fakeServer until the test's end. hangUp has it end each connection
// where it would reply.
func startFake(t testing.TB, reply string, hangUp bool) *fakeServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{addr: l.Addr().String()}
	var all sync.WaitGroup
	var open sync.Map
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f.conns.Add(1)
			open.Store(c, nil)
			all.Go(func() { f.serve(c, reply, hangUp) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
		all.Wait()
	})
	return f
}

func (f *fakeServer) serve(c net.Conn, reply string, hangUp bool) {
	defer c.Close()
	b := make([]byte, 1<<16)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		if bytes.Contains(b[:n], []byte("\r\nhello\r\n")) && (reply != "" || hangUp) {
			_, _ = io.WriteString(c, "-ERR unknown command 'HELLO'\r\n") // as an old server says, and clients go on
			continue
		}
		f.commands.Add(1)
		if hangUp {
			return
		}
		_, _ = io.WriteString(c, reply)
	}
}

// testRemote is a Remote until the test's end. Its timeout is one that only what never
// answers exceeds.
func testRemote(t testing.TB, o RemoteOptions) *Remote {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	r := NewRemote(o)
	t.Cleanup(func() { r.Close() })
	return r
}

// testShards are Shards until the test's end, with testRemote's timeout.
func testShards(t testing.TB, o BreakerOptions, addrs ...string) *Shards {
	t.Helper()
	s := NewShards(RemoteOptions{Addrs: addrs, Timeout: 10 * time.Second}, o)
	t.Cleanup(func() { s.Close() })
	return s
}

// testLocal is a Local until the test's end, its clock stopped.
func testLocal(t testing.TB) *Local {
	t.Helper()
	l := NewLocal(0)
	l.store.StopClock(noon)
	t.Cleanup(l.Close)
	return l
}

// noon is a time of day on 2026-06-01, in the middle of every window.
const noon = engine.Instant(1_780_315_217_345) * engine.Instant(time.Millisecond)

// A stubStore is a Store that does as its function says, and counts.
type stubStore struct {
	calls atomic.Int64
	take  func(context.Context, Ask) (Verdict, error)
}

func (s *stubStore) Take(ctx context.Context, a Ask) (Verdict, error) {
	s.calls.Add(1)
	return s.take(ctx, a)
}

var errStoreDown = errors.New("broken")

// failing is a store that fails with an error while it is set.
func failing(err *error) *stubStore {
	return &stubStore{take: func(context.Context, Ask) (Verdict, error) { return Verdict{Deciding: -1}, *err }}
}

// Rules of every algorithm that grant three at once.
var rulesOfAll = []Rule{
	{Name: "tb", Algorithm: "token-bucket", Capacity: 3, RefillPerSecond: 333_333},
	{Name: "gcra", Algorithm: "gcra", Capacity: 3, RefillPerSecond: 700_000},
	{Name: "lb", Algorithm: "leaky-bucket", Capacity: 2, RefillPerSecond: 3_000_000},
	{Name: "fw", Algorithm: "fixed-window", Limit: 3, Window: 1500 * time.Millisecond},
	{Name: "sw", Algorithm: "sliding-window", Limit: 3, Window: 7 * time.Second},
	{Name: "sl", Algorithm: "sliding-log", Limit: 3, Window: 2 * time.Second},
}

// askOne asks for one unit of the first rule.
func askOne(subject string) Ask { return Ask{Subject: subject, Rules: rulesOfAll[:1], Cost: 1} }

func errorSays(err error, words string) bool {
	return err != nil && strings.Contains(err.Error(), words)
}
