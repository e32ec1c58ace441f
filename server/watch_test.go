package server

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// isOpen says whether the server still listens to a client.
func isOpen(c *client) bool {
	_, err := c.Write([]byte("\r\n"))
	return err == nil
}

func TestIdleClientsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, "timeout", "10")
		_, l := inMemory(t, service)
		active, idle, slow := l.dial(t), l.dial(t), l.dial(t)
		for range 8 {
			active.ask("PING")
			slow.say("*") // a byte now and then is not a command
			time.Sleep(time.Second)
		}
		for range 5 {
			active.ask("PING")
			time.Sleep(time.Second)
		}
		if !isOpen(active) || isOpen(idle) || isOpen(slow) {
			t.Errorf("open: active %v, idle %v, slow %v", isOpen(active), isOpen(idle), isOpen(slow))
		}
		if n := service.Sessions.Len(); n != 1 {
			t.Errorf("%d sessions are left", n)
		}
		if err := service.Config.Set("timeout", "0"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		active.ask("PING")
	})
}

// A client that never reads its replies is closed after client-write-timeout; one
// that reads a part of them in that time is not, nor one whose command takes long.
func TestClientsThatNeverRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, "client-write-timeout", "5")
		log := logTo(service)
		trap := setTrap(service)
		_, l := inMemory(t, service)
		deaf, slow, long := l.dial(t), l.dial(t), l.dial(t)
		deaf.say(ping)
		long.say(take("wait"))
		<-trap.entered
		word := strings.Repeat("x", writeBytes)
		slow.say(frame("ECHO", word+word+word+word)) // four writes and a bit
		for range 4 {
			time.Sleep(4 * time.Second)
			if _, err := io.CopyN(io.Discard, slow.Conn, writeBytes); err != nil {
				t.Fatal(err)
			}
		}
		close(trap.release)
		long.hear(granted)
		if n := strings.Count(log.String(), "does not read its replies"); n != 1 {
			t.Errorf("%d clients closed:\n%s", n, log)
		}
		if isOpen(deaf) {
			t.Error("the client that never reads is not closed")
		}
		slow.Close()
		long.Close()
	})
}

// Whoever does not say who it is in time is closed; RESET begins that time anew.
func TestStrangersAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, "requirepass", "secret")
		_, l := inMemory(t, service)
		silent, chatty, known := l.dial(t), l.dial(t), l.dial(t)
		known.ask("AUTH", "secret")
		for range 13 {
			if isOpen(chatty) {
				_, _ = chatty.Write([]byte(ping))
				_, _ = chatty.r.ReadString('\n')
			}
			time.Sleep(time.Second)
		}
		if isOpen(silent) || isOpen(chatty) || !isOpen(known) {
			t.Errorf("open: silent %v, chatty %v, known %v", isOpen(silent), isOpen(chatty), isOpen(known))
		}
		time.Sleep(time.Minute)
		known.ask("RESET")
		time.Sleep(8 * time.Second)
		if !isOpen(known) {
			t.Error("RESET closes a client at once")
		}
		time.Sleep(5 * time.Second)
		if isOpen(known) {
			t.Error("RESET makes no stranger")
		}
	})
}

// A connection that is quiet gives back the buffers of its pipelines, and is none
// the worse for it.
func TestQuietConnectionsTrim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := inMemory(t, newService(t))
		c := l.dial(t)
		var read, out int
		for range 3 {
			go c.say(strings.Repeat(ping, 10000))
			for range 10000 {
				c.hear("+PONG\r\n")
			}
			c.say("*2\r\n$4\r\nECHO\r\n$3\r\na") // and half a command
			time.Sleep(5 * time.Second)
			synctest.Wait()
			s.each(func(c *conn) { read, out = len(c.frames.buf), cap(c.out) })
			if read != smallBuffer || out != 0 {
				t.Errorf("a quiet connection has buffers of %d and %d bytes", read, out)
			}
			c.say("bc\r\n")
			c.hear("$3\r\nabc\r\n")
		}
	})
}

// What a silent connection costs is bounded (R13); the client's side is in it too.
func TestMemoryOfConnections(t *testing.T) {
	const n = 500
	service := newService(t, "port", "0")
	s, err := New(service)
	if err != nil {
		t.Fatal(err)
	}
	s.every = 20 * time.Millisecond
	serve(t, s)
	for _, kind := range []string{"silent", "one PING", "a pipeline"} {
		stream := map[string]string{"one PING": ping, "a pipeline": strings.Repeat(ping, 2000)}[kind]
		before := memory()
		clients := make([]*client, n)
		for i := range clients {
			clients[i] = dial(t, s.Addrs()[0])
			clients[i].r = nil
			if stream != "" {
				clients[i].say(stream)
				for got, want := 0, len(stream)/len(ping)*len("+PONG\r\n"); got < want; {
					k, err := clients[i].Read(make([]byte, 4096))
					if err != nil {
						t.Fatal(err)
					}
					got += k
				}
			}
		}
		for s.service.Sessions.Len() < n || s.anyLarge() {
			time.Sleep(time.Millisecond)
		}
		each := (memory() - before) / n
		t.Logf("%s: %d bytes a connection", kind, each)
		if each > 40<<10 {
			t.Errorf("%s: %d bytes a connection", kind, each)
		}
		for _, c := range clients {
			c.Close()
		}
		for s.service.Sessions.Len() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

func (s *Server) anyLarge() (large bool) {
	s.each(func(c *conn) { large = large || c.large.Load() })
	return large
}

func memory() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
