package server

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// Whoever waits, or does not read, holds nobody up who shares its loop, also if there
// are no numbers for sockets to spare, and comes back to the loop.
func TestTLSWhoWaitsLeavesTheLoop(t *testing.T) {
	long := frame("ECHO", strings.Repeat("x", 1<<20))
	v := newVault(t)
	for _, spare := range []int32{100, 0} {
		for name, says := range map[string]string{
			"sleeps": frame("DEBUG", "SLEEP", "0.05") + ping, "is paused": frame("CLIENT", "PAUSE", "50") + ping,
			"is deaf": strings.Repeat(long, 16) + ping, "is unknown": frame("NOSUCH") + ping,
		} {
			t.Run(fmt.Sprint(name, ", ", spare, " to spare"), func(t *testing.T) {
				s, addr := overTLS(t, newService(t, append(v.options(), "enable-debug-command", "yes", "io-threads", "2")...))
				s.lendable = spare
				var waiting []*client
				for range 2 * s.loopCount() {
					c := dialTLS(t, addr, v.trusts())
					go func() { _, _ = io.WriteString(c.Conn, says) }()
					waiting = append(waiting, c)
				}
				for range 2 * s.loopCount() {
					if got := dialTLS(t, addr, v.trusts()).ask("CLIENT", "UNPAUSE"); got != "+OK" {
						t.Error(got)
					}
				}
				for _, c := range waiting {
					if name == "is deaf" {
						if _, err := io.CopyN(io.Discard, c.r, 16<<20); err != nil {
							t.Fatal(err)
						}
					}
					c.hearUntil("+PONG\r\n")
					if got := c.ask("PING"); got != "+PONG" {
						t.Error(got)
					}
				}
				if n := s.lent.Load(); n != 0 {
					t.Errorf("%d numbers are lent at the end", n)
				}
			})
		}
	}
}

// Clients that come, go, are killed and stopped leave nothing behind, and nobody gets
// what another one asked for, though the numbers of sockets come again.
func TestTLSUnderChurn(t *testing.T) {
	v := newVault(t)
	s, addr := overTLS(t, newService(t, v.options()...))
	for round := range 5 {
		var clients []*client
		for i := range 20 {
			c := dialTLS(t, addr, v.trusts())
			c.say(frame("ECHO", fmt.Sprint(round, "-", i)))
			clients = append(clients, c)
		}
		for i, c := range clients {
			word := fmt.Sprint(round, "-", i)
			c.hear(fmt.Sprintf("$%d\r\n%s\r\n", len(word), word))
			switch i % 4 {
			case 0:
				c.Close()
			case 1:
				if got := c.ask("CLIENT", "KILL", "ADDR", c.LocalAddr().String(), "SKIPME", "no"); got != ":1" {
					t.Fatal(got)
				}
				c.ended()
			case 2:
				half := dial(t, addr) // which never shakes hands
				defer half.Close()
			}
		}
		for _, c := range clients {
			c.Close()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if n, half := s.service.Sessions.Len(), s.shaking.Load(); n != 0 || half != 0 {
		t.Errorf("%d sessions and %d handshakes are left", n, half)
	}
}

// A client that has ever more to say does not keep its loop from others.
func TestTLSNobodyStarves(t *testing.T) {
	v := newVault(t)
	_, addr := overTLS(t, newService(t, append(v.options(), "io-threads", "1")...))
	busy, other := dialTLS(t, addr, v.trusts()), dialTLS(t, addr, v.trusts())
	go func() { _, _ = io.Copy(io.Discard, busy.r) }()
	go func() {
		for batch := strings.Repeat(ping, 10000); ; {
			if _, err := io.WriteString(busy.Conn, batch); err != nil {
				return
			}
		}
	}()
	for range 200 {
		if got := other.ask("PING"); got != "+PONG" {
			t.Fatal(got)
		}
	}
	busy.Close()
}
