package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/cmd/internal/program"
)

// oneOfEach uses one unit of each kind of limit; what is left says whether it counts.
var oneOfEach = []struct{ command, look, left string }{
	{"CL.THROTTLE cl 9 1 3600", "CL.THROTTLE cl 9 1 3600 0", "0 10 9 -1 "},
	{"TB.TAKE tb 10 0.001", "TB.TAKE tb 10 0.001 0", "0 10 9 -1 "},
	{"FW.INCR fw 10 year", "FW.INCR fw 10 year 0", "0 10 9 -1 "},
	{"SW.HIT sw 10 31622400", "SW.HIT sw 10 31622400 0", "0 10 9 -1 "},
	{"SL.HIT sl 10 3600", "SL.HIT sl 10 3600 0", "0 10 9 -1 "},
	{"LB.ADD lb 9 0.001", "LB.ADD lb 9 0.001 0", "0 10 9 "},
	{"CC.ACQUIRE cc 10 3600 TOKEN me", "CC.ACQUIRE cc 10 0", "0 10 9 -1 "},
}

func (s *instance) useOneOfEach(t *testing.T) {
	t.Helper()
	for _, e := range oneOfEach {
		s.cli(t, strings.Fields(e.command)...)
	}
}

func (s *instance) checkOneOfEach(t *testing.T) {
	t.Helper()
	for _, e := range oneOfEach {
		if got := strings.ReplaceAll(s.cli(t, strings.Fields(e.look)...), "\n", " "); !strings.HasPrefix(got, e.left) {
			t.Errorf("%s is answered %q, not %q", e.look, got, e.left)
		}
	}
}

// states is what a server says of itself in INFO's persistence section.
func (s *instance) persistence(t *testing.T) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for line := range strings.Lines(s.cli(t, "INFO", "persistence")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every way to end a server, and every way to keep states, brings them all back.
func TestRestart(t *testing.T) {
	kill := func(t *testing.T, s *instance) {
		s.Kill()
	}
	term := func(t *testing.T, s *instance) { s.Stop(t) }
	shutdown := func(args ...string) func(*testing.T, *instance) {
		return func(t *testing.T, s *instance) {
			s.cli(t, append([]string{"SHUTDOWN"}, args...)...)
			s.WaitExit(t, 0)
		}
	}
	for _, c := range []struct {
		name    string
		options string
		end     func(*testing.T, *instance)
		keeps   bool
	}{
		{"killed", "", kill, true},
		{"killed, always", "--appendfsync always", kill, true},
		{"killed, no", "--appendfsync no", kill, true},
		{"stopped", "", term, true},
		{"stopped, log alone", "--save ", term, true},
		{"stopped, snapshots alone", "--appendonly no", term, true},
		{"shut down", "", shutdown(), true},
		{"shut down, NOSAVE", "", shutdown("NOSAVE"), true},
		{"shut down, SAVE, snapshots on demand", "--appendonly no --save ", shutdown("SAVE"), true},
		{"shut down, NOSAVE, snapshots alone", "--appendonly no", shutdown("NOSAVE"), false},
		{"killed, snapshots alone", "--appendonly no", kill, false},
		{"stopped, memory alone", "--dir ", term, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			args := []string{"--dir", dir}
			args = append(args, strings.Split(c.options, " ")...)
			if c.options == "" {
				args = args[:2]
			}
			server := start(t, args...)
			server.useOneOfEach(t)
			c.end(t, server)
			again := start(t, args...)
			if !c.keeps {
				if got := again.cli(t, "DBSIZE"); got != "0\n" {
					t.Errorf("there are %s keys", got)
				}
				return
			}
			again.checkOneOfEach(t)
			// And once more: what recovery leaves is as good as what it found.
			kill(t, again)
			start(t, args...).checkOneOfEach(t)
		})
	}
}

