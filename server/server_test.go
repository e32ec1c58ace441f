package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMaxClients(t *testing.T) {
	_, addr := onTCP(t, newService(t, "maxclients", "2"))
	a, b := dial(t, addr), dial(t, addr)
	a.ask("PING")
	b.ask("PING")
	c := dial(t, addr)
	if got := c.ended(); got != "-ERR max number of clients reached\r\n" {
		t.Errorf("the third client hears %q", got)
	}
	a.say(frame("QUIT"))
	a.hear("+OK\r\n")
	a.ended()
	a.Close()
	for range 500 { // its place is free a moment after it has seen its end
		if c = dial(t, addr); c.tryPing() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("there is no place for the third client after one has left")
}

func (c *client) tryPing() bool {
	_, _ = c.Write([]byte(ping))
	line, _ := c.r.ReadString('\n')
	return line == "+PONG\r\n"
}

// The system's limit on files counts as maxclients does: whoever is one too many
// is told, and does not hang before our door.
func TestMaxFiles(t *testing.T) {
	l := newFakeListener()
	s := newServer(newService(t), []net.Listener{l})
	s.files = 1
	serve(t, s)
	l.dial(t).ask("PING")
	if got := l.dial(t).ended(); got != "-ERR max number of clients reached\r\n" {
		t.Errorf("hears %q", got)
	}
}

func TestProtectedMode(t *testing.T) {
	for _, c := range []struct {
		ip, mode, password string
		denied             bool
	}{
		{"127.0.0.1", "yes", "", false},
		{"::ffff:127.0.0.1", "yes", "", false},
		{"::1", "yes", "", false},
		{"192.0.2.1", "yes", "", true},
		{"2001:db8::1", "yes", "", true},
		{"192.0.2.1", "no", "", false},
		{"192.0.2.1", "yes", "secret", false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			_, l := inMemory(t, newService(t, "protected-mode", c.mode, "requirepass", c.password))
			client := l.dialFrom(t, c.ip)
			if c.denied {
				if got := client.ended(); !strings.HasPrefix(got, "-DENIED ") || strings.Count(got, "\n") != 1 {
					t.Errorf("hears %q", got)
				}
				return
			}
			client.ask("PING")
		})
	}
}

// A panic costs the command in which it is and nothing else.
func TestPanicCostsOneCommand(t *testing.T) {
	service := newService(t)
	log := logTo(service)
	setTrap(service)
	_, addr := onTCP(t, service)
	c := dial(t, addr)
	other := dial(t, addr)
	c.say(ping + take("panic") + frame("ECHO", "still here"))
	c.hear("+PONG\r\n-ERR internal error\r\n$10\r\nstill here\r\n")
	if got := other.ask("PING"); got != "+PONG" {
		t.Errorf("another client hears %q", got)
	}
	if got := log.String(); !strings.Contains(got, "a trap") || !strings.Contains(got, "FW.INCR") || !strings.Contains(got, "net_test.go") {
		t.Errorf("the log has no panic, command and stack:\n%s", got)
	}
}

// A bug outside of any command ends one connection.
func TestPanicInAConnection(t *testing.T) {
	service := newService(t)
	log := logTo(service)
	s := newServer(service, nil)
	c := s.newConn(&script{chunks: [][]byte{[]byte(ping)}})
	c.frames.spans, c.frames.missing, c.frames.bulk = nil, 1, -5 // no client can bring this about
	c.serve()
	if s.service.Sessions.Len() != 0 || len(s.conns) != 0 || !strings.Contains(log.String(), "a connection panicked") {
		t.Errorf("%d sessions, %d connections\n%s", s.service.Sessions.Len(), len(s.conns), log)
	}
}

// A client may close its side as soon as it has said all, as `printf | nc` does.
func TestHalfClose(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	c := dial(t, addr)
	c.say("PING\r\nECHO a\r\nPI")
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := c.ended(); got != "+PONG\r\n$1\r\na\r\n" {
		t.Errorf("hears %q", got)
	}
}

