package server

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sluice/engine"
)

// Clients who say things at the same time are answered as if they had spoken one
// after the other, to a server that hears one of them at a time. The histories are
// short and many; what is not atomic by its contract (SCAN, KEYS, RANDOMKEY, DBSIZE)
// is not among the commands.

// stopped is where the clocks stand, of the server and of the model.
const stopped = engine.Instant(1_900_000_800) * engine.Instant(time.Second)

// readReply appends one reply to what was read.
func readReply(r *bufio.Reader, b []byte) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return b, err
	}
	b = append(b, line...)
	n, _ := strconv.Atoi(strings.TrimSpace(string(line[1:])))
	switch line[0] {
	case '$':
		if n >= 0 {
			text := make([]byte, n+2)
			_, err = io.ReadFull(r, text)
			b = append(b, text...)
		}
	case '*':
		for range n {
			if b, err = readReply(r, b); err != nil {
				return b, err
			}
		}
	}
	return b, err
}

func (c *client) utter(u utterance) (replies string) {
	c.say(u.stream)
	var b []byte
	for range u.replies {
		var err error
		if b, err = readReply(c.r, b); err != nil {
			c.t.Errorf("%s: %v", u, err)
			break
		}
	}
	return string(b)
}

// A told is the model's state: what was said so far, in one order, and what the
// server is like after that. Two orders that leave the same are the same.
type told struct {
	story string
	left  string
}

// A teller is the single-threaded server that the model asks, over a script instead
// of a socket.
type teller struct {
	mu     sync.Mutex // rooms are checked side by side
	server *Server
	looks  [2][]byte // into each of the rooms
	known  map[string]answered
}

type answered struct {
	replies string
	next    told
}

// look tells all that is in a room, and empties it over that: how long a lease lasts
// shows when others are released.
func look(db int) (stream string) {
	for _, k := range roomKeys {
		stream += frame("RL.INSPECT", k)
		for _, token := range roomTokens {
			for _, limit := range []string{"1", "2", "3"} {
				stream += frame("CC.ACQUIRE", k, limit, "0")
			}
			stream += frame("CC.RELEASE", k, token)
		}
	}
	return choose(db) + stream + frame("DEL", "a", "b", "c")
}

func choose(db int) string { return frame("SELECT", strconv.Itoa(db)) }

func (m *teller) say(t told, u utterance) (string, told) {
	m.mu.Lock()
	defer m.mu.Unlock()
	question := t.left + "\x00" + u.stream
	if a, ok := m.known[question]; ok {
		return a.replies, a.next
	}
	converse(m.server, []byte(t.story))
	a := answered{replies: converse(m.server, []byte(u.stream)).replies}
	a.next = told{t.story + u.stream, converse(m.server, m.looks[u.db]).replies}
	m.known[question] = a
	return a.replies, a.next
}

func (m *teller) model() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			rooms := map[int][]porcupine.Operation{}
			for _, o := range history {
				db := o.Input.(utterance).db
				rooms[db] = append(rooms[db], o)
			}
			for _, part := range rooms {
				parts = append(parts, part)
			}
			return parts
		},
		Init: func() any { return told{} },
		Step: func(state, input, output any) (bool, any) {
			replies, next := m.say(state.(told), input.(utterance))
			return replies == output.(string), next
		},
		Equal: func(a, b any) bool { return a.(told).left == b.(told).left },
	}
}

// record has clients talk at once, each in any of the rooms, and notes when each of
// their utterances began and was answered.
func record(clients []*client, seed uint64, each int) []porcupine.Operation {
	history := make([]porcupine.Operation, len(clients)*each)
	mine := rand.New(rand.NewPCG(seed, 0))
	var rooms [2]room
	for i := range rooms {
		rooms[i].db = i
		for k := range rooms[i].own {
			rooms[i].own[k] = pick(mine, append([]string{"CC", "CC"}, limiterNames...)...)
		}
	}
	began := time.Now()
	var wg sync.WaitGroup
	for n, c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n+1)))
			for i := range each {
				in := pick(r, rooms[:]...)
				in.Rand = r
				u := in.utter()
				call := int64(time.Since(began))
				replies := c.utter(u)
				history[n*each+i] = porcupine.Operation{
					ClientId: n, Input: u, Output: replies, Call: call, Return: int64(time.Since(began)),
				}
			}
		})
	}
	wg.Wait()
	return history
}

func TestLinearizable(t *testing.T) {
	const histories, each = 40, 6
	service := newService(t)
	service.Store.StopClock(stopped)
	_, addr := onTCP(t, service)
	var clients [8]*client
	for i := range clients {
		clients[i] = dial(t, addr)
	}
	alone := newService(t)
	alone.Store.StopClock(stopped)
	m := &teller{
		server: newServer(alone, []net.Listener{newFakeListener()}),
		looks:  [2][]byte{[]byte(look(0)), []byte(look(1))},
	}
	seed := rand.Uint64()
	for i := range uint64(histories) {
		m.known = map[string]answered{}
		clients[0].utter(utterance{stream: frame("FLUSHALL"), replies: 1})
		history := record(clients[:], seed+i, each)
		if got := porcupine.CheckOperationsTimeout(m.model(), history, 20*time.Second); got != porcupine.Ok {
			for _, o := range history {
				t.Logf("%d: %d … %d %s\n%q", o.ClientId, o.Call, o.Return, o.Input, o.Output)
			}
			t.Fatalf("history %d of seed %d: %s", i, seed, got)
		}
	}
}