// What SAVE wrote is there after a kill, without a log too, and INFO tells of it.
func TestSaveCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server := start(t, "--dir", dir, "--appendonly", "no", "--save", "")
	server.useOneOfEach(t)
	if got := server.persistence(t); got["rdb_changes_since_last_save"] != "7" || got["aof_enabled"] != "0" {
		t.Errorf("INFO says %v", got)
	}
	before := time.Now().Unix()
	if got := server.cli(t, "SAVE"); got != "OK\n" {
		t.Fatalf("SAVE answered %q", got)
	}
	if got := server.persistence(t); got["rdb_changes_since_last_save"] != "0" || got["rdb_last_bgsave_status"] != "ok" || got["rdb_saves"] != "1" {
		t.Errorf("INFO says %v", got)
	}
	if at, err := strconv.ParseInt(strings.TrimSpace(server.cli(t, "LASTSAVE")), 10, 64); err != nil || at < before {
		t.Errorf("LASTSAVE says %d (%v), and it was after %d", at, err, before)
	}
	server.cli(t, "FW.INCR", "later", "10", "year")
	if got := server.cli(t, "BGSAVE"); got != "Background saving started\n" {
		t.Errorf("BGSAVE answered %q", got)
	}
	for server.persistence(t)["rdb_saves"] != "2" || server.persistence(t)["rdb_bgsave_in_progress"] != "0" {
		time.Sleep(time.Millisecond)
	}
	server.Kill()
	again := start(t, "--dir", dir)
	again.checkOneOfEach(t)
	if got := again.cli(t, "EXISTS", "later"); got != "1\n" {
		t.Errorf("EXISTS later: %q", got)
	}
	if got := again.persistence(t); got["aof_enabled"] != "1" || got["rdb_last_load_keys_loaded"] != "8" {
		t.Errorf("INFO says %v", got)
	}
}

// Options can be changed while it runs, and a log that is turned on has everything.
func TestKeepingAtRunTime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server := start(t, "--dir", dir, "--appendonly", "no", "--save", "")
	server.useOneOfEach(t)
	for _, set := range []string{"appendonly yes", "appendfsync always", "save 3600 1", "on-disk-error memory-only", "auto-aof-rewrite-min-size 1mb"} {
		if got := server.cli(t, append([]string{"CONFIG", "SET"}, strings.SplitN(set, " ", 2)...)...); got != "OK\n" {
			t.Errorf("CONFIG SET %s answered %q", set, got)
		}
	}
	if got := server.persistence(t); got["aof_enabled"] != "1" || got["on_disk_error"] != "memory-only" {
		t.Errorf("INFO says %v", got)
	}
	server.cli(t, "FW.INCR", "later", "10", "year")
	server.Kill()
	again := start(t, "--dir", dir)
	again.checkOneOfEach(t)
	if got := again.cli(t, "EXISTS", "later"); got != "1\n" {
		t.Errorf("EXISTS later: %q", got)
	}
}

