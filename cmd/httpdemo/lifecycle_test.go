package main

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sluice/cmd/internal/program"
)

func TestHelpNamesEveryVariable(t *testing.T) {
	out, err := exec.Command(demoBinary, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variables() {
		if !strings.Contains(string(out), v.name) || !strings.Contains(string(out), v.doc) {
			t.Errorf("--help does not tell of %s", v.name)
		}
	}
}

func TestRefusesToStart(t *testing.T) {
	for name, c := range map[string]struct {
		env, args []string
		code      int
		says      string
	}{
		"a wrong value":        {env: []string{"PORT=0", "CAPACITY=many"}, code: exitUsage, says: "CAPACITY"},
		"two wrong values":     {env: []string{"PORT=x", "WINDOW=0"}, code: exitUsage, says: "WINDOW"},
		"a policy":             {env: []string{"PORT=0", "POLICY=gold"}, code: exitUsage, says: "POLICY: the server has no named policies yet"},
		"an argument":          {args: []string{"--port=1"}, code: exitUsage, says: "--port=1"},
		"a port that is taken": {env: []string{"PORT=" + portOf(t, startDemo(t))}, code: exitError, says: "address already in use"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(demoBinary, c.args...)
			cmd.Env = c.env
			p := program.Launch(t, cmd)
			p.WaitExit(t, c.code)
			if !strings.Contains(p.Log.String(), c.says) {
				t.Errorf("it says nothing of %s:\n%s", c.says, p.Log)
			}
		})
	}
}

// TestStopsGracefully has a request that waits for its turn when the signal comes.
func TestStopsGracefully(t *testing.T) {
	demo := startDemo(t, "CAPACITY=1", "REFILL_PER_SECOND=2", "WAIT_BUDGET=10s")
	demo.get(t, "/limited")
	waiting := make(chan answer, 1)
	begun := time.Now()
	go func() { waiting <- demo.get(t, "/limited") }()
	time.Sleep(100 * time.Millisecond) // nothing tells from outside that a request waits
	demo.Stop(t)
	if got := <-waiting; got.status != http.StatusOK || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("the request that waited %v: %+v", time.Since(begun), got)
	}
	demo.Log.Wait(t, "msg=stopped")
}

// TestDecisionsAreLogged finds each decision in the log by its request's id, and
// nothing of the caller's key.
func TestDecisionsAreLogged(t *testing.T) {
	demo := startDemo(t, "CAPACITY=1", "REFILL_PER_SECOND=0.001", "KEY_BY=header:X-Api-Key")
	for _, id := range []string{"first", "second"} {
		if got := demo.get(t, "/limited", "X-Request-Id", id, "X-Api-Key", "s3cret"); got.header.Get("X-Request-Id") != id {
			t.Errorf("%+v", got)
		}
	}
	demo.Log.Wait(t, `msg=decision request_id=first outcome=granted`)
	demo.Log.Wait(t, `msg=decision request_id=second outcome=refused`)
	if strings.Contains(demo.Log.String(), "s3cret") {
		t.Errorf("the key is in the log:\n%s", demo.Log)
	}
}

// TestUnixSocket asks a server over its socket.
func TestUnixSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	server := startServer(t, "--unixsocket", socket)
	demo := startDemo(t, "STORE_ADDR="+socket, "STORE_TIMEOUT=10s")
	if got := demo.get(t, "/limited"); !healthy(got) {
		t.Errorf("%+v\n%s", got, demo.Log)
	}
	if n, err := server.client(t, "").DBSize(t.Context()).Result(); n != 1 {
		t.Errorf("the server has %d keys, %v", n, err)
	}
}

// TestStartsBeforeItsServer: instances must not have to wait for one another.
func TestStartsBeforeItsServer(t *testing.T) {
	gone := startServer(t, "--requirepass", password)
	gone.Stop(t)
	demo := startDemo(t, "STORE_ADDR="+gone.addr, "STORE_PASSWORD="+password, "CAPACITY=1000")
	if got := demo.get(t, "/limited"); got.status != http.StatusOK || healthy(got) {
		t.Errorf("without a server: %+v", got)
	}
	restart(t, gone)
	comesBack(t, demo)
}

// TestSecondSignalIsDeadly: a request that never ends must not keep the program.
func TestSecondSignalIsDeadly(t *testing.T) {
	demo := startDemo(t, "CAPACITY=1", "REFILL_PER_SECOND=0.02", "WAIT_BUDGET=1h")
	demo.get(t, "/limited")
	go func() { _, _ = http.Get("http://" + demo.addr + "/limited") }()
	time.Sleep(100 * time.Millisecond) // as above
	demo.Signal(t, syscall.SIGTERM)
	demo.Log.Wait(t, "msg=stopping")
	demo.Signal(t, syscall.SIGTERM)
	select {
	case <-demo.Exited:
	case <-time.After(10 * time.Second):
		t.Error("it went on")
	}
}

func portOf(t *testing.T, p *process) string {
	t.Helper()
	_, port, ok := strings.Cut(p.addr, ":")
	if !ok {
		t.Fatalf("%s has no port", p.addr)
	}
	return port
}
