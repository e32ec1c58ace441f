package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"sluice/cmd/internal/bench"
)

// TestBench measures a server with sluice bench. What it measures is not looked at:
// that something was, and without an error.
func TestBench(t *testing.T) {
	server := start(t, "--requirepass", "secret")
	for _, workload := range bench.Workloads() {
		if workload.Name == "incr" || workload.Script != "" {
			continue // Redis has these
		}
		t.Run(workload.Name, func(t *testing.T) {
			var r bench.Result
			benchJSON(t, &r, "--addr", server.addr, "--password", "secret", "--workload", workload.Name,
				"--duration", "300ms", "--warmup", "10ms", "--depth", "4", "--keys", "1000")
			if r.Calls == 0 || r.Errors != 0 || r.Latency.P50 <= 0 || r.Depth != 4 || r.Workload != workload.Name {
				t.Errorf("%+v", r)
			}
			if r.ServerPID != server.Cmd.Process.Pid || r.ServerCPU == nil {
				t.Errorf("the server is process %d, not %d (CPU %v)", r.ServerPID, server.Cmd.Process.Pid, r.ServerCPU)
			}
		})
	}
	t.Run("fixed rate", func(t *testing.T) {
		var r bench.Result
		benchJSON(t, &r, "--addr", server.addr, "--password", "secret", "--command", "PING", "--rate", "1000", "--duration", "100ms", "--warmup", "0s")
		if r.Calls+r.Missed != 100 || r.Errors != 0 {
			t.Errorf("%d calls and %d missed, want 100", r.Calls, r.Missed)
		}
	})
}

// TestBenchCompare has it start a Sluice and a Redis.
func TestBenchCompare(t *testing.T) {
	var c bench.Comparison
	benchJSON(t, &c, "compare", "--duration", "50ms", "--warmup", "0s", "--keys", "1000", "--depth", "8",
		"incr@redis", "ours=gcra@sluice", "theirs=lua-gcra@redis", "gcra@sluice-tls")
	if len(c.Rows) != 4 || c.Rounds != 3 || c.Errors() != 0 || c.Rows[0].Ratio != 1 || c.Rows[1].Name != "ours" {
		t.Errorf("%+v", c)
	}
	for _, row := range c.Rows {
		if row.PerSec.Low <= 0 || row.PerSec.Low > row.PerSec.High || len(row.Results) != 3 {
			t.Errorf("%+v", row)
		}
	}
}

// TestBenchTLS has it show a certificate to a server that wants one.
func TestBenchTLS(t *testing.T) {
	s := startSafe(t)
	args := []string{"--addr", s.tlsAddr, "--tls", "--cert", s.Cert, "--key", s.Key,
		"--duration", "300ms", "--warmup", "10ms", "--depth", "16", "--keys", "1000"}
	for _, trust := range [][]string{{"--cacert", s.CA}, {"--insecure"}} {
		var r bench.Result
		benchJSON(t, &r, append(args, trust...)...)
		if r.Calls == 0 || r.Errors != 0 || !r.TLS || r.ServerPID != s.Cmd.Process.Pid {
			t.Errorf("%+v", r)
		}
	}
}

// benchJSON runs sluice bench --json and reads what it prints.
func benchJSON(t *testing.T, to any, args ...string) {
	t.Helper()
	if args[0] == "compare" {
		args = append([]string{"compare", "--json"}, args[1:]...)
	} else {
		args = append([]string{"--json"}, args...)
	}
	if err := json.Unmarshal([]byte(tool(t, "", binary, append([]string{"bench"}, args...)...)), to); err != nil {
		t.Fatal(err)
	}
}

// TestBenchFails holds what is not hidden: errors, and orders that can't be followed.
func TestBenchFails(t *testing.T) {
	server := start(t)
	server.cli(t, "TB.TAKE", "k", "5", "1")
	for _, test := range []struct {
		args string
		want string
		code int
	}{
		{"--addr " + server.addr + " --command SET", "unknown command 'SET'", exitError},
		{"--addr 127.0.0.1:1", "connection refused", exitError},
		{"--workload nothing", "no workload is called", exitUsage},
		{"--addr " + server.addr + " --depth 0", "the depth must be", exitUsage},
		{"--nothing", "not defined: -nothing", exitUsage},
		{"--tls --addr " + server.addr, "TLS: ", exitError},
		{"--tls --cacert /missing", "open /missing", exitUsage},
		{"--tls --cert /missing", "needs its key", exitUsage},
		{"--insecure", "certificates are for --tls", exitUsage},
		{"what", `"what" is not an option`, exitUsage},
		{"compare", "no target to measure", exitUsage},
		{"compare --rounds 2 incr@redis", "fewer than 3 rounds", exitUsage},
		{"compare incr@nowhere", "neither an address nor a server", exitUsage},
		{"compare --start bad=false incr@bad", "false ended at once", exitError},
	} {
		var stderr bytes.Buffer
		cmd := exec.Command(binary, append([]string{"bench"}, strings.Fields(test.args)...)...)
		cmd.Stderr = &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("sluice bench %s: exit %d, %q; want exit %d, %q", test.args, code, &stderr, test.code, test.want)
		}
	}
}