// fails runs the program, which must end with exit code 1, and is what it says.
func fails(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = os.Environ()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitError {
		t.Errorf("sluice %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestOneServerPerDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server := start(t, "--dir", dir)
	if got := fails(t, "--dir", dir, "--port", "0"); !strings.Contains(got, "in use") || !strings.Contains(got, strconv.Itoa(server.Cmd.Process.Pid)) {
		t.Errorf("the second server says\n%s", got)
	}
	server.useOneOfEach(t)
	server.checkOneOfEach(t)
}

// A torn tail is cut and reported. Damage in the middle refuses to start, names the
// place and the command that helps, and that command helps.
func TestDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server := start(t, "--dir", dir, "--save", "")
	server.useOneOfEach(t)
	server.Kill()
	logs := files(t, dir, "*.log")
	if len(logs) != 1 {
		t.Fatalf("the logs are %q", logs)
	}
	whole, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(logs[0], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := tool(t, "", binary, "verify", dir); !strings.Contains(got, "gcra") || !strings.Contains(got, "concurrency") {
		t.Errorf("sluice verify says\n%s", got)
	}

	write(append(whole[:len(whole):len(whole)], make([]byte, 1000)...))
	torn := start(t, "--dir", dir, "--save", "")
	torn.checkOneOfEach(t)
	torn.Log.Wait(t, fmt.Sprintf(`level=WARN.*%s.*%d`, filepath.Base(logs[0]), len(whole)))
	torn.cli(t, "SHUTDOWN", "NOSAVE")
	torn.WaitExit(t, 0)

	damaged := append([]byte(nil), whole...)
	damaged[len(damaged)/2] ^= 1
	write(damaged)
	for _, args := range [][]string{{"--dir", dir, "--port", "0"}, {"verify", dir}} {
		got := fails(t, args...)
		if !strings.Contains(got, filepath.Base(logs[0])) || !strings.Contains(got, "offset") || !strings.Contains(got, "sluice verify "+dir+" --repair") {
			t.Errorf("sluice %q says\n%s", args, got)
		}
	}
	tool(t, "", binary, "verify", dir, "--repair")
	repaired := start(t, "--dir", dir)
	if got := repaired.cli(t, "EXISTS", "cl", "cc"); got != "1\n" {
		t.Errorf("of the first key and the last there are %q", got)
	}
}

func TestVerifyOfNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if got := fails(t, "verify", missing); !strings.Contains(got, missing) {
		t.Errorf("sluice verify says\n%s", got)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("sluice verify has made the directory")
	}
	server := start(t)
	if got := fails(t, "verify", filepath.Join(server.Cmd.Dir, "sluice-data")); !strings.Contains(got, "in use") {
		t.Errorf("sluice verify of a directory in use says\n%s", got)
	}
}

// R6: the disk is full. Looks and PING are answered, changes are refused or made in
// memory as configured, and when there is room again all is well without a restart.
func TestDiskFull(t *testing.T) {
	for _, policy := range []string{"refuse", "memory-only"} {
		t.Run(policy, func(t *testing.T) {
			mount := t.TempDir()
			server := startOnSmallDisk(t, mount, "--on-disk-error", policy)
			inside := fmt.Sprintf("/proc/%d/root%s", server.Cmd.Process.Pid, mount)
			server.useOneOfEach(t)
			fill(t, filepath.Join(inside, "filler"))
			client := server.client(t, 3)
			for i := 0; server.persistence(t)["aof_last_write_status"] == "ok"; i++ {
				for j := range 100 { // until the block that the log's end lies in is full
					client.Do(t.Context(), "FW.INCR", fmt.Sprint("k", i, j), 10, "year")
				}
			}
			server.checkOneOfEach(t)
			if got := server.cli(t, "PING"); got != "PONG\n" {
				t.Errorf("PING: %q", got)
			}
			got := server.cli(t, "FW.INCR", "full", "10", "year")
			if refused := strings.HasPrefix(got, "MISCONF"); refused != (policy == "refuse") {
				t.Errorf("under %s a call is answered %q", policy, got)
			}
			if info := server.persistence(t); info["on_disk_error"] != policy || info["aof_last_write_status"] != "err" {
				t.Errorf("INFO says %v", info)
			}
			if err := os.Remove(filepath.Join(inside, "filler")); err != nil {
				t.Fatal(err)
			}
			freed := time.Now()
			for server.persistence(t)["aof_last_write_status"] != "ok" {
				if time.Since(freed) > 20*time.Second {
					t.Fatalf("it does not recover\n%s", server.Log)
				}
				time.Sleep(time.Millisecond)
			}
			t.Logf("it recovered in %v", time.Since(freed).Round(time.Millisecond))
			server.cli(t, "FW.INCR", "after", "10", "year")
			used := server.cli(t, "FW.INCR", "full", "10", "year", "0")
			// A kill would end the namespace and the disk in it: so copy what a crash would leave.
			server.Freeze(t)
			copied := filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(copied, os.DirFS(filepath.Join(inside, "data"))); err != nil {
				t.Fatal(err)
			}
			server.Kill()
			again := start(t, "--dir", copied)
			again.checkOneOfEach(t)
			if got := again.cli(t, "EXISTS", "after"); got != "1\n" {
				t.Errorf("EXISTS after: %q", got)
			}
			if got := again.cli(t, "FW.INCR", "full", "10", "year", "0"); strings.Fields(got)[2] != strings.Fields(used)[2] {
				t.Errorf("what was used while the disk was full is %q, and was %q", got, used)
			}
		})
	}
}

// A file as long as the system lets it be (ulimit -f) is like a full disk: the signal
// that the system sends with it ends nobody.
func TestFileSizeLimit(t *testing.T) {
	server := &instance{Program: program.Launch(t, exec.Command("sh", "-c", `ulimit -f 16; exec "$0" --port 0`, binary))}
	server.ready(t)
	client := server.client(t, 3)
	var err error
	for i := 0; err == nil && i < 10_000; i++ {
		err = client.Do(t.Context(), "FW.INCR", fmt.Sprint("k", i), 10, "year").Err()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "MISCONF") {
		t.Errorf("at the limit a call is answered %v", err)
	}
	if got := server.cli(t, "FW.INCR", "k0", "10", "year", "0"); !strings.HasPrefix(got, "0\n10\n9\n") {
		t.Errorf("a look is answered %q", got)
	}
}

// startOnSmallDisk starts a server whose data is on a disk of 2 MB that nobody else sees.
func startOnSmallDisk(t *testing.T, mount string, args ...string) *instance {
	t.Helper()
	const script = `mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"`
	words := append([]string{"-rm", "sh", "-c", script, mount, binary, "--port", "0", "--dir", filepath.Join(mount, "data")}, args...)
	s := &instance{Program: program.Launch(t, exec.Command("unshare", words...))}
	s.ready(t)
	return s
}

// fill makes a file of whatever room there is.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if n, err := f.Write(make([]byte, size)); err != nil && n == 0 {
			size /= 2
		}
	}
}

