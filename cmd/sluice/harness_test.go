package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"sluice/cmd/internal/program"
)

// The end-to-end tests drive the built binary with real clients. What they need
// from the machine (redis-cli and the like) is installed by make; a test whose
// tool is missing fails.

// binary is the program under test, built once by TestMain.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "sluice-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "sluice")
		build := exec.Command("go", "build", "-race", "-o", binary, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// An instance is a running server.
type instance struct {
	*program.Program
	addr string // host:port, or a path
	port string
}

// start runs a server on a port of its own choice until the test ends.
func start(t testing.TB, args ...string) *instance {
	t.Helper()
	return startWith(t, nil, args...)
}

func startWith(t testing.TB, env []string, args ...string) *instance {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--port") {
		args = append(args, "--port", "0")
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), env...)
	s := &instance{Program: program.Launch(t, cmd)}
	s.ready(t)
	return s
}

// ready waits until the server listens.
func (s *instance) ready(t testing.TB) {
	t.Helper()
	s.addr = s.Log.Wait(t, `msg=ready network=tcp address=(\S+)`)[1]
	var err error
	if _, s.port, err = net.SplitHostPort(s.addr); err != nil {
		t.Fatal(err)
	}
}

// client is a go-redis client of the server.
func (s *instance) client(t testing.TB, protocol int) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol})
	t.Cleanup(func() { c.Close() })
	return c
}

// cli is what redis-cli prints for a command line.
func (s *instance) cli(t testing.TB, args ...string) string {
	t.Helper()
	return tool(t, "", "redis-cli", append([]string{"-p", s.port}, args...)...)
}

// tool runs a program and is what it prints; one that fails or takes longer than
// a minute fails the test.
func tool(t testing.TB, stdin, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &stderr)
	}
	return string(out)
}
