package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/commands"
)

// timesRun is how many takes of a key were run.
func timesRun(t testing.TB, service *commands.Service, key string) int64 {
	session := service.Open(t.Context(), &conn{}, "", "")
	defer session.Close()
	reply := session.Do([][]byte{[]byte("FW.INCR"), []byte(key), []byte("1000000000000"), []byte("366d"), []byte("0")})
	if reply.Kind != commands.Limiting {
		t.Fatalf("%+v", reply)
	}
	return 1000000000000 - reply.Five[2]
}

// Under load, whatever was run is also answered, and the answer arrives although
// the client sends on and on.
func TestStopUnderLoad(t *testing.T) {
	service := newService(t)
	s, addr := onTCP(t, service)
	const clients, depth = 8, 100
	var answered [clients]int64
	var running, ready sync.WaitGroup
	ready.Add(clients)
	for i := range clients {
		c := dial(t, addr)
		batch := []byte(strings.Repeat(take(fmt.Sprint(i)), depth))
		running.Go(func() { // writes until it can't
			for {
				if _, err := c.Write(batch); err != nil {
					return
				}
			}
		})
		running.Go(func() {
			_, _ = c.r.Peek(1)
			ready.Done()
			answered[i] = countGrants(c.r)
		})
	}
	ready.Wait()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	t.Logf("stopped in %v", time.Since(begin))
	running.Wait()
	for i, n := range answered {
		if ran := timesRun(t, service, fmt.Sprint(i)); ran != n || n == 0 {
			t.Errorf("client %d: %d commands were run, %d answered", i, ran, n)
		}
	}
}

// countGrants reads replies to the end and counts those that came whole.
func countGrants(r *bufio.Reader) (n int64) {
	for {
		for range 6 {
			if _, err := r.ReadString('\n'); err != nil {
				return n
			}
		}
		n++
	}
}

// A command under way when the server is to stop is answered; it is not cancelled.
func TestStopWaitsForCommands(t *testing.T) {
	service := newService(t)
	trap := setTrap(service)
	s, addr := onTCP(t, service)
	c, idle := dial(t, addr), dial(t, addr)
	idle.ask("PING")
	c.say(take("wait") + ping)
	<-trap.entered
	stopped := make(chan error)
	go func() { stopped <- s.Stop(context.Background()) }()
	idle.ended() // the server is stopping by now
	close(trap.release)
	c.hear(granted)
	if got := c.ended(); !strings.HasSuffix(got, "\r\n+PONG\r\n") {
		t.Errorf("hears %q: commands that had come are not answered", got)
	}
	c.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// What does not end in time is cut off, and its context with it.
func TestStopCutsOff(t *testing.T) {
	service := newService(t)
	trap := setTrap(service)
	s, addr := onTCP(t, service)
	c := dial(t, addr)
	c.say(take("wait"))
	<-trap.entered
	slow := dial(t, addr) // never reads
	go func() {
		for {
			if _, err := slow.Write([]byte(strings.Repeat(frame("ECHO", strings.Repeat("x", 10000)), 100))); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	c.ended()
	if n := service.Sessions.Len(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// Stop may come at any moment of Serve's life, and more than once.
func TestStopRaces(t *testing.T) {
	for range 20 {
		service := newService(t)
		if err := service.Config.Start("port", "0"); err != nil {
			t.Fatal(err)
		}
		s, err := New(service)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(s.Serve)
		all.Go(func() {
			if c := dialMaybe(s); c != nil {
				defer c.Close()
				_, _ = c.Write([]byte(ping))
				_, _ = c.Read(make([]byte, 10))
			}
		})
		for range 2 {
			all.Go(func() { _ = s.Stop(context.Background()) })
		}
		all.Wait()
	}
}
