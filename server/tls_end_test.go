package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sluice/commands"
)

// Whoever has not shaken hands is ended by a stop, whoever has gets to the end of what
// was said.
func TestTLSStop(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		s, addr := overTLS(t, service)
		half, busy, idle := dial(t, addr), dialTLS(t, addr, v.trusts()), dialTLS(t, addr, v.trusts())
		idle.ask("PING")
		half.say("\x16\x03\x01")
		batch := strings.Repeat(take("key"), 100)
		go func() {
			for {
				if _, err := io.WriteString(busy.Conn, batch); err != nil {
					return
				}
			}
		}()
		_, _ = busy.r.Peek(1)
		answered := make(chan int64)
		go func() { answered <- countGrants(busy.r) }()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
		if got := idle.ended(); got != "" {
			t.Errorf("hears %q", got)
		}
		half.ended()
		if ran, n := timesRun(t, service, "key"), <-answered; ran != n || n == 0 {
			t.Errorf("%d commands were run, %d answered", ran, n)
		}
	})
}

// The end of a conversation is said within TLS, so that nobody can cut it unnoticed.
func TestTLSEnds(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		_, addr := overTLS(t, service)
		for what, say := range map[string]string{
			"QUIT":              frame("QUIT"),
			"a protocol error":  "*1\r\nx\r\n",
			"HTTP":              "POST / HTTP/1.1\r\n\r\n",
			"a long last reply": frame("ECHO", strings.Repeat("x", 1<<20)) + frame("QUIT"),
		} {
			c := dialTLS(t, addr, v.trusts())
			go func() { _, _ = io.WriteString(c.Conn, say) }()
			if _, err := io.ReadAll(c.r); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		half := dialTLS(t, addr, v.trusts())
		half.say(ping + ping)
		_ = half.Conn.(interface{ CloseWrite() error }).CloseWrite()
		if got := half.ended(); got != "+PONG\r\n+PONG\r\n" {
			t.Errorf("who has said all hears %q", got)
		}
		victim, other := dialTLS(t, addr, v.trusts()), dialTLS(t, addr, v.trusts())
		if got := other.ask("CLIENT", "KILL", "ADDR", victim.LocalAddr().String()); got != "+OK" && got != ":1" {
			t.Error(got)
		}
		victim.ended()
		for service.Sessions.Len() != 1 {
			time.Sleep(time.Millisecond)
		}
	})
}

// What comes instead of a handshake, or stops in the middle of one, ends that client
// alone, in time, and is counted as a client until then.
func TestTLSWithoutHandshake(t *testing.T) {
	v := newVault(t)
	s, addr := overTLS(t, newService(t, append(v.options(), "maxclients", "20")...))
	for _, junk := range []string{ping, "GET / HTTP/1.1\r\n\r\n", strings.Repeat("junk", 10000), "\x80\x2e\x01\x03\x01",
		"\x16\x03\x01\xff\xff" + strings.Repeat("x", 100000), "\x15\x03\x03\x00\x02\x02\x28", "\x17\x03\x03\x00\x05hello", ""} {
		c := dial(t, addr)
		_, _ = io.WriteString(c.Conn, junk)
		_ = c.Conn.(*net.TCPConn).CloseWrite()
		c.ended()
		if !comesIn(addr.String(), v.trusts()) {
			t.Fatalf("after %.20q nobody comes in", junk)
		}
	}
	for s.service.Sessions.Len() > 0 || s.shaking.Load() > 0 { // those who came in are leaving
		time.Sleep(time.Millisecond)
	}
	for range 20 {
		dial(t, addr).say("\x16\x03\x01\x02\x00\x01")
	}
	for s.shaking.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	if comesIn(addr.String(), v.trusts()) {
		t.Error("there are more clients than may be")
	}
	if n := s.service.Stats.Rejected.Load(); n != 1 {
		t.Errorf("%d were rejected", n)
	}
}

// A TLS client on the port without TLS does not wait for an answer that never comes.
func TestTLSOnThePlainPort(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	nc, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	newClient(t, nc)
	err = tls.Client(nc, &tls.Config{InsecureSkipVerify: true}).Handshake()
	if err == nil || !strings.Contains(fmt.Sprint(err), "first record does not look like a TLS handshake") {
		t.Error(err)
	}
}

// A handshake has its time.
func TestTLSHandshakeTakesTooLong(t *testing.T) {
	v := newVault(t)
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, v.options()...)
		l := newFakeListener()
		s := newServer(service, []net.Listener{secureListener{l}})
		if err := s.speakTLS(); err != nil {
			t.Fatal(err)
		}
		serve(t, s)
		begin, c := time.Now(), l.dial(t)
		c.say("\x16\x03\x01")
		if _, err := c.r.ReadByte(); err == nil || time.Since(begin) != handshakeFor {
			t.Errorf("ended after %v: %v", time.Since(begin), err)
		}
	})
}

