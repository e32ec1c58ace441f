package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"sluice/engine"
)

// Whoever waits within a command, or does not read, holds nobody up who shares its
// loop, and comes back to the loop when it is done; also if there are no numbers for
// sockets to spare.
func TestWhoWaitsLeavesTheLoop(t *testing.T) {
	for _, spare := range []int32{100, 1, 0} {
		t.Run(fmt.Sprint(spare, " numbers to spare"), func(t *testing.T) {
			atOnceAndAlone(t, func(t *testing.T, options ...string) { whoWaitsLeaves(t, spare, options) })
		})
	}
}

// atOnceAndAlone runs a test with loops that read and write for many in one call, and
// with such that do not.
func atOnceAndAlone(t *testing.T, test func(t *testing.T, options ...string)) {
	for _, v := range []string{"yes", "no"} {
		t.Run("io-uring="+v, func(t *testing.T) { test(t, "io-uring", v) })
	}
}

func whoWaitsLeaves(t *testing.T, spare int32, options []string) {
	s, addr := onTCP(t, newService(t, append(options, "enable-debug-command", "yes", "io-threads", "2")...))
	s.lendable = spare
	long := strings.Repeat("x", 1<<20)
	waits := map[string]string{
		"sleeps":     frame("DEBUG", "SLEEP", "0.05") + ping,
		"is paused":  frame("CLIENT", "PAUSE", "50") + ping,
		"is deaf":    strings.Repeat(frame("ECHO", long), 16) + ping,
		"transacts":  frame("MULTI") + take("key") + frame("EXEC") + ping,
		"is unknown": frame("NOSUCH") + ping,
	}
	for name, says := range waits {
		t.Run(name, func(t *testing.T) {
			var waiting []*client
			for range 2 * s.loopCount() {
				c := dial(t, addr)
				go func() { _, _ = io.WriteString(c, says) }()
				waiting = append(waiting, c)
			}
			for range 2 * s.loopCount() {
				if got := dial(t, addr).ask("CLIENT", "UNPAUSE"); got != "+OK" {
					t.Error(got)
				}
			}
			for _, c := range waiting {
				c.hearUntil("+PONG\r\n")
				for range 3 {
					if got := c.ask("PING"); got != "+PONG" {
						t.Error(got)
					}
				}
			}
		})
	}
	if n := s.lent.Load(); n != 0 && len(s.loops) > 0 {
		t.Errorf("%d numbers are lent at the end", n)
	}
}

// hearUntil reads up to something that is the end of what was asked for.
func (c *client) hearUntil(end string) {
	c.t.Helper()
	for heard := ""; !strings.HasSuffix(heard, end); {
		b, err := c.r.ReadByte()
		if err != nil {
			c.t.Fatal(err)
		}
		heard = heard[max(0, len(heard)-len(end)):] + string(b)
	}
}

// A store whose calls may wait for others is none for a loop.
func TestNoLoopForAStoreThatWaits(t *testing.T) {
	service := newService(t)
	trap := setTrap(service)
	s, addr := onTCP(t, service)
	waiting, other := dial(t, addr), dial(t, addr)
	waiting.say(take("wait"))
	<-trap.entered
	other.say(take("key"))
	other.hear(granted)
	close(trap.release)
	waiting.hear(granted)
	if len(s.loops) != 0 {
		t.Error("there are loops")
	}
}

// The way through a loop and the system costs no allocation.
func TestLoopAllocatesNothing(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	for _, depth := range []int{1, 16, 500} {
		if n := allocationsOf(dial(t, addr), depth); n > 1 { // the string in there is the test's
			t.Errorf("answering %d commands: %v allocations", depth, n)
		}
	}
}

// allocationsOf is what is allocated, on both sides, each time a client asks for so many
// limiting commands at once.
func allocationsOf(c *client, depth int) float64 {
	pipeline := []byte(strings.Repeat(throttle, depth))
	reply := make([]byte, 64<<10)
	lines := 0
	ask := func() {
		if _, err := c.Write(pipeline); err != nil {
			c.t.Fatal(err)
		}
		for lines += 6 * depth; lines > 0; {
			n, err := c.Conn.Read(reply)
			if err != nil {
				c.t.Fatal(err)
			}
			lines -= strings.Count(string(reply[:n]), "\n")
		}
	}
	for range 20 {
		ask()
	}
	return testing.AllocsPerRun(100, ask)
}

// Clients that come and go, are killed and stopped all the while leave nothing
// behind, and nobody gets what another one asked for: numbers of sockets come again.
func TestLoopsUnderChurn(t *testing.T) { atOnceAndAlone(t, loopsUnderChurn) }

func loopsUnderChurn(t *testing.T, options ...string) {
	s, addr := onTCP(t, newService(t, options...))
	for round := range 20 {
		var clients []*client
		for i := range 20 {
			c := dial(t, addr)
			c.say(frame("ECHO", fmt.Sprint(round, "-", i)))
			clients = append(clients, c)
		}
		for i, c := range clients {
			word := fmt.Sprint(round, "-", i)
			c.hear(fmt.Sprintf("$%d\r\n%s\r\n", len(word), word))
			switch i % 3 {
			case 0:
				c.Close()
			case 1:
				if got := c.ask("CLIENT", "KILL", "ADDR", c.LocalAddr().String(), "SKIPME", "no"); got != ":1" {
					t.Fatal(got)
				}
				c.ended()
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
	if n := s.service.Sessions.Len(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// A bug in one of the commands that run together costs its client that reply alone.
func TestPanicInCommandsTogether(t *testing.T) {
	service := newService(t)
	service.Store = nearTrap{service.Store.(engine.Near)}
	_, addr := onTCP(t, service)
	for range 2 { // the second time shows that all locks are free
		c := dial(t, addr)
		c.say(take("a") + take("panic") + take("b"))
		c.hear(granted)
		c.hearUntil("-ERR internal error\r\n" + granted)
	}
}

// A nearTrap is a store near by in which a key does a bad thing.
type nearTrap struct{ engine.Near }

func (s nearTrap) Together(keys []engine.Key, f func(engine.Store)) {
	s.Near.Together(keys, func(inner engine.Store) { f(&trap{Store: inner}) })
}

// What closes a socket from elsewhere while its number has gone to another one must
// not meet that one.
func TestSocketIsFreedOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dial(t, l.Addr())
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	first, ok := takeSocket(nc, nc.(*net.TCPConn))
	if !ok {
		t.Fatal("it was not taken")
	}
	first.free()
	first.free()
	if err := first.Close(); err == nil {
		t.Error("a socket that is free can be closed")
	}
}
