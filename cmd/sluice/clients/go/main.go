//go:build examples

// Command clients uses Sluice with the Go clients, each in a file of its own:
//
//	clients goredis|ring|rueidis|redigo resp2|resp3|cluster HOST PORT [PORT ...]
//
// The session is the same for all, and it is also that of the scripts in the other
// languages: name and database, the limiters, a pipeline, a transaction, an error,
// a binary key, and a server that restarts in the middle. Each part that went well
// prints "ok" and its name; a surprise ends the program with a message.
//
// The tag keeps it out of ./..., which is the program that we ship.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"
)

var clients = map[string]struct {
	module string
	run    func(*session)
}{
	"goredis": {"github.com/redis/go-redis/v9", goRedis},
	"ring":    {"github.com/redis/go-redis/v9", goRedis},
	"rueidis": {"github.com/redis/rueidis", useRueidis},
	"redigo":  {"github.com/gomodule/redigo", useRedigo},
}

const (
	name   = "demo"                // of the connection
	binary = "bin\x00\r\n\xff"     // a key may be any bytes
	year   = "year"                // a window that does not end while we count
	wrong  = "WRONGTYPE Operation" // the beginning of the error we provoke
)

// The calls of which we compare the reply's beginning: the time until a clock's
// window ends is left open. The two that take several keys have a {tag} in them,
// which keeps the keys together on clients that spread keys over servers.
var calls = []struct{ call, reply string }{
	{"TB.TAKE tb 10 1 4", "[0 10 6 -1 4000]"},
	{"FW.INCR fw 100 1h", "[0 100 99 -1 "},
	{"SW.HIT sw 100 60", "[0 100 99 -1 "},
	{"SL.HIT sl 100 60", "[0 100 99 -1 60000]"},
	{"LB.ADD lb 4 1", "[0 5 4 -1 1000]"},
	{"GCRA gcra 4 10 60", "[0 5 4 -1 6]"},
	{"CC.ACQUIRE cc 2 60 TOKEN t1", "[0 2 1 -1 60000 t1]"},
	{"CC.RENEW cc t1 90s", "1"},
	{"CC.RELEASE cc t1", "1"},
	{"CC.RELEASE cc t1", "0"},
	{"RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60", "[0 <nil> -1 [0 10 9 -1 100] [0 100 99 -1 60000]]"},
}

// A session is what a client is to do, and how far it has come.
type session struct {
	client, mode string
	addrs        []string // of the servers; all but a Ring use the first
	stdin        *bufio.Reader
}

func main() {
	if len(os.Args) < 5 {
		fail("usage: clients CLIENT MODE HOST PORT [PORT ...]")
	}
	s := &session{client: os.Args[1], mode: os.Args[2], stdin: bufio.NewReader(os.Stdin)}
	for _, port := range os.Args[4:] {
		s.addrs = append(s.addrs, net.JoinHostPort(os.Args[3], port))
	}
	client, ok := clients[s.client]
	if !ok {
		fail("no client is called %q", s.client)
	}
	fmt.Println("version", moduleVersion(client.module))
	client.run(s)
}

// database is 3, but a cluster has only 0.
func (s *session) database() int {
	if s.mode == "cluster" {
		return 0
	}
	return 3
}

// call sends each of the calls and compares what comes back.
func (s *session) call(do func(words []string) (any, error)) {
	for _, c := range calls {
		reply, err := do(strings.Fields(c.call))
		if text := fmt.Sprint(reply); err != nil || !strings.HasPrefix(text, c.reply) {
			fail("%s answered %s, %v; want %s", c.call, text, err, c.reply)
		}
	}
}

// want compares a reply with what it is to be.
func want(what string, got any, err error, want any) {
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		fail("%s: got %v, %v; want %v", what, got, err, want)
	}
}

func (s *session) ok(part string) { fmt.Println("ok", part) }

// restart waits until the server has been restarted.
func (s *session) restart() {
	fmt.Println("ready for restart")
	if _, err := s.stdin.ReadString('\n'); err != nil {
		fail("nobody said that the server is back: %v", err)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// moduleVersion is the version of a module in this program.
func moduleVersion(path string) string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == path {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return "unknown"
}
