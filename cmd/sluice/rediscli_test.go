package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestRedisCLI(t *testing.T) {
	server := start(t)
	for _, test := range []struct{ name, args, want string }{
		{"plain", "CL.THROTTLE plain 4 10 60", "0\n5\n4\n-1\n6\n"},
		{"resp3", "-3 CL.THROTTLE resp3 4 10 60", "0\n5\n4\n-1\n6\n"},
		{"formatted", "--no-raw CL.THROTTLE formatted 4 10 60",
			"1) (integer) 0\n2) (integer) 5\n3) (integer) 4\n4) (integer) -1\n5) (integer) 6\n"},
		{"other database", "-n 9 EXISTS plain", "0\n"},
		{"error", "TB.TAKE k 0 1", "ERR capacity must be between 1 and 1000000000000\n\n"},
		{"unknown", "SET k v", "ERR unknown command 'SET', with args beginning with: 'k' 'v' \n\n"},
		{"arity", "TB.TAKE k 1", "ERR wrong number of arguments for 'tb.take' command\n\n"},
		{"wrong type", "FW.INCR plain 10 60", "WRONGTYPE Operation against a key holding the wrong kind of value\n\n"},
		{"json", "--json -3 TYPE plain", "\"gcra\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := server.cli(t, strings.Fields(test.args)...); got != test.want {
				t.Errorf("redis-cli %s\n got %q\nwant %q", test.args, got, test.want)
			}
		})
	}
}

func TestRedisCLIScan(t *testing.T) {
	server := start(t)
	const keys = 3000
	var lines strings.Builder
	for i := range keys {
		fmt.Fprintf(&lines, "FW.INCR scan:%d 10 1h\r\n", i)
	}
	out := tool(t, lines.String(), "redis-cli", "-p", server.port, "--pipe")
	if want := fmt.Sprintf("errors: 0, replies: %d\n", keys); !strings.HasSuffix(out, want) {
		t.Fatalf("--pipe printed %q, want %q at the end", out, want)
	}
	found := map[string]bool{}
	for _, name := range strings.Fields(server.cli(t, "--scan", "--pattern", "scan:*")) {
		found[name] = true
	}
	if len(found) != keys {
		t.Errorf("--scan found %d keys, want %d", len(found), keys)
	}
	if out := server.cli(t, "--bigkeys"); !strings.Contains(out, fmt.Sprintf("Sampled %d keys", keys)) {
		t.Errorf("--bigkeys printed %q", out)
	}
}

// TestRedisCLIWatches runs the modes of redis-cli that go on until they are
// stopped, in a terminal of their own, and waits for what they show.
func TestRedisCLIWatches(t *testing.T) {
	server := start(t)
	server.cli(t, "TB.TAKE", "k", "10", "0.001")
	for _, test := range []struct{ name, args, typed, want string }{
		{"stat", "--stat -i 0.1", "", `1 +[\d.]+M +1 +0 +\d+ \(\+\d+\) +\d+`},
		{"latency", "--latency", "", `min: \d+, max: \d+, avg: [\d.]+ \(\d+ samples\)`},
		{"latency history", "--latency-history -i 1", "", `avg: [\d.]+ \(\d+ samples\) -- [\d.]+ seconds range`},
		{"hints", "", "TB.TAKE ", `key capacity refill_per_second \[cost\] \[MAXWAIT ms\]`},
		{"hints of a subcommand", "", "CLIENT KILL ", `ID client-id`},
		{"help", "", "help CL.THROTTLE\r", `CL\.THROTTLE.*key max_burst count period \[quantity\][\s\S]*redis-cell[\s\S]*since: 0\.1\.0`},
		{"completion", "", "cl.thr\t", `(?i)cl\.throttle`},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal(t, "redis-cli -p "+server.port+" "+test.args, test.typed, test.want)
		})
	}
}

// terminal runs a command in a terminal, types, and waits until the screen has
// shown what is wanted.
func terminal(t *testing.T, command, typed, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	// A terminal without a size would make redis-cli ask where the cursor is.
	command = "stty cols 120 rows 40; exec " + command
	cmd := exec.CommandContext(ctx, "script", "-qfc", command, filepath.Join(t.TempDir(), "typescript"))
	cmd.Env = append(cmd.Environ(), "TERM=xterm", "HOME="+t.TempDir())
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait()
	}()
	re := regexp.MustCompile(want)
	var screen strings.Builder
	asked := false
	for buf := make([]byte, 4096); ; {
		n, err := stdout.Read(buf)
		screen.Write(buf[:n])
		if !asked && typed != "" && strings.Contains(screen.String(), "> ") {
			asked = true
			if _, err := io.WriteString(stdin, typed); err != nil {
				t.Fatal(err)
			}
		}
		if re.MatchString(plainText(screen.String())) {
			return
		}
		if err != nil {
			t.Fatalf("%s did not show %q but\n%s", command, want, plainText(screen.String()))
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\r")

// plainText is what a terminal shows, without colours and movements.
func plainText(s string) string { return escapes.ReplaceAllString(s, "") }

func TestRedisBenchmark(t *testing.T) {
	server := start(t)
	for _, args := range []string{
		"-n 2000 -c 20 -q CL.THROTTLE key:__rand_int__ 100 1000 60",
		"-n 20000 -c 20 -P 64 -r 1000 -q TB.TAKE key:tb:__rand_int__ 100 1000",
		"-n 2000 -c 20 -P 16 -3 -q SW.HIT sw 100 60",
		"-n 2000 -c 5 -q -t ping",
	} {
		out := tool(t, "", "redis-benchmark", append([]string{"-p", server.port}, strings.Fields(args)...)...)
		if !strings.Contains(out, "requests per second") || strings.Contains(out, "rror") {
			t.Errorf("redis-benchmark %s printed %q", args, out)
		}
	}
	if got := server.cli(t, "DBSIZE"); got == "0\n" {
		t.Error("redis-benchmark left no key")
	}
}
