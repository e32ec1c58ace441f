package server

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sluice/commands"
)

// text asks for a bulk string.
func (c *client) text(words ...string) string {
	c.t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(c.ask(words...), "$"))
	if err != nil {
		c.t.Fatal(err)
	}
	b := make([]byte, n+2)
	if _, err := io.ReadFull(c.r, b); err != nil {
		c.t.Fatal(err)
	}
	return string(b[:n])
}

// untilPaused waits until so many clients are held up.
func (c *client) untilPaused(n int) {
	c.t.Helper()
	for strings.Count(c.text("CLIENT", "LIST"), "b db=") != n {
		if c.t.Context().Err() != nil {
			c.t.Fatal("they are not held up")
		}
	}
}

// A client that is held up has had the replies to what it said before, hears what
// is pushed to it, and goes on when the pause is over. Nobody else waits.
func TestPause(t *testing.T) {
	service := newService(t)
	s, addr := onTCP(t, service)
	operator, c, reader := dial(t, addr), dial(t, addr), dial(t, addr)
	if got := operator.ask("CLIENT", "PAUSE", "1000000", "WRITE"); got != "+OK" {
		t.Fatal(got)
	}
	c.say(ping + take("key") + ping)
	c.hear("+PONG\r\n")
	operator.untilPaused(1)
	if got := operator.text("INFO", "clients"); !strings.Contains(got, "\nblocked_clients:1\r\n") {
		t.Error(got)
	}
	if got := reader.ask("EXISTS", "key"); got != ":0" {
		t.Error(got)
	}
	s.each(func(other *conn) {
		if other.session.Addr == c.LocalAddr().String() {
			other.Push(commands.Reply{Kind: commands.Simple, Text: "psst"})
		}
	})
	c.hear("+psst\r\n")
	if got := operator.ask("CLIENT", "UNPAUSE"); got != "+OK" {
		t.Error(got)
	}
	c.hear(granted)
	if got := reader.ask("EXISTS", "key"); got != ":1" {
		t.Error(got)
	}
}

func TestPauseWhatIsHeldUp(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	operator := dial(t, addr)
	held := map[string]string{
		"a write":       take("a"),
		"PUBLISH":       frame("PUBLISH", "news", "hello"),
		"a transaction": frame("MULTI") + take("b"),
	}
	for level, streams := range map[string]map[string]string{"WRITE": held, "ALL": {"a look": frame("EXISTS", "a"), "PING": ping}} {
		for name, stream := range streams {
			t.Run(level+" "+name, func(t *testing.T) {
				operator.ask("CLIENT", "PAUSE", "1000000", level)
				c := dial(t, addr)
				c.say(stream)
				operator.untilPaused(1)
				operator.ask("CLIENT", "UNPAUSE")
				if strings.HasPrefix(stream, frame("MULTI")) {
					c.hear("+OK\r\n+QUEUED\r\n")
				} else if _, err := c.r.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// Whoever is held up can be ended, and the server can, and what was held up is not
// run.
func TestPauseEnds(t *testing.T) {
	service := newService(t)
	s, addr := onTCP(t, service)
	operator, killed, stopped := dial(t, addr), dial(t, addr), dial(t, addr)
	operator.ask("CLIENT", "PAUSE", "1000000", "WRITE")
	killed.say(take("key"))
	stopped.say(take("key"))
	operator.untilPaused(2)
	operator.ask("CLIENT", "KILL", "ADDR", killed.LocalAddr().String())
	if got := killed.ended(); got != "" {
		t.Errorf("the killed one hears %q", got)
	}
	operator.untilPaused(1)
	go stopped.ended() // it closes its side, so that nobody lingers
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	session := service.Open(t.Context(), &conn{}, "", "")
	session.Do([][]byte{[]byte("CLIENT"), []byte("UNPAUSE")})
	session.Close()
	if n := timesRun(t, service, "key"); n != 0 {
		t.Errorf("%d commands were run that had been held up", n)
	}
}

// Whoever leaves while it is held up is not kept.
func TestPausedClientsLeave(t *testing.T) {
	service := newService(t, "port", "0")
	s, err := New(service)
	if err != nil {
		t.Fatal(err)
	}
	s.every = 10 * time.Millisecond
	serve(t, s)
	operator, c, reset := dial(t, s.Addrs()[0]), dial(t, s.Addrs()[0]), dial(t, s.Addrs()[0])
	operator.ask("CLIENT", "PAUSE", "1000000", "WRITE")
	c.say(take("key"))
	reset.say(take("key"))
	operator.untilPaused(2)
	c.Close()
	_ = reset.Conn.(*net.TCPConn).SetLinger(0)
	reset.Close()
	operator.untilPaused(0)
	operator.ask("CLIENT", "UNPAUSE")
	if n := timesRun(t, service, "key"); n != 0 {
		t.Errorf("%d commands of clients that had left were run", n)
	}
}

// Whoever left shortly before the pause is over has nothing run either, though no
// tick has noticed.
func TestPausedClientsHaveLeft(t *testing.T) {
	service := newService(t, "port", "0")
	s, err := New(service)
	if err != nil {
		t.Fatal(err)
	}
	s.every = time.Hour
	serve(t, s)
	operator, c := dial(t, s.Addrs()[0]), dial(t, s.Addrs()[0])
	operator.ask("CLIENT", "PAUSE", "1000000", "WRITE")
	c.say(take("key"))
	operator.untilPaused(1)
	c.Close()
	operator.ask("CLIENT", "UNPAUSE")
	operator.untilPaused(0)
	if n := timesRun(t, service, "key"); n != 0 {
		t.Errorf("%d commands of a client that had left were run", n)
	}
}

// A pause ends by itself; the longer of two holds.
func TestPauseIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := inMemory(t, newService(t, "timeout", "10"))
		operator, c := l.dial(t), l.dial(t)
		begin := time.Now()
		operator.ask("CLIENT", "PAUSE", "20000", "WRITE")
		operator.ask("CLIENT", "PAUSE", "5")
		c.ask("PING")
		if took := time.Since(begin); took != 20*time.Second {
			t.Errorf("a client was held up for %v", took)
		}
	})
}