// The error arrives although the client goes on sending: closing with unread input
// would reset the connection.
func TestErrorArrivesWhileSending(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	for name, end := range map[string]struct{ say, hear string }{
		"protocol error": {"*1\r\n?\r\n", protocolError("expected '$', got '?'")},
		"quit":           {frame("QUIT"), "+OK\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, addr)
			c.say(strings.Repeat(ping, 1000) + end.say + strings.Repeat("x", 500_000))
			if got, want := c.ended(), strings.Repeat("+PONG\r\n", 1000)+end.hear; got != want {
				t.Errorf("hears %d bytes, want %d: …%q", len(got), len(want), got[max(0, len(got)-100):])
			}
		})
	}
}

func TestKill(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	victim, silent, killer := dial(t, addr), dial(t, addr), dial(t, addr)
	id := strings.TrimPrefix(victim.ask("CLIENT", "ID"), ":")
	if got := killer.ask("CLIENT", "KILL", "ID", id); got != ":1" {
		t.Fatal(got)
	}
	if got := victim.ended(); got != "" {
		t.Errorf("the victim hears %q", got)
	}
	// One that has never said anything, and the killer itself, which still gets its
	// replies and runs nothing more.
	killer.say(ping + frame("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no") + ping)
	if got := killer.ended(); got != "+PONG\r\n:2\r\n" {
		t.Errorf("the killer hears %q", got)
	}
	silent.ended()
}

func TestAcceptErrorsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService(t)
		log := logTo(service)
		_, l := inMemory(t, service)
		begin := time.Now()
		for range 20 {
			l.errs <- errors.New("too many open files")
		}
		l.dial(t).ask("PING")
		if took := time.Since(begin); took < 5*time.Second || took > 10*time.Second {
			t.Errorf("20 errors in %v", took)
		}
		if n := strings.Count(log.String(), "can't accept"); n != 20 {
			t.Errorf("%d lines in the log", n)
		}
		l.errs <- errors.New("once more") // the pause begins short again, and ends with the server
	})
}

func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for name, c := range map[string]struct {
		options []string
		want    string
	}{
		"port taken":             {[]string{"port", port}, "address already in use"},
		"one of two taken":       {[]string{"bind", "127.0.0.2 127.0.0.1", "port", port}, "address already in use"},
		"no such address":        {[]string{"bind", "192.0.2.1"}, "cannot assign requested address"},
		"optional, alone":        {[]string{"bind", "-192.0.2.1"}, "no address to listen on"},
		"nothing":                {[]string{"bind", ""}, "no address to listen on"},
		"no such folder":         {[]string{"bind", "", "unixsocket", "/nonexistent/s"}, "no such file"},
		"a file in the way":      {[]string{"bind", "", "unixsocket", aFile(t)}, "address already in use"},
		"tcp well, socket badly": {[]string{"port", "0", "unixsocket", "/nonexistent/s"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(newService(t, c.options...)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	// What was opened before the error is closed again.
	if l, err := net.Listen("tcp", "127.0.0.2:"+port); err != nil {
		t.Error(err)
	} else {
		l.Close()
	}
}

func aFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, []byte("dear data"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestListenAddresses(t *testing.T) {
	for bind, want := range map[string]int{"127.0.0.1": 1, "127.0.0.1 -192.0.2.1": 1, "* -::*": 2, "0.0.0.0 -::": 2, "localhost": 1} {
		t.Run(bind, func(t *testing.T) {
			s, err := New(newService(t, "bind", bind, "port", freePort(t)))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(s.Addrs()); n != want && !(strings.Contains(bind, "::") && n == 1) { // without IPv6
				t.Errorf("%d listeners, want %d", n, want)
			}
			serve(t, s)
		})
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	options := []string{"bind", "", "unixsocket", path, "unixsocketperm", "600"}
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close() // and leaves its file

	s, err := New(newService(t, options...))
	if err != nil {
		t.Fatalf("a dead server's file is in the way: %v", err)
	}
	serve(t, s)
	dial(t, s.Addrs()[0]).ask("PING")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if _, err := New(newService(t, options...)); err == nil || !strings.Contains(err.Error(), "another server answers") {
		t.Errorf("a second server on the socket: %v", err)
	}
	dial(t, s.Addrs()[0]).ask("PING")
}
