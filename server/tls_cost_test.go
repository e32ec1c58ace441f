package server

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// The way through TLS, a loop and the system costs no allocation for a command. What is
// left is crypto/tls's own, on both sides: one small value for each try to read a record,
// of which there are the more the more pieces a long pipeline comes in.
func TestTLSAllocatesNoCommands(t *testing.T) {
	v := newVault(t)
	_, addr := overTLS(t, newService(t, v.options()...))
	for _, depth := range []int{1, 16, 500} {
		if n := allocationsOf(dialTLS(t, addr, v.trusts()), depth); n > float64(10+depth/20) {
			t.Errorf("answering %d commands: %v allocations", depth, n)
		}
	}
}

// What a silent TLS connection costs is bounded; the client's side is in it too, and
// what a handshake leaves to the collector.
func TestTLSMemoryOfConnections(t *testing.T) {
	const n = 300
	v := newVault(t)
	s := newOverTLS(t, newService(t, v.options()...))
	s.every = 20 * time.Millisecond
	serve(t, s)
	for _, kind := range []struct{ name, say string }{{"one PING", ping}, {"a pipeline", strings.Repeat(ping, 2000)}} {
		var kept []net.Conn
		before := memory()
		for range n {
			c := dialTLS(t, s.listeners[0].(secureListener).Listener.Addr(), v.trusts())
			c.say(kind.say)
			if _, err := io.CopyN(io.Discard, c.Conn, int64(len(kind.say)/len(ping)*len("+PONG\r\n"))); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, c.Conn)
		}
		for s.anyLarge() {
			time.Sleep(time.Millisecond)
		}
		each := (memory() - before) / n
		t.Logf("%s: %d bytes a connection", kind.name, each)
		if each > 120<<10 {
			t.Errorf("%s: %d bytes a connection", kind.name, each)
		}
		for _, nc := range kept {
			nc.Close()
		}
	}
}

// FuzzTLSBytes sends bytes to the port for TLS, instead of a handshake or behind one.
// Whatever they are, they end that connection at most.
func FuzzTLSBytes(f *testing.F) {
	v := newVault(f)
	s, addr := overTLS(f, newService(f, v.options()...))
	probe := dialTLS(f, addr, v.trusts())
	for _, raw := range []string{"", ping, "\x16\x03\x01\x00\x05", "\x17\x03\x03\x00\x13" + strings.Repeat("x", 19),
		"\x15\x03\x03\x00\x02\x01\x00", "\x14\x03\x03\x00\x01\x01", "\x17\x03\x03\xff\xff", "\x16\x03\x03\x00\x04\x00\x00\x00\x00"} {
		f.Add(true, []byte(raw))
		f.Add(false, []byte(raw))
	}
	f.Fuzz(func(t *testing.T, behind bool, raw []byte) {
		c := dial(t, addr)
		probe.t = t
		if behind {
			cfg := v.trusts()
			cfg.ServerName = "127.0.0.1"
			if err := tls.Client(c.Conn, cfg).Handshake(); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = c.Write(raw)
		_ = c.Conn.(*net.TCPConn).CloseWrite()
		c.ended()
		if got := probe.ask("PING"); got != "+PONG" {
			t.Fatal(got)
		}
		for s.service.Sessions.Len() > 1 || s.shaking.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
	})
}
