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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestStopUnderLoad sends SIGTERM while clients are busy: what was answered is
// all that was counted, the next server knows of it, and the exit code is 0.
func TestStopUnderLoad(t *testing.T) {
	dir := t.TempDir()
	server := start(t, "--dir", dir)
	var answered atomic.Int64
	var workers sync.WaitGroup
	busy := make(chan struct{}, 8)
	for range 8 {
		workers.Go(func() {
			client := redis.NewClient(&redis.Options{Addr: server.addr, MaxRetries: -1})
			defer client.Close()
			for client.Do(context.Background(), "TB.TAKE", "k", 1_000_000, "0.001").Err() == nil {
				if answered.Add(1)%100 == 0 {
					select {
					case busy <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	for range 8 {
		<-busy
	}
	server.Stop(t)
	workers.Wait()
	five, err := start(t, "--dir", dir).client(t, 3).Do(context.Background(), "TB.TAKE", "k", 1_000_000, "0.001", 0).Int64Slice()
	if err != nil || five[1]-five[2] != answered.Load() {
		t.Errorf("%d calls were answered, and then there is %v (%v)", answered.Load(), five, err)
	}
	if answered.Load() < 800 {
		t.Errorf("only %d calls were answered", answered.Load())
	}
	for _, line := range []string{"signal=terminated", "msg=stopped"} {
		if server.Log.Find(line) == "" {
			t.Errorf("the log does not say %q:\n%s", line, server.Log)
		}
	}
}

func TestShutdownCommand(t *testing.T) {
	server := start(t)
	server.cli(t, "SHUTDOWN", "NOSAVE")
	server.WaitExit(t, 0)
}

// TestSecondSignal holds the first stop up with a command that takes long.
func TestSecondSignal(t *testing.T) {
	server := start(t, "--enable-debug-command", "yes", "--shutdown-timeout", "60")
	nc, err := net.Dial("tcp", server.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := nc.Write([]byte("PING\r\nDEBUG SLEEP 50\r\n")); err != nil {
		t.Fatal(err)
	}
	for server.cli(t, "INFO", "commandstats"); !strings.Contains(server.cli(t, "CLIENT", "LIST"), "addr="+nc.LocalAddr().String()); {
	}
	_ = server.Cmd.Process.Signal(syscall.SIGTERM)
	server.Log.Wait(t, "msg=stopping")
	_ = server.Cmd.Process.Signal(syscall.SIGTERM)
	server.WaitExit(t, exitError)
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	server := start(t, "--unixsocket", path, "--unixsocketperm", "700")
	if got := tool(t, "", "redis-cli", "-s", path, "PING"); got != "PONG\n" {
		t.Errorf("PING answered %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's mode is %v (%v), want 700", info.Mode().Perm(), err)
	}
	// A server that was killed leaves its socket behind; the next one takes it over.
	server.Kill()
	start(t, "--unixsocket", path)
	if got := tool(t, "", "redis-cli", "-s", path, "PING"); got != "PONG\n" {
		t.Errorf("PING of the second server answered %q", got)
	}
}

// TestOptions starts the program with options that are wrong or come from
// several places.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sluice.conf")
	content := "# a comment\nmaxclients 77\ntimeout 11 # seconds\n"
	content = strings.Replace(content, " # seconds", "", 1) + "requirepass \"se cret\"\ntcp-keepalive 60\nloglevel notice\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	server := startWith(t, []string{"SLUICE_TIMEOUT=22", "SLUICE_TCP_KEEPALIVE=99"}, file, "--tcp-keepalive", "33")
	want := map[string]string{"maxclients": "77", "timeout": "22", "tcp-keepalive": "33", "requirepass": "se cret", "loglevel": "notice"}
	for name, value := range want {
		if got := server.cli(t, "-a", "se cret", "--no-auth-warning", "CONFIG", "GET", name); got != name+"\n"+value+"\n" {
			t.Errorf("CONFIG GET %s answered %q, want %q", name, got, value)
		}
	}
	if got := server.cli(t, "PING"); got != "NOAUTH Authentication required.\n\n" {
		t.Errorf("PING without a password answered %q", got)
	}
}

func TestWrongOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.conf")
	if err := os.WriteFile(file, []byte("port 0\n\nmaxclient 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--prot", "1"}, "unknown option 'prot'", exitUsage},
		{[]string{"--port"}, "option '--port' has no value", exitUsage},
		{[]string{"--port", "65536"}, "option 'port': argument must be between 0 and 65535 inclusive", exitUsage},
		{[]string{"--protected-mode", "maybe"}, "option 'protected-mode': argument must be 'yes' or 'no'", exitUsage},
		{[]string{file}, file + ":3: unknown option 'maxclient'", exitUsage},
		{[]string{"nowhere.conf"}, "nowhere.conf", exitUsage},
		{[]string{"--bind", "192.0.2.1"}, "can't start", exitError},
	} {
		var stderr bytes.Buffer
		cmd := exec.Command(binary, test.args...)
		cmd.Dir, cmd.Stderr = t.TempDir(), &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("sluice %q: exit %d, %q; want exit %d, %q", test.args, code, &stderr, test.code, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	for args, want := range map[string]string{
		"--help":               "rate limit server",
		"--version":            "sluice " + version,
		"serve --help":         "--maxclients",
		"bench --help":         "--connections",
		"bench compare --help": "--rounds",
		"bench report --help":  "--quick",
	} {
		if got := tool(t, "", binary, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("sluice %s printed %q, want %q in it", args, got, want)
		}
	}
}

// TestPortTaken starts a second server where the first one listens.
func TestPortTaken(t *testing.T) {
	server := start(t)
	cmd := exec.Command(binary, "--port", server.port)
	cmd.Dir = t.TempDir()
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitError || !strings.Contains(string(out), "address already in use") {
		t.Errorf("exit %d, %s", cmd.ProcessState.ExitCode(), out)
	}
}

// TestOneLimitForAll has 64 connections ask for one key: exactly the limit is granted.
func TestOneLimitForAll(t *testing.T) {
	server := start(t)
	for _, call := range []string{"CL.THROTTLE k1 499 1 86400", "TB.TAKE k2 500 0.00001", "FW.INCR k3 500 year", "SW.HIT k4 500 366d", "LB.ADD k5 499 0.00001"} {
		var granted atomic.Int64
		var clients sync.WaitGroup
		for range 64 {
			clients.Go(func() {
				client := redis.NewClient(&redis.Options{Addr: server.addr, PoolSize: 1})
				defer client.Close()
				for range 10 {
					var args []any
					for _, word := range strings.Fields(call) {
						args = append(args, word)
					}
					reply, err := client.Do(context.Background(), args...).Int64Slice()
					if err != nil {
						t.Error(err)
						return
					}
					granted.Add(1 - reply[0])
				}
			})
		}
		clients.Wait()
		if granted.Load() != 500 {
			t.Errorf("%s: %d of 640 calls were granted, want 500", call, granted.Load())
		}
	}
}

// TestGoRedis uses the client that Go services use, in both protocols.
func TestGoRedis(t *testing.T) {
	server := start(t)
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("resp%d", protocol), func(t *testing.T) {
			ctx := context.Background()
			client := redis.NewClient(&redis.Options{Addr: server.addr, Protocol: protocol, ClientName: "e2e", DB: protocol})
			defer client.Close()
			key := "bin\x00\r\n\xff"
			reply, err := client.Do(ctx, "CL.THROTTLE", key, 4, 10, 60).Int64Slice()
			if want := []int64{0, 5, 4, -1, 6}; err != nil || fmt.Sprint(reply) != fmt.Sprint(want) {
				t.Fatalf("CL.THROTTLE answered %v, %v; want %v", reply, err, want)
			}
			if n, err := client.Exists(ctx, key).Result(); n != 1 || err != nil {
				t.Errorf("EXISTS answered %d, %v", n, err)
			}
			cmds, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
				for range 1000 {
					p.Do(ctx, "FW.INCR", "pipe", 600, "year")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			limited := int64(0)
			for _, cmd := range cmds {
				five, err := cmd.(*redis.Cmd).Int64Slice()
				if err != nil {
					t.Fatal(err)
				}
				limited += five[0]
			}
			if limited != 400 {
				t.Errorf("%d of 1000 calls were limited, want 400", limited)
			}
			if err := client.Do(ctx, "TB.TAKE", "pipe", 1, 1).Err(); !redis.HasErrorPrefix(err, "WRONGTYPE") {
				t.Errorf("a wrong type answered %v", err)
			}
		})
	}
}
