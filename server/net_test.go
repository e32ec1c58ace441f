package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/commands"
	"sluice/engine"
)

// A fakeListener hands out connections that a test makes, and errors.
type fakeListener struct {
	conns  chan net.Conn
	errs   chan error
	closed chan struct{}
	once   sync.Once
}

func newFakeListener() *fakeListener {
	return &fakeListener{conns: make(chan net.Conn), errs: make(chan error), closed: make(chan struct{})}
}

func (l *fakeListener) Accept() (net.Conn, error) {
	select {
	case nc := <-l.conns:
		return nc, nil
	case err := <-l.errs:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *fakeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *fakeListener) Addr() net.Addr { return &net.TCPAddr{} }

// from is a connection whose client is at an address.
type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }

// dial is a new client in memory.
func (l *fakeListener) dial(t testing.TB) *client { return l.dialFrom(t, "127.0.0.1") }

func (l *fakeListener) dialFrom(t testing.TB, ip string) *client {
	ours, theirs := net.Pipe()
	l.conns <- from{theirs, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
	return newClient(t, ours)
}

// A client is a test's side of a connection.
type client struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func newClient(t testing.TB, nc net.Conn) *client {
	t.Cleanup(func() { nc.Close() })
	return &client{nc, t, bufio.NewReader(nc)}
}

func dial(t testing.TB, a net.Addr) *client {
	t.Helper()
	nc, err := net.Dial(a.Network(), a.String())
	if err != nil {
		t.Fatal(err)
	}
	return newClient(t, nc)
}

func (c *client) say(stream string) {
	c.t.Helper()
	if _, err := io.WriteString(c.Conn, stream); err != nil {
		c.t.Fatal(err)
	}
}

// hear reads what is expected, byte for byte.
func (c *client) hear(want string) {
	c.t.Helper()
	got := make([]byte, len(want))
	n, err := io.ReadFull(c.r, got)
	if string(got[:n]) != want {
		c.t.Fatalf("hears %q (%v), want %q", got[:n], err, want)
	}
}

// ask says one thing and hears the line that answers it.
func (c *client) ask(words ...string) string {
	c.t.Helper()
	c.say(frame(words...))
	line, err := c.r.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%q: %v", words, err)
	}
	return strings.TrimSuffix(line, "\r\n")
}

// ended reads to the end of the connection, which has to come.
func (c *client) ended() (rest string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	b, err := io.ReadAll(c.r)
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		c.t.Fatal("the server does not end the connection")
	}
	return string(b)
}

// serve runs a server until the test ends.
func serve(t testing.TB, s *Server) *Server {
	go s.Serve()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

// onTCP is a server on a free loopback port.
func onTCP(t testing.TB, service *commands.Service) (*Server, net.Addr) {
	t.Helper()
	if err := service.Config.Start("port", "0"); err != nil {
		t.Fatal(err)
	}
	s, err := New(service)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	return s, s.Addrs()[0]
}

// inMemory is a server that a fake listener has clients for.
func inMemory(t testing.TB, service *commands.Service) (*Server, *fakeListener) {
	l := newFakeListener()
	return serve(t, newServer(service, []net.Listener{l})), l
}

// A trap is a store in which keys of some names do bad things.
type trap struct {
	engine.Store
	entered chan struct{} // a call for the key "wait" has begun
	release chan struct{} // and may go on
}

func setTrap(service *commands.Service) *trap {
	s := &trap{service.Store, make(chan struct{}, 100), make(chan struct{})}
	service.Store = s
	return s
}

func (s *trap) Take(ctx context.Context, call *engine.Call) (engine.Decision, error) {
	switch string(call.Key.Name) {
	case "panic":
		panic("a trap")
	case "wait":
		s.entered <- struct{}{}
		select {
		case <-s.release:
		case <-ctx.Done():
			return engine.Decision{}, ctx.Err()
		}
	}
	return s.Store.Take(ctx, call)
}

// take is a limiting command that counts, and granted the beginning of its answer.
func take(key string) string { return frame("FW.INCR", key, "1000000000000", "366d") }

const granted = "*5\r\n:0\r\n:1000000000000\r\n"

// dialMaybe is a connection, or nil if the server listens no more.
func dialMaybe(s *Server) net.Conn {
	nc, err := net.Dial("tcp", s.Addrs()[0].String())
	if err != nil {
		return nil
	}
	return nc
}