// Protected mode is as without TLS, and says so within it.
func TestTLSProtectedMode(t *testing.T) {
	v := newVault(t)
	l := newFakeListener()
	s := newServer(newService(t, v.options()...), []net.Listener{secureListener{l}})
	if err := s.speakTLS(); err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	if got := handshakeIn(t, l.dialFrom(t, "127.0.0.1"), v).ask("PING"); got != "+PONG" {
		t.Error(got)
	}
	c := handshakeIn(t, l.dialFrom(t, "10.0.0.1"), v)
	c.hear("-DENIED")
	go io.WriteString(c.Conn, ping)
	c.ended()
}

// Messages reach a TLS client that waits, one that talks, and no more one that does not
// keep up; who publishes waits for none of them.
func TestTLSPushes(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		if err := service.Config.Set("client-output-limit", "65536"); err != nil {
			t.Fatal(err)
		}
		_, addr := overTLS(t, service)
		idle, deaf := dialTLS(t, addr, v.trusts()).subscribe("news"), dialTLS(t, addr, v.trusts()).subscribe("noise")
		publisher := dialTLS(t, addr, v.trusts())
		for i := range 100 {
			if got := publisher.ask("PUBLISH", "news", fmt.Sprint(i)); got != ":1" {
				t.Fatal(got)
			}
		}
		for i := range 100 {
			idle.hear(message("news", fmt.Sprint(i)))
		}
		for word := strings.Repeat("x", 10000); publisher.ask("PUBLISH", "noise", word) != ":0"; {
		}
		deaf.ended()
		idle.say(frame("PING"))
		idle.hear("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
	})
}

// A client that does not read is ended in time, though TLS is in between.
func TestTLSWatch(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		log := logTo(service)
		if err := service.Config.Set("client-write-timeout", "1"); err != nil {
			t.Fatal(err)
		}
		s := newOverTLS(t, service)
		s.every = 50 * time.Millisecond
		serve(t, s)
		deaf := dialTLS(t, s.listeners[0].(secureListener).Listener.Addr(), v.trusts())
		go func() {
			_, _ = io.WriteString(deaf.Conn, strings.Repeat(frame("ECHO", strings.Repeat("x", 1<<20)), 64))
		}()
		for strings.Count(log.String(), "does not read its replies") == 0 || service.Sessions.Len() > 0 {
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// Whoever is held up and stays is kept, however little came behind the command.
func TestTLSPausedClientsStay(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		s := newOverTLS(t, service)
		s.every = time.Millisecond
		serve(t, s)
		addr := s.listeners[0].(secureListener).Listener.Addr()
		operator := dialTLS(t, addr, v.trusts())
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			for n := 1; n <= 4; n++ {
				cfg := v.trusts()
				cfg.MaxVersion = version
				c := dialTLS(t, addr, cfg)
				operator.ask("CLIENT", "PAUSE", "1000000", "WRITE")
				c.say(take("key"))
				operator.untilPaused(1)
				c.say(ping[:n])
				for tick := s.ticks.Load(); s.ticks.Load() < tick+20; {
					time.Sleep(time.Millisecond)
				}
				operator.ask("CLIENT", "UNPAUSE")
				c.hear(granted)
				c.say(ping[n:])
				c.hearUntil("+PONG\r\n")
			}
		}
	})
}

// Whoever is held up and leaves is not kept, also if its goodbye came within TLS.
func TestTLSPausedClientsLeave(t *testing.T) {
	paths(t, func(t *testing.T, service *commands.Service, v *vault) {
		s := newOverTLS(t, service)
		s.every = 10 * time.Millisecond
		serve(t, s)
		addr := s.listeners[0].(secureListener).Listener.Addr()
		operator := dialTLS(t, addr, v.trusts())
		operator.ask("CLIENT", "PAUSE", "1000000", "WRITE")
		for _, version := range []uint16{0x0303, 0x0304} {
			cfg := v.trusts()
			cfg.MaxVersion = version
			c := dialTLS(t, addr, cfg)
			c.say(take("key"))
			operator.untilPaused(1)
			c.Close()
			operator.untilPaused(0)
		}
		operator.ask("CLIENT", "UNPAUSE")
		if n := timesRun(t, service, "key"); n != 0 {
			t.Errorf("%d commands of clients that had left were run", n)
		}
	})
}
