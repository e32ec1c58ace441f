package server

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"sluice/commands"
	"sluice/engine"
	"sluice/server/pki"
)

// A vault has what a test's server shows and trusts.
type vault struct {
	*pki.Authority
	pki.Files
	dir string
}

func newVault(t testing.TB) *vault {
	t.Helper()
	v := &vault{dir: t.TempDir()}
	var err error
	if v.Authority, v.Files, err = pki.Local(v.dir); err != nil {
		t.Fatal(err)
	}
	return v
}

// issue is a certificate of the vault's authority, good for an hour.
func (v *vault) issue(t testing.TB, name string) tls.Certificate {
	t.Helper()
	pair, err := v.Issue(name, time.Now().Add(time.Hour), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return keyPair(t, pair)
}

func keyPair(t testing.TB, p pki.Pair) tls.Certificate {
	t.Helper()
	pair, err := p.TLS()
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// options are a server's, which asks its clients for nothing.
func (v *vault) options() []string {
	return []string{"tls-cert-file", v.Cert, "tls-key-file", v.Key, "tls-ca-cert-file", v.CA, "tls-auth-clients", "no"}
}

// trusts is a client that does.
func (v *vault) trusts() *tls.Config { return &tls.Config{RootCAs: v.Pool()} }

// overTLS is a server on a free loopback port that speaks TLS only.
func overTLS(t testing.TB, service *commands.Service) (*Server, net.Addr) {
	t.Helper()
	s := newOverTLS(t, service)
	serve(t, s)
	return s, s.listeners[0].(secureListener).Listener.Addr()
}

func newOverTLS(t testing.TB, service *commands.Service) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(service, []net.Listener{secureListener{l}})
	if err := s.speakTLS(); err != nil {
		t.Fatal(err)
	}
	return s
}

// dialTLS is a client whose handshake is done.
func dialTLS(t testing.TB, a net.Addr, cfg *tls.Config) *client {
	t.Helper()
	nc, err := tls.Dial("tcp", a.String(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return newClient(t, nc)
}

// paths are the two ways that a TLS connection can be served.
func paths(t *testing.T, f func(t *testing.T, service *commands.Service, v *vault)) {
	v := newVault(t)
	t.Run("on a loop", func(t *testing.T) { f(t, newService(t, v.options()...), v) })
	t.Run("on a goroutine", func(t *testing.T) {
		service := newService(t, v.options()...)
		service.Store = farAway{service.Store}
		f(t, service, v)
	})
}

// farAway is a store that may have its callers wait.
type farAway struct{ engine.Store }

func TestTLSAnswers(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			cfg := v.trusts()
			cfg.MinVersion, cfg.MaxVersion = version, version
			c := dialTLS(t, addr, cfg)
			for range 3 {
				if got := c.ask("PING"); got != "+PONG" {
					t.Error(got)
				}
			}
			c.say(strings.Repeat(take("key"+fmt.Sprint(version)), 5000))
			if n := countGrantsOf(c, 5000); n != 5000 {
				t.Errorf("%d replies", n)
			}
			if got := c.text("CLIENT", "LIST"); !strings.Contains(got, "addr="+c.LocalAddr().String()) {
				t.Error(got)
			}
			c.say(frame("QUIT"))
			if got := c.ended(); got != "+OK\r\n" {
				t.Errorf("QUIT: %q", got)
			}
		}
	})
}

// countGrantsOf reads so many replies.
func countGrantsOf(c *client, n int) (whole int) {
	for range n {
		for range 6 {
			if _, err := c.r.ReadString('\n'); err != nil {
				c.t.Error(err)
				return whole
			}
		}
		whole++
	}
	return whole
}

// A slicer is a connection that sends what is written in pieces.
type slicer struct {
	net.Conn
	pieces func(b []byte) [][]byte
}

func (s slicer) Write(b []byte) (int, error) {
	for _, piece := range s.pieces(b) {
		if _, err := s.Conn.Write(piece); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// However the bytes of records are cut on their way, what is in them is what was said:
// each byte is a place to cut, and every packet of one byte is a try for itself.
func TestTLSRecordsInPieces(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		say := take("key") + ping
		for at := range 300 {
			nc, err := net.Dial(addr.Network(), addr.String())
			if err != nil {
				t.Fatal(err)
			}
			cut := slicer{nc, func(b []byte) [][]byte { return [][]byte{b[:min(at, len(b))], b[min(at, len(b)):]} }}
			if at == 0 {
				cut.pieces = func(b []byte) (all [][]byte) {
					for i := range b {
						all = append(all, b[i:i+1])
					}
					return all
				}
			}
			cfg := v.trusts()
			cfg.ServerName = "127.0.0.1"
			c := newClient(t, tls.Client(cut, cfg))
			for range 2 {
				c.say(say)
				c.hear(granted)
				c.hearUntil("+PONG\r\n")
			}
			c.Close()
		}
	})
}

// A batcher is a connection that holds back what is written until it is let go.
type batcher struct {
	net.Conn
	hold bool
	held []byte
}

func (b *batcher) Write(p []byte) (int, error) {
	if b.held = append(b.held, p...); b.hold {
		return len(p), nil
	}
	_, err := b.Conn.Write(b.held)
	b.held = nil
	return len(p), err
}

// Many records in one packet, some behind the end of the handshake, are all read,
// though the socket tells of them once.
func TestTLSManyRecordsInOnePacket(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		for range 20 {
			nc, err := net.Dial(addr.Network(), addr.String())
			if err != nil {
				t.Fatal(err)
			}
			late := &batcher{Conn: nc}
			cfg := v.trusts()
			cfg.ServerName = "127.0.0.1"
			tc := tls.Client(late, cfg)
			// From here on its part of the handshake waits for the commands behind it.
			cfg.VerifyConnection = func(tls.ConnectionState) error { late.hold = true; return nil }
			if err := tc.Handshake(); err != nil {
				t.Fatal(err)
			}
			c := newClient(t, tc)
			for range 1000 {
				c.say(ping)
			}
			late.hold = false
			c.say(frame("ECHO", "last"))
			for range 1000 {
				c.hear("+PONG\r\n")
			}
			c.hear("$4\r\nlast\r\n")
			c.Close()
		}
	})
}

// Large replies to a client that reads late arrive whole, and nobody else waits.
func TestTLSSlowReader(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		slow := dialTLS(t, addr, v.trusts())
		word := strings.Repeat("x", 1<<20)
		go func() { _, _ = io.WriteString(slow.Conn, strings.Repeat(frame("ECHO", word), 32)+ping) }()
		for range 50 {
			if got := dialTLS(t, addr, v.trusts()).ask("PING"); got != "+PONG" {
				t.Error(got)
			}
		}
		for range 32 {
			slow.hear("$1048576\r\n" + word + "\r\n")
		}
		slow.hear("+PONG\r\n")
		if got := slow.ask("PING"); got != "+PONG" {
			t.Error(got)
		}
	})
}

// handshakeIn is TLS on a connection that a test has made.
func handshakeIn(t testing.TB, c *client, v *vault) *client {
	t.Helper()
	cfg := v.trusts()
	cfg.ServerName = "127.0.0.1"
	tc := tls.Client(c.Conn, cfg)
	if err := tc.Handshake(); err != nil {
		t.Fatal(err)
	}
	return newClient(t, tc)
}
