package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
)

// A said is a command line that one of some clients says.
type said struct {
	client int
	line   string
}

// anyLines draws what clients say: calls that may join a batch, few keys for all, and
// some that must not or are wrong.
func anyLines(t *rapid.T) []said {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	limiter := rapid.SampledFrom([]string{
		"CL.THROTTLE % 2 3 60", "gcra % 2 3 60", "TB.TAKE % 5 1 2", "FW.INCR % 4 1m", "SW.HIT % 4 1m 2", "SL.HIT % 3 1m", "LB.ADD % 3 1", "TB.TAKE % 5 1 0",
	})
	other := rapid.SampledFrom([]string{
		"CC.ACQUIRE % 2 1m TOKEN one", "CC.ACQUIRE % 2 1m TOKEN two", "CC.RENEW % one 1m", "CC.RELEASE % one", "CC.ACQUIRE % 2 1m TOKEN",
		"TYPE %", "DEL %", "NOSUCH %", "FW.INCR %", "FW.INCR % x y", "SELECT 1", "SELECT 0", "MULTI", "EXEC", "CLIENT REPLY SKIP", "PING",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) said {
		line := ""
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			line = other.Draw(t, "other")
		case 2, 3:
			parts := rapid.SliceOfN(limiter, 1, 4).Draw(t, "parts")
			for i, p := range parts {
				parts[i] = strings.ReplaceAll(inPart(p), "%", key.Draw(t, "key"))
			}
			line = "RL.ALL " + strings.Join(parts, " AND ")
		default:
			line = limiter.Draw(t, "limiter")
		}
		return said{rapid.IntRange(0, 2).Draw(t, "client"), strings.ReplaceAll(line, "%", key.Draw(t, "key"))}
	}), 1, 60).Draw(t, "lines")
}

// inPart is a limiting command as a part of RL.ALL: its key first.
func inPart(line string) string {
	name, rest, _ := strings.Cut(line, " % ")
	return "% " + name + " " + rest
}

// Commands that run together are answered as one after the other.
func TestTogetherIsAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := anyLines(t)
		want := newTogether(t)
		for _, l := range lines {
			want.alone(l)
		}
		got := newTogether(t)
		for _, l := range lines {
			if rapid.IntRange(0, 9).Draw(t, "a pause") == 0 {
				got.run()
			}
			got.join(l)
		}
		got.run()
		for i := range want.clients {
			if want, got := strings.Join(want.heard[i], "\n"), strings.Join(got.heard[i], "\n"); want != got {
				t.Errorf("client %d of\n%v\nhears\n%s\ninstead of\n%s", i, lines, got, want)
			}
		}
		if want, got := want.calls(), got.calls(); want != got {
			t.Errorf("%d calls are counted instead of %d", got, want)
		}
	})
}

// A together is clients of one server whose clock stands still, and what they hear.
type together struct {
	batch   *Batch
	clients [3]*Session
	heard   [3][]string
	whose   []int // of the batch
}

func newTogether(t *rapid.T) *together {
	store := memstore.New()
	t.Cleanup(store.Close)
	store.StopClock(engine.Instant(1_700_000_000 * time.Second))
	service := testService(store, config.New())
	g := &together{batch: service.NewBatch()}
	for i := range g.clients {
		g.clients[i] = service.Open(t.Context(), &testPeer{}, fmt.Sprint("127.0.0.1:", i+1), "")
	}
	return g
}

func (g *together) hear(client int, r *Reply) {
	if lines := render(*r); r.Kind != NoReply {
		g.heard[client] = append(g.heard[client], strings.Join(lines, "; "))
	}
}

func (g *together) alone(l said) {
	reply := g.clients[l.client].Do(bytesOf(l.line))
	g.hear(l.client, &reply)
}

func (g *together) join(l said) {
	c := g.clients[l.client]
	if !c.Join(g.batch, bytesOf(l.line)) {
		g.run()
		if !c.Join(g.batch, bytesOf(l.line)) {
			g.alone(l)
			return
		}
	}
	if g.whose = append(g.whose, l.client); g.batch.Full() {
		g.run()
	}
}

func (g *together) run() {
	if g.batch.Len() == 0 {
		return
	}
	g.batch.Together(func(i int) {
		var reply Reply
		g.batch.Answer(i, &reply)
		g.hear(g.whose[i], &reply)
	})
	g.whose = g.whose[:0]
}

// calls is how many commands were counted.
func (g *together) calls() (n int64) {
	for _, c := range g.clients {
		c.Settle()
		n += c.commands.Load()
	}
	return n
}

func bytesOf(line string) (words [][]byte) {
	for _, w := range strings.Fields(line) {
		words = append(words, []byte(w))
	}
	return words
}

// Joining and running together costs no allocation.
func TestTogetherAllocatesNothing(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	batch := session.service.NewBatch()
	var reply Reply
	each := func(i int) { batch.Answer(i, &reply) }
	lines := [][][]byte{
		bytesOf("CL.THROTTLE k 10 100 60"), bytesOf("TB.TAKE b 10 1"),
		bytesOf("RL.ALL x TB.TAKE 1000 100 AND y FW.INCR 10 60s"), bytesOf("SW.HIT s 5 1m"),
	}
	if n := testing.AllocsPerRun(1000, func() {
		for _, l := range lines {
			if !session.Join(batch, l) {
				t.Fatalf("%s does not join", l)
			}
		}
		batch.Together(each)
		session.Settle()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
