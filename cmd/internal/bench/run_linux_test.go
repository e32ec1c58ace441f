package bench

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/server/pki"
)

// answer serves a listener until the test ends: to each command that comes, reply. A
// command is known by its *, of which the tests' commands have no other.
func answer(t *testing.T, l net.Listener, reply string) string {
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := make([]byte, 4<<10)
				for {
					n, err := conn.Read(in)
					if err != nil {
						return
					}
					commands := bytes.Count(in[:n], []byte("*"))
					if _, err := io.WriteString(conn, strings.Repeat(reply, commands)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

func listen(t *testing.T, network, addr string) net.Listener {
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func small(addr string) Load {
	return Load{Addr: addr, Workload: Custom("GET k{key}"), Connections: 4, Depth: 3, Threads: 2, Keys: 100,
		Spread: Uniform, Duration: 50 * time.Millisecond, PID: 1 << 30}
}

func TestRun(t *testing.T) {
	tcp := answer(t, listen(t, "tcp", "127.0.0.1:0"), "*2\r\n:0\r\n$1\r\nx\r\n")
	authority, files, err := pki.Local(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	safe := answer(t, tls.NewListener(listen(t, "tcp", "127.0.0.1:0"), &tls.Config{Certificates: []tls.Certificate{pair}}), "+OK\r\n")
	overTLS := func(l *Load) { l.Addr, l.TLS = safe, &tls.Config{RootCAs: authority.Pool()} }
	unix := answer(t, listen(t, "unix", filepath.Join(t.TempDir(), "s")), "+OK\r\n")
	for name, change := range map[string]func(*Load){
		"closed loop": func(*Load) {},
		"unix socket": func(l *Load) { l.Addr = unix },
		"TLS":         overTLS,
		"TLS, and commands longer than a record": func(l *Load) {
			overTLS(l)
			l.Workload, l.Depth = Custom("GET {key} "+strings.Repeat("x", 2000)), 1000
		},
		"warmup":            func(l *Load) { l.Warmup = 20 * time.Millisecond },
		"open loop":         func(l *Load) { l.Rate = 2000 },
		"one connection":    func(l *Load) { l.Threads, l.Connections, l.Depth = 1, 1, 1 },
		"no key in command": func(l *Load) { l.Workload = Custom("PING") },
		"commands that are longer than the socket's buffers": func(l *Load) {
			l.Workload, l.Depth = Custom("GET {key} "+strings.Repeat("x", 2000)), 1000
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := small(tcp)
			change(&l)
			r, err := Run(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if r.TLS != (l.TLS != nil) || r.Calls == 0 || r.Errors != 0 || r.PerSec <= 0 || r.Latency.P50 <= 0 || r.ServerCPU != nil {
				t.Errorf("%+v", r)
			}
			if due := int64(l.Rate * l.Duration.Seconds()); l.Rate > 0 && r.Calls+r.Missed != due {
				t.Errorf("%d calls and %d missed, but %d were due", r.Calls, r.Missed, due)
			}
		})
	}
}

func TestFill(t *testing.T) {
	l := small(answer(t, listen(t, "tcp", "127.0.0.1:0"), ":1\r\n"))
	l.Keys = 12_345
	if r, err := Fill(t.Context(), l); r.Calls != 12_345 || err != nil {
		t.Errorf("%d calls for 12345 keys, %v", r.Calls, err)
	}
}

// TestRunFails: a server that is wrong is an error, and never a measurement.
func TestRunFails(t *testing.T) {
	for reply, want := range map[string]string{
		"-ERR unknown command\r\n": "unknown command",
		"HTTP/1.1 400\r\n":         "no reply of RESP2",
		"+OK\r\n+OK\r\n":           "more replies",
	} {
		l := small(answer(t, listen(t, "tcp", "127.0.0.1:0"), reply))
		if _, err := Run(t.Context(), l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", reply, err, want)
		}
	}
	l := small(answer(t, listen(t, "tcp", "127.0.0.1:0"), "+OK\r\n"))
	l.Workload.Check = integers(5)
	if _, err := Run(t.Context(), l); err == nil || !strings.Contains(err.Error(), "first reply") {
		t.Errorf("a wrong first reply: %v", err)
	}
}

// TestServerGoesAway ends the server's side of the connections while the load goes on.
func TestServerGoesAway(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	defer l.Close()
	go func() {
		for number := 0; ; number++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			in := make([]byte, 1<<10)
			if number == 0 { // the control connection, which tries the first call
				_, _ = conn.Read(in)
				_, _ = io.WriteString(conn, "+OK\r\n")
				continue
			}
			go func() {
				_, _ = conn.Read(in)
				_, _ = io.WriteString(conn, "-ERR max number of clients reached\r\n")
				conn.Close()
			}()
		}
	}()
	_, err := Run(t.Context(), small(l.Addr().String()))
	if err == nil || !strings.Contains(err.Error(), "max number of clients") {
		t.Errorf("the error is %v", err)
	}
}

func TestCancel(t *testing.T) {
	load := small(answer(t, listen(t, "tcp", "127.0.0.1:0"), "+OK\r\n"))
	load.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	load.Progress = cancelWriter(cancel)
	if _, err := Run(ctx, load); err != context.Canceled {
		t.Errorf("a cancelled load ends with %v", err)
	}
}

// A cancelWriter cancels at the first line of progress.
type cancelWriter func()

func (w cancelWriter) Write(b []byte) (int, error) {
	w()
	return len(b), nil
}

// TestSendAllocatesNothing: neither for a call nor for its reply is anything allocated.
func TestSendAllocatesNothing(t *testing.T) {
	l := small(answer(t, listen(t, "tcp", "127.0.0.1:0"), ":1\r\n"))
	l.Duration = time.Hour
	template, err := ParseTemplate(l.Workload.Command)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newLoop(l, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.connect(l, template); err != nil {
		t.Fatal(err)
	}
	c := p.conns[0]
	replies := []byte(":1\r\n:2\r\n:3\r\n")
	if n := testing.AllocsPerRun(100, func() {
		for i := range l.Depth {
			c.batch.SetKey(i, p.keys.Next())
		}
		c.waiting, p.busy = l.Depth, 1
		p.left = 0 // so that no more is sent
		if err := p.received(c, replies); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
