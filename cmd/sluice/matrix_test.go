package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestClients runs each client against servers of its own, in each way that it can
// talk. The server restarts in the middle.
func TestClients(t *testing.T) {
	programs := buildClients(t)
	for _, row := range clientRows {
		for _, m := range modes {
			if row.cannot[m.column] != "" {
				continue
			}
			t.Run(row.name+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				clientSession(t, row, m, programs)
			})
		}
	}
}

// buildClients compiles the clients in Go and C, and tells where they are.
func buildClients(t *testing.T) string {
	dir := t.TempDir()
	tool(t, "", "go", "vet", "-tags", "examples", "./clients/go")
	tool(t, "", "go", "build", "-tags", "examples", "-o", filepath.Join(dir, "clients"), "./clients/go")
	tool(t, "", "gcc", "-Wall", "-Werror", "-o", filepath.Join(dir, "hiredis"), "clients/c/hiredis.c", "-lhiredis")
	return dir
}

// clientSession runs a client's program, follows what it prints, and looks at the
// servers from outside.
func clientSession(t *testing.T, row clientRow, m mode, programs string) {
	servers := make([]*instance, max(1, row.servers))
	for i := range servers {
		servers[i] = start(t, append([]string{"--port", freePort(t)}, m.args...)...)
	}
	program := startClient(t, row, m, servers, programs)
	var done []part
	for program.lines.Scan() {
		line := program.lines.Text()
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "version":
			sameVersion(t, row.version, rest)
		case word == "ok":
			done = append(done, part(rest))
		case line == "ready for restart":
			seenFromOutside(t, row, m, servers, done)
			for i, s := range servers {
				s.Stop(t)
				servers[i] = start(t, append([]string{"--port", s.port}, m.args...)...)
			}
			_, _ = io.WriteString(program.stdin, "\n")
		default:
			t.Errorf("%s printed %q", row.script, line)
		}
	}
	if err := program.cmd.Wait(); err != nil {
		t.Fatalf("%q: %v after %q\n%s", program.cmd.Args, err, done, program.stderr)
	}
	if want := row.expected(m); !slices.Equal(done, want) {
		t.Errorf("%s did %q, want %q", row.script, done, want)
	}
	if slices.Contains(done, "restart") && keysNamed(t, "after:restart", m, servers) != 1 {
		t.Error("after the restart the key is not in the client's database")
	}
}

// A clientProgram is a client that runs.
type clientProgram struct {
	cmd    *exec.Cmd
	stdin  io.Writer
	lines  *bufio.Scanner
	stderr *bytes.Buffer
}

func startClient(t *testing.T, row clientRow, m mode, servers []*instance, programs string) *clientProgram {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	name := row.run[0]
	if strings.HasPrefix(name, "./") {
		name = filepath.Join(programs, name)
	}
	args := append(slices.Clone(row.run[1:]), m.name, "127.0.0.1")
	for _, s := range servers {
		args = append(args, s.port)
	}
	p := &clientProgram{cmd: exec.CommandContext(ctx, name, args...), stderr: &bytes.Buffer{}}
	p.cmd.Stderr, p.cmd.WaitDelay = p.stderr, time.Second
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin, p.lines = stdin, bufio.NewScanner(stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// sameVersion compares the version that a client says it has with the locked one.
// Which version a Debian package has is Debian's business: that is only said.
func sameVersion(t *testing.T, from origin, version string) {
	want := locked(t, from)
	switch {
	case version == want:
	case strings.HasPrefix(string(from), "debian ") && version != "":
		t.Logf("%s is %s here, docs/clients.md tells of %s", from, version, want)
	default:
		t.Errorf("%s says it is %q, locked is %q", from, version, want)
	}
}

// seenFromOutside checks what the client believes to have done: its connections have
// the name, the database and the protocol, and its binary key is there.
func seenFromOutside(t *testing.T, row clientRow, m mode, servers []*instance, done []part) {
	for _, s := range servers {
		if row.unnamed {
			break
		}
		clients := s.client(t, 2).ClientList(t.Context()).Val()
		if !slices.ContainsFunc(strings.Split(clients, "\n"), func(line string) bool {
			fields := strings.Fields(line)
			return slices.Contains(fields, "name=demo") && slices.Contains(fields, fmt.Sprint("db=", m.database)) &&
				(m.protocol == "" || slices.Contains(fields, "resp="+m.protocol))
		}) {
			t.Errorf("no connection is named demo, in database %d and in RESP%s:\n%s", m.database, m.protocol, clients)
		}
	}
	if slices.Contains(done, "binary") && keysNamed(t, "bin\x00\r\n\xff", m, servers) != 1 {
		t.Error("the binary key is not in the client's database")
	}
}

// keysNamed counts the servers that have a key in the mode's database.
func keysNamed(t *testing.T, key string, m mode, servers []*instance) (n int64) {
	for _, s := range servers {
		client := redis.NewClient(&redis.Options{Addr: s.addr, DB: m.database})
		defer client.Close()
		count, err := client.Exists(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		n += count
	}
	return n
}

var lastPort atomic.Int64

// freePort is a port that a server can come back to: one that the system gives to
// nobody by itself, neither to a listener nor to a connection.
func freePort(t *testing.T) string {
	const first, ports = 20000, 5000 // redis-exporter.sh adds 5000
	for range ports {
		port := strconv.FormatInt(first+(int64(os.Getpid())*37+lastPort.Add(1))%ports, 10)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}
