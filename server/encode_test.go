package server

import (
	"fmt"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/tidwall/redcon"

	"sluice/commands"
)

type reply = commands.Reply

var five = reply{Kind: commands.Limiting, Five: [5]int64{1, 16, 0, 9223372036854775807, -1}}

var encodeCases = []struct {
	name         string
	reply        reply
	resp2, resp3 string // resp3 empty: the same
}{
	{"nothing", reply{}, "", ""},
	{"simple", reply{Kind: commands.Simple, Text: "OK"}, "+OK\r\n", ""},
	{"simple with newlines", reply{Kind: commands.Simple, Text: "a\r\nb"}, "+a  b\r\n", ""},
	{"the last", reply{Kind: commands.Simple, Text: "OK", Ends: true}, "+OK\r\n", ""},
	{"set", reply{Kind: commands.Set, Items: []reply{{Kind: commands.Bulk, Text: "on"}}}, "*1\r\n$2\r\non\r\n", "~1\r\n$2\r\non\r\n"},
	{"push", reply{Kind: commands.Push, Items: []reply{{Kind: commands.Bulk, Text: "a"}, {Kind: commands.Null}}},
		"*2\r\n$1\r\na\r\n$-1\r\n", ">2\r\n$1\r\na\r\n_\r\n"},
	{"sequence", reply{Kind: commands.Sequence, Items: []reply{{Kind: commands.Push, Items: []reply{{Kind: commands.Integer}}}}},
		"*1\r\n:0\r\n", ">1\r\n:0\r\n"},
	{"failure", reply{Kind: commands.Failure, Text: "ERR a\r\n+OK"}, "-ERR a  +OK\r\n", ""},
	{"integer", reply{Kind: commands.Integer, Number: -9223372036854775808}, ":-9223372036854775808\r\n", ""},
	{"digit", reply{Kind: commands.Integer, Number: 7}, ":7\r\n", ""},
	{"bulk", reply{Kind: commands.Bulk, Text: "a\r\nb"}, "$4\r\na\r\nb\r\n", ""},
	{"empty bulk", reply{Kind: commands.Bulk}, "$0\r\n\r\n", ""},
	{"bytes", reply{Kind: commands.BulkBytes, Bytes: []byte("\x00\xff")}, "$2\r\n\x00\xff\r\n", ""},
	{"nil bytes", reply{Kind: commands.BulkBytes}, "$0\r\n\r\n", ""},
	{"null", reply{Kind: commands.Null}, "$-1\r\n", "_\r\n"},
	{"null array", reply{Kind: commands.NullArray}, "*-1\r\n", "_\r\n"},
	{"limiting", five, "*5\r\n:1\r\n:16\r\n:0\r\n:9223372036854775807\r\n:-1\r\n", ""},
	{"leasing", reply{Kind: commands.Leasing, Five: five.Five, Text: "a token"},
		"*6\r\n:1\r\n:16\r\n:0\r\n:9223372036854775807\r\n:-1\r\n$7\r\na token\r\n", ""},
	{"leasing nothing", reply{Kind: commands.Leasing},
		"*6\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n$-1\r\n", "*6\r\n:0\r\n:0\r\n:0\r\n:0\r\n:0\r\n_\r\n"},
	{"empty array", reply{Kind: commands.Array}, "*0\r\n", ""},
	{"empty map", reply{Kind: commands.Map}, "*0\r\n", "%0\r\n"},
	{"array", reply{Kind: commands.Array, Items: []reply{{Kind: commands.Integer, Number: 1}, {Kind: commands.Null}}},
		"*2\r\n:1\r\n$-1\r\n", "*2\r\n:1\r\n_\r\n"},
	{"map", reply{Kind: commands.Map, Items: []reply{{Kind: commands.Bulk, Text: "k"}, five}},
		"*2\r\n$1\r\nk\r\n*5\r\n:1\r\n:16\r\n:0\r\n:9223372036854775807\r\n:-1\r\n",
		"%1\r\n$1\r\nk\r\n*5\r\n:1\r\n:16\r\n:0\r\n:9223372036854775807\r\n:-1\r\n"},
	{"a map in an array in a map", reply{Kind: commands.Map, Items: []reply{{Kind: commands.Simple, Text: "k"},
		{Kind: commands.Array, Items: []reply{{Kind: commands.Map, Items: []reply{{Kind: commands.Bulk, Text: "a"}, {Kind: commands.NullArray}}}}}}},
		"*2\r\n+k\r\n*1\r\n*2\r\n$1\r\na\r\n*-1\r\n", "%1\r\n+k\r\n*1\r\n%1\r\n$1\r\na\r\n_\r\n"},
}

func TestEncode(t *testing.T) {
	for _, c := range encodeCases {
		t.Run(c.name, func(t *testing.T) {
			if got := string(appendReply(nil, &c.reply, 2)); got != c.resp2 {
				t.Errorf("RESP2 %q, want %q", got, c.resp2)
			}
			want := c.resp3
			if want == "" {
				want = c.resp2
			}
			if got := string(appendReply([]byte("x"), &c.reply, 3)); got != "x"+want {
				t.Errorf("RESP3 %q, want %q", got[1:], want)
			}
			if n, _ := redcon.ReadNextRESP([]byte(c.resp2)); n != len(c.resp2) {
				t.Errorf("redcon reads %d bytes of %d", n, len(c.resp2))
			}
		})
	}
}

// Every kind there is can be encoded: a new one needs a row here. The kinds end
// where a reply panics.
func TestEncodeKnowsEveryKind(t *testing.T) {
	seen := map[commands.ReplyKind]bool{}
	for _, c := range encodeCases {
		seen[c.reply.Kind] = true
	}
	for kind := range commands.ReplyKind(200) {
		if encodes(kind) != seen[kind] {
			t.Errorf("kind %d: encodes %v, in the table %v", kind, encodes(kind), seen[kind])
		}
	}
}

func encodes(kind commands.ReplyKind) (ok bool) {
	defer func() { ok = recover() == nil }()
	appendReply(nil, &reply{Kind: kind}, 2)
	return true
}

func TestEncodeRefusesHalfAMap(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a map with a key and no value was encoded")
		}
	}()
	appendReply(nil, &reply{Kind: commands.Map, Items: make([]reply, 3)}, 3)
}

// What we encode a real client decodes, in both protocols.
func TestEncodeForGoRedis(t *testing.T) {
	_, addr := onTCP(t, newService(t))
	for _, protocol := range []int{2, 3} {
		client := goredis.NewClient(&goredis.Options{Addr: addr.String(), Protocol: protocol})
		defer client.Close()
		ctx := t.Context()
		if got, err := client.Do(ctx, "ECHO", "a\r\nb").Result(); got != "a\r\nb" || err != nil {
			t.Errorf("RESP%d: ECHO: %v, %v", protocol, got, err)
		}
		key := fmt.Sprint("key", protocol)
		if got, err := client.Do(ctx, "CL.THROTTLE", key, 15, 30, 60).Result(); fmt.Sprint(got) != "[0 16 15 -1 2]" || err != nil {
			t.Errorf("RESP%d: CL.THROTTLE: %v, %v", protocol, got, err)
		}
		if got, err := client.ConfigGet(ctx, "maxclients").Result(); got["maxclients"] != "10000" || err != nil {
			t.Errorf("RESP%d: CONFIG GET: %v, %v", protocol, got, err)
		}
		if err := client.Do(ctx, "RANDOMKEY", "x").Err(); err == nil || !strings.HasPrefix(err.Error(), "ERR wrong number") {
			t.Errorf("RESP%d: %v", protocol, err)
		}
	}
}
