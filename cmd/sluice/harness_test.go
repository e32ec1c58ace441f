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
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
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
	addr   string // host:port, or a path
	port   string
	cmd    *exec.Cmd
	log    *logLines
	exited chan struct{} // closed when the process has ended
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
	s := &instance{cmd: exec.Command(binary, args...), exited: make(chan struct{})}
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = append(os.Environ(), env...)
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.log = readLog(stderr)
	go func() {
		<-s.log.done
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.exited
		if report := s.log.find("DATA RACE"); report != "" {
			t.Errorf("the server raced:\n%s", s.log)
		}
	})
	ready := s.log.wait(t, `msg=ready network=tcp address=(\S+)`)
	s.addr = ready[1]
	_, s.port, err = net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stop asks the server to end and checks that it ends well.
func (s *instance) stop(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.waitExit(t, 0)
}

func (s *instance) waitExit(t testing.TB, want int) {
	t.Helper()
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		t.Fatalf("the server did not end\n%s", s.log)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("exit code %d, want %d\n%s", got, want, s.log)
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

// logLines is the log of a server as it comes.
type logLines struct {
	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed and made anew with each line
	done  chan struct{}
}

func readLog(r io.Reader) *logLines {
	l := &logLines{more: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			l.mu.Lock()
			l.lines = append(l.lines, lines.Text())
			close(l.more)
			l.more = make(chan struct{})
			l.mu.Unlock()
		}
	}()
	return l
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func (l *logLines) find(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// wait waits for a line that matches, and returns the match.
func (l *logLines) wait(t testing.TB, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.After(20 * time.Second)
	for read := 0; ; {
		l.mu.Lock()
		lines, more := l.lines[read:], l.more
		l.mu.Unlock()
		for _, line := range lines {
			read++
			if m := re.FindStringSubmatch(line); m != nil {
				return m
			}
		}
		select {
		case <-more:
		case <-l.done:
			t.Fatalf("the server ended before it logged %q\n%s", pattern, l)
		case <-late:
			t.Fatalf("the server did not log %q\n%s", pattern, l)
		}
	}
}
