package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"sluice/engine"
)

// A gate is a store near by that holds the loop up which asks for the key "wait", so
// that what clients say meanwhile is found at once.
type gate struct {
	engine.Near
	trap   *trap
	broken bool         // it can't run calls together
	widest atomic.Int32 // calls that it ran together
}

func (g *gate) Take(ctx context.Context, call *engine.Call) (engine.Decision, error) {
	return g.trap.Take(ctx, call)
}

func (g *gate) Together(keys []engine.Key, f func(engine.Store)) {
	if g.broken {
		panic("the gate is broken")
	}
	g.widest.Store(max(g.widest.Load(), int32(len(keys))))
	g.Near.Together(keys, func(inner engine.Store) { f(&trap{Store: inner}) })
}

// atOnce has a loop find what clients say, each once, at once. (If the system is slow
// to bring it, some come later.)
func atOnce(t *testing.T, g *gate, says ...string) []*client {
	service := newService(t, "io-threads", "1", "enable-debug-command", "yes")
	g.Near, g.trap = service.Store.(engine.Near), setTrap(service)
	service.Store = g
	_, addr := onTCP(t, service)
	clients := []*client{dial(t, addr)}
	for range says {
		clients = append(clients, dial(t, addr))
	}
	for _, c := range clients {
		if got := c.ask("PING"); got != "+PONG" {
			t.Fatal(got)
		}
	}
	clients[0].say(take("wait"))
	<-g.trap.entered
	for i, s := range says {
		clients[1+i].say(s)
	}
	close(g.trap.release)
	clients[0].hear(granted)
	return clients[1:]
}

// Commands of several clients that have come at once run together.
func TestClientsTogether(t *testing.T) {
	for range 100 {
		g := &gate{}
		for _, c := range atOnce(t, g, take("a"), take("b")+take("c"), take("d"), take("e")) {
			c.hearUntil(granted)
		}
		if g.widest.Load() == 5 {
			return
		}
	}
	t.Error("they never do")
}

// One of them whose next command waits, breaks the protocol, says good-bye or does bad
// things holds up nobody, and what the others said is answered.
func TestClientsTogetherWithABadOne(t *testing.T) {
	for name, bad := range map[string]struct{ says, hears string }{
		"sleeps":          {take("b") + frame("DEBUG", "SLEEP", "0.1") + take("b"), "+OK\r\n" + granted},
		"breaks protocol": {take("b") + "*1\r\n!\r\n", "-ERR Protocol error: expected '$', got '!'\r\n"},
		"quits":           {take("b") + frame("QUIT"), "+OK\r\n"},
		"hits a bug":      {take("b") + take("panic") + take("b"), "-ERR internal error\r\n" + granted},
		"ends itself":     {take("b") + frame("CLIENT", "KILL", "SKIPME", "no", "TYPE", "pubsub"), ":0\r\n"},
		"speaks HTTP":     {take("b") + "POST / HTTP/1.1\r\n\r\n", granted},
	} {
		t.Run(name, func(t *testing.T) {
			clients := atOnce(t, &gate{}, take("a"), bad.says, take("c"))
			for i, hears := range []string{granted, bad.hears, granted} {
				clients[i].hearUntil(hears)
			}
			clients[2].ask("PING") // hears the rest of the reply before
			clients[2].hearUntil("+PONG\r\n")
		})
	}
}

// A bug outside of all commands costs replies, no connection and no lock.
func TestBugTogether(t *testing.T) {
	g := &gate{broken: true}
	for i, c := range atOnce(t, g, take("a"), take("a"), take("b")) {
		c.hearUntil("-ERR internal error\r\n")
		if got := c.ask("FW.INCR", fmt.Sprint(i), "1"); got != "-ERR wrong number of arguments for 'fw.incr' command" {
			t.Error(got)
		}
	}
}
