package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
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

// The end-to-end tests drive the built binaries: demos, and the servers they ask.

// Built once by TestMain.
var demoBinary, serverBinary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "httpdemo-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		demoBinary, serverBinary = filepath.Join(dir, "httpdemo"), filepath.Join(dir, "sluice")
		for to, from := range map[string]string{demoBinary: ".", serverBinary: "../sluice"} {
			if out, err := exec.Command("go", "build", "-race", "-o", to, from).CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
				return 1
			}
		}
		return m.Run()
	}())
}

// A process is a program that runs until the test ends.
type process struct {
	name   string
	addr   string // host:port
	cmd    *exec.Cmd
	log    *logLines
	exited chan struct{} // closed when it has ended
}

// startServer runs a Sluice on a free port, or on the one that args name.
func startServer(t testing.TB, args ...string) *process {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--port") {
		args = append(args, "--port", "0")
	}
	p := launch(t, exec.Command(serverBinary, args...))
	p.addr = p.log.wait(t, `msg=ready network=tcp address=(\S+)`)[1]
	return p
}

// startDemo runs a demo on a free port, with nothing of the test's environment.
func startDemo(t testing.TB, env ...string) *process {
	t.Helper()
	cmd := exec.Command(demoBinary)
	cmd.Env = append([]string{"PORT=0"}, env...)
	p := launch(t, cmd)
	_, port, err := net.SplitHostPort(p.log.wait(t, `msg=ready address=(\S+)`)[1])
	if err != nil {
		t.Fatal(err)
	}
	p.addr = "127.0.0.1:" + port
	return p
}

func launch(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: filepath.Base(cmd.Path), cmd: cmd, exited: make(chan struct{})}
	cmd.Dir = t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.log = readLog(stderr)
	go func() {
		<-p.log.done
		_ = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.exited
		if strings.Contains(p.log.String(), "DATA RACE") {
			t.Errorf("%s raced:\n%s", p.name, p.log)
		}
	})
	return p
}

func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// end asks the process to end and checks that it ends well.
func (p *process) end(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	p.waitExit(t, exitOK)
}

func (p *process) waitExit(t testing.TB, want int) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s did not end\n%s", p.name, p.log)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", p.name, got, want, p.log)
	}
}

// client asks a server by hand.
func (p *process) client(t testing.TB, password string) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: p.addr, Password: password})
	t.Cleanup(func() { c.Close() })
	return c
}

func (p *process) do(t testing.TB, c *redis.Client, args ...any) {
	t.Helper()
	if err := c.Do(t.Context(), args...).Err(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// An answer is a demo's, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

func (p *process) get(t testing.TB, path string, headers ...string) answer {
	t.Helper()
	return p.request(t, "GET", path, headers...)
}

func (p *process) request(t testing.TB, method, path string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	begin := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.log)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body), time.Since(begin)}
}

// logLines is the log of a process as it comes.
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
			t.Fatalf("the process ended before it logged %q\n%s", pattern, l)
		case <-late:
			t.Fatalf("the process did not log %q\n%s", pattern, l)
		}
	}
}
