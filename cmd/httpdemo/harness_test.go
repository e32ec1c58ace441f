package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"sluice/cmd/internal/program"
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

// A process is a program that answers at an address.
type process struct {
	*program.Program
	addr string // host:port
}

// startServer runs a Sluice on a free port, or on the one that args name.
func startServer(t testing.TB, args ...string) *process {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--port") {
		args = append(args, "--port", "0")
	}
	p := &process{Program: program.Launch(t, exec.Command(serverBinary, args...))}
	p.addr = p.Log.Wait(t, `msg=ready network=tcp address=(\S+)`)[1]
	return p
}

// startDemo runs a demo on a free port, with nothing of the test's environment.
func startDemo(t testing.TB, env ...string) *process {
	t.Helper()
	cmd := exec.Command(demoBinary)
	cmd.Env = append([]string{"PORT=0"}, env...)
	p := &process{Program: program.Launch(t, cmd)}
	_, port, err := net.SplitHostPort(p.Log.Wait(t, `msg=ready address=(\S+)`)[1])
	if err != nil {
		t.Fatal(err)
	}
	p.addr = "127.0.0.1:" + port
	return p
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
		t.Fatalf("%v\n%s", err, p.Log)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body), time.Since(begin)}
}
