package commands

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
)

// A conversation is a file of testdata/conversations, held with a fresh service on
// a stopped clock. Its lines:
//
//	# a remark, up to the end of the line
//	option NAME VALUE       before the first command: as in the config file
//	clock MS                the store's time from here on
//	> COMMAND args          client 1 says it; words as redis-cli takes them
//	2> COMMAND args         client 2 says it; it connects by that
//	u> COMMAND args         a client on the unix socket; x> one from another machine
//
// and under each command its reply, as redis-cli would print it, with (ends) where
// the connection ends and "2 is ended" where another's does. What is pushed to a
// client stands below, behind "2 hears". A line of the reply that begins with ~ is a
// glob pattern.
type conversation struct {
	t       *testing.T
	config  *config.Config
	service *Service // made when the first client connects
	store   *memstore.Store
	clients map[string]*Session
	ended   []string
	asked   int // shutdowns
}

// conversationStart is the time that conversations begin at, in Unix milliseconds.
const conversationStart = 1_700_000_000_000

var clientAddrs = map[string]string{"u": "unix:0", "x": "192.0.2.7:4000"}

func newConversation(t *testing.T) *conversation {
	v := &conversation{t: t, config: config.New(), store: memstore.New(), clients: map[string]*Session{}}
	t.Cleanup(v.store.Close)
	v.clock(conversationStart)
	return v
}

func (v *conversation) clock(ms int64) {
	v.store.StopClock(engine.Instant(ms) * engine.Instant(time.Millisecond))
}

// client is a client of the conversation, who connects when first asked for.
func (v *conversation) client(name string) *Session {
	if c := v.clients[name]; c != nil {
		return c
	}
	addr := clientAddrs[name]
	if addr == "" {
		addr = "127.0.0.1:" + name
	}
	if v.service == nil {
		v.service = NewService(v.store, v.config, slog.New(slog.DiscardHandler), "1.2.3")
		v.service.Shutdown = func(SaveChoice) { v.asked++ }
	}
	peer := &testPeer{}
	c := v.service.Open(context.Background(), peer, addr, "127.0.0.1:6390")
	peer.onKill = func() {
		v.ended = append(v.ended, name)
		c.Close()
	}
	v.clients[name] = c
	return c
}

// say has a client say a line and tells what comes of it.
func (v *conversation) say(name, line string) []string {
	words, ok := config.Words([]byte(line))
	if !ok || len(words) == 0 {
		v.t.Fatalf("not a command: %s", line)
	}
	c := v.client(name)
	v.ended, v.asked = nil, 0
	answer := c.Do(words)
	reply := render(answer)
	c.Settle()
	if answer.Ends {
		reply[len(reply)-1] += " (ends)"
		c.Close()
	}
	for _, other := range slices.Sorted(maps.Keys(v.clients)) {
		for _, r := range v.clients[other].peer.(*testPeer).heard() {
			reply = append(reply, under(other+" hears ", render(r))...)
		}
	}
	for i := range reply {
		reply[i] = strings.TrimRight(reply[i], " ")
	}
	for _, other := range v.ended {
		reply = append(reply, other+" is ended")
	}
	if v.asked > 0 {
		reply = append(reply, "the server stops")
	}
	return reply
}

// render is a reply as redis-cli prints it; arrays inside arrays are indented.
func render(r Reply) []string {
	switch r.Kind {
	case NoReply:
		return []string{"(no reply)"}
	case Simple:
		return []string{r.Text}
	case Failure:
		return []string{"(error) " + r.Text}
	case Integer:
		return []string{fmt.Sprintf("(integer) %d", r.Number)}
	case Bulk:
		return []string{strconv.Quote(r.Text)}
	case BulkBytes:
		return []string{strconv.Quote(string(r.Bytes))}
	case Null:
		return []string{"(nil)"}
	case NullArray:
		return []string{"(nil array)"}
	case Limiting:
		return []string{strings.Trim(fmt.Sprint(r.Five), "[]")}
	case Leasing:
		return renderArray(r.spelled(), ")")
	case Array:
		return renderArray(r, ")")
	case Set:
		return renderArray(r, "~")
	case Push:
		return renderArray(r, "|")
	case Sequence:
		return renderSequence(r)
	case Map:
		return renderMap(r)
	}
	return []string{"(a reply of no kind)"}
}

// spelled is a Leasing as the array that it is to a client.
func (r Reply) spelled() Reply {
	items := make([]Reply, 0, 6)
	for _, n := range r.Five {
		items = append(items, integer(n))
	}
	if r.Text == "" {
		return array(append(items, null())...)
	}
	return array(append(items, bulk(r.Text))...)
}

func renderSequence(r Reply) (lines []string) {
	for _, item := range r.Items {
		lines = append(lines, render(item)...)
	}
	return lines
}

// renderArray numbers the items; the sign behind the number tells what holds them.
func renderArray(r Reply, sign string) (lines []string) {
	if len(r.Items) == 0 {
		return []string{"(empty array)"}
	}
	for i, item := range r.Items {
		head := fmt.Sprintf("%d%s ", i+1, sign)
		lines = append(lines, under(head, render(item))...)
	}
	return lines
}

func renderMap(r Reply) (lines []string) {
	if len(r.Items) == 0 {
		return []string{"(empty map)"}
	}
	for i := 0; i+1 < len(r.Items); i += 2 {
		head := fmt.Sprintf("%d# %s => ", i/2+1, render(r.Items[i])[0])
		value := render(r.Items[i+1])
		if len(value) > 1 {
			lines = append(lines, strings.TrimRight(head, " "))
			lines = append(lines, indented(value)...)
			continue
		}
		lines = append(lines, head+value[0])
	}
	return lines
}

// under puts lines behind a head of the first.
func under(head string, lines []string) []string {
	lines[0] = head + lines[0]
	for i := range lines[1:] {
		lines[i+1] = strings.Repeat(" ", len(head)) + lines[i+1]
	}
	return lines
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "   " + lines[i]
	}
	return lines
}

var commandLine = regexp.MustCompile(`^([0-9ux]?)> (.*)$`)

func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newConversation(t).hold(strings.Split(string(text), "\n"))
		})
	}
}

// hold holds a conversation.
func (v *conversation) hold(lines []string) {
	var said string
	var got []string // what is left of the reply
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if m := commandLine.FindStringSubmatch(line); m != nil {
			if len(got) > 0 {
				v.t.Errorf("line %d: %s\nis answered with more:\n%s", i, said, strings.Join(got, "\n"))
			}
			name := m[1]
			if name == "" {
				name = "1"
			}
			said, got = line, v.say(name, m[2])
			continue
		}
		if v.direct(line) {
			continue
		}
		if len(got) == 0 || !fits(line, got[0]) {
			v.t.Fatalf("line %d: %s\n got %s\nwant %s", i+1, said, strings.Join(got, "\n     "), line)
		}
		got = got[1:]
	}
	if len(got) > 0 {
		v.t.Errorf("%s\nis answered with more:\n%s", said, strings.Join(got, "\n"))
	}
}

// direct obeys a line that is neither said nor answered.
func (v *conversation) direct(line string) bool {
	words := strings.SplitN(line, " ", 3)
	switch {
	case words[0] == "option" && len(words) == 3:
		if err := v.config.Start(words[1], words[2]); err != nil {
			v.t.Fatal(err)
		}
	case words[0] == "clock" && len(words) == 2:
		ms, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			v.t.Fatal(err)
		}
		v.clock(ms)
	default:
		return false
	}
	return true
}

func fits(want, got string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return glob{pattern: []byte(pattern)}.matches([]byte(got))
	}
	return want == got
}