// R9 and R10: the clock of the next start is behind the one before, or ahead. Nobody
// waits longer than a full window, and nobody gets more than one.
func TestClockOfTheNextStart(t *testing.T) {
	const hour, year = 3600, 31_557_600
	for name, jump := range map[string]int64{"back a second": 1, "back an hour": hour, "back 10 years": 10 * year, "ahead a second": -1, "ahead an hour": -hour, "ahead 10 years": -10 * year} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			server := start(t, "--dir", dir, "--enable-debug-command", "yes")
			server.cli(t, "DEBUG", "CLOCK", "SET", fmt.Sprint((time.Now().Unix()+jump)*1000))
			calls := []string{"CL.THROTTLE cl 9 10 60 10", "TB.TAKE tb 10 1 10", "FW.INCR fw 10 60 10", "SW.HIT sw 10 60 10", "SL.HIT sl 10 60 10", "LB.ADD lb 10 1 10", "CC.ACQUIRE cc 1 60"}
			for _, c := range calls {
				server.cli(t, strings.Fields(c)...)
			}
			server.Kill()
			again := start(t, "--dir", dir)
			ctx := context.Background()
			client := again.client(t, 3)
			for _, c := range calls {
				var args []any
				for _, word := range strings.Fields(c) {
					args = append(args, word)
				}
				five, err := client.Do(ctx, args...).Slice()
				if err != nil {
					t.Fatal(err)
				}
				limited, wait := five[0].(int64), five[3].(int64)
				if args[0] == "CL.THROTTLE" && wait > 0 {
					wait *= 1000
				}
				most := int64(60_000)
				if args[0] == "SW.HIT" {
					most = 120_000
				}
				switch {
				case jump > 0 && limited != 1:
					t.Errorf("%s is granted again: %v", c, five)
				case wait > most, wait < -1:
					t.Errorf("%s has to wait %d ms", c, wait)
				case jump == -hour || jump == -10*year:
					if limited != 0 {
						t.Errorf("%s is still limited: %v", c, five)
					}
				}
			}
		})
	}
}
