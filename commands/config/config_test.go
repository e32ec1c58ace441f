package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Every row of the table is whole, and its default is written as CONFIG GET shows it.
func TestOptions(t *testing.T) {
	c := New()
	seen := map[Name]bool{}
	c.Each(func(o *Option, value string) {
		if seen[o.Name] || o.Name == "" || o.Doc == "" || string(o.Name) != strings.ToLower(string(o.Name)) {
			t.Errorf("a poor row: %+v", *o)
		}
		seen[o.Name] = true
		if err := New().Start(string(o.Name), value); err != nil {
			t.Errorf("%s: what CONFIG GET shows can't be set: %v", o.Name, err)
		}
	})
}

func TestTypes(t *testing.T) {
	const bad = "bad"
	for _, c := range []struct {
		typ  Type
		text string
		want string // the usual form and the number, or bad
	}{
		{YesNo, "YES", "yes 1"}, {YesNo, "no", "no 0"}, {YesNo, "true", bad}, {YesNo, "", bad},
		{Int(0, 10), "10", "10 10"}, {Int(0, 10), "0", "0 0"}, {Int(0, 10), "11", bad}, {Int(0, 10), "-1", bad},
		{Int(0, 10), "1.5", bad}, {Int(0, 10), "0x1", bad}, {Int(0, 10), "", bad}, {Int(0, 10), " 1", bad},
		{Int(0, 10), "99999999999999999999", bad},
		{Octal, "700", "700 448"}, {Octal, "0", "0 0"}, {Octal, "778", bad}, {Octal, "1000", bad}, {Octal, "-1", bad},
		{Size(0, 1<<40), "0", "0 0"}, {Size(0, 1<<40), "100", "100 100"}, {Size(0, 1<<40), "1kb", "1024 1024"},
		{Size(0, 1<<40), "1K", "1000 1000"}, {Size(0, 1<<40), "2Mb", "2097152 2097152"}, {Size(0, 1<<40), "1g", "1000000000 1000000000"},
		{Size(0, 1<<40), "1b", "1 1"}, {Size(0, 1<<40), "1bb", bad}, {Size(0, 1<<40), "gb", bad}, {Size(0, 1<<40), "", bad},
		{Size(0, 1<<40), "1tb", bad}, {Size(0, 1<<40), "-1", bad}, {Size(0, 1<<40), "99999999999gb", bad},
		{Size(0, 1<<40), "-17179869183gb", bad}, // times 2^30 it is 2^30 again
		{Size(10, 20), "9", bad}, {Size(10, 20), "21", bad},
		{OneOf("no", "yes", "local"), "LOCAL", "local 2"}, {OneOf("no", "yes"), "maybe", bad},
		{Text, "  as it is ", "  as it is  0"},
		{SaveRules, "", " 0"}, {SaveRules, " 60  1 ", "60 1 0"}, {SaveRules, "3600 1 300 100", "3600 1 300 100 0"}, {SaveRules, "60 0", "60 0 0"},
		{SaveRules, "60", bad}, {SaveRules, "0 1", bad}, {SaveRules, "60 -1", bad}, {SaveRules, "60 x", bad}, {SaveRules, "60 99999999999", bad},
	} {
		got := bad
		if v, err := c.typ.parse(c.text); err == nil {
			got = fmt.Sprint(v.text, " ", v.number)
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.typ.Usage, c.text, got, c.want)
		}
	}
}

func TestSetIsAllOrNothing(t *testing.T) {
	c := New()
	called := 0
	c.OnSet(Timeout, func() { called++ })
	for name, pairs := range map[string][]string{
		"unknown":     {"timeout", "5", "no-such-option", "1"},
		"immutable":   {"timeout", "5", "port", "1"},
		"twice":       {"timeout", "5", "TIMEOUT", "6"},
		"wrong value": {"timeout", "5", "maxclients", "0"},
	} {
		var set SetError
		if err := c.Set(pairs...); !errors.As(err, &set) || set.Unknown != (name == "unknown") {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if c.Number(Timeout) != 0 || called != 0 {
		t.Errorf("a Set that failed set timeout to %d and called %d hooks", c.Number(Timeout), called)
	}
	if err := c.Set("timeout", "5", "MaxClients", "7"); err != nil || c.Number(Timeout) != 5 || c.String(MaxClients) != "7" || called != 1 {
		t.Errorf("%v, timeout %d, maxclients %s, %d hooks", err, c.Number(Timeout), c.String(MaxClients), called)
	}
}

func TestSetWhileReading(t *testing.T) {
	c := New()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 500 {
				if err := c.Set("timeout", fmt.Sprint(n*i)); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 500 {
				if text, number := c.String(Timeout), c.Number(Timeout); text == "" || number < 0 {
					t.Error(text, number)
				}
			}
		})
	}
	all.Wait()
}

// write is a file in a folder of the test's own.
func write(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "more/other.conf", "maxclients 7\n")
	path := write(t, dir, "sluice.conf", "# a comment\n\n  timeout 5\r\nRequirePass \"a b\\x41\" \nbind 127.0.0.1 -::1\ninclude more/other.conf\ntimeout 6")
	c := New()
	if err := c.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s|%s|%s|%s", c.String(Timeout), c.String(RequirePass), c.String(Bind), c.String(MaxClients))
	if want := "6|a bA|127.0.0.1 -::1|7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bad.conf", "\nport x\n")
	write(t, dir, "loop.conf", "include loop.conf\n")
	for text, want := range map[string]string{
		"no-such-option 1":   "sluice.conf:2: unknown option 'no-such-option'",
		"port 70000":         "sluice.conf:2: option 'port': argument must be between 0 and 65535 inclusive",
		"port":               "sluice.conf:2: option 'port' has no value",
		"requirepass \"a":    "sluice.conf:2: unbalanced quotes",
		"include bad.conf":   "sluice.conf:2: " + filepath.Join(dir, "bad.conf") + ":2: option 'port': argument couldn't be parsed",
		"include none.conf":  "no such file",
		"include loop.conf":  "loop.conf includes itself",
		"bind " + longText(): "token too long",
	} {
		path := write(t, dir, "sluice.conf", "timeout 1\n"+text+"\n")
		if err := New().ReadFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50q: error %v, want one with %q", text, err, want)
		}
	}
	if err := New().ReadFile(dir); err == nil {
		t.Error("a folder is read")
	}
}

func longText() string { return strings.Repeat("x", 70000) }

func TestReadEnv(t *testing.T) {
	c := New()
	err := c.ReadEnv([]string{"PATH=/bin", "SLUICE_MAXCLIENTS=7", "SLUICE_PROTECTED_MODE=no", "SLUICE_REQUIREPASS=a=b", "sluice_port=1",
		"SLUICE_PORT=tcp://10.0.0.1:6390", "SLUICE_PORT_6390_TCP_ADDR=10.0.0.1", "SLUICE_SERVICE_HOST=10.0.0.1"})
	if err != nil || c.Number(MaxClients) != 7 || c.Bool(ProtectedMode) || c.String(RequirePass) != "a=b" || c.String(Port) != "6390" {
		t.Errorf("%v, %s, %v, %q", err, c.String(MaxClients), c.Bool(ProtectedMode), c.String(RequirePass))
	}
	if err := c.ReadEnv([]string{"SLUICE_TIMEOUT=soon"}); err == nil || !strings.HasPrefix(err.Error(), "SLUICE_TIMEOUT: ") {
		t.Error(err)
	}
}

func TestReadFlags(t *testing.T) {
	for line, want := range map[string]string{
		"--port 1 --timeout=5":             "127.0.0.1|1|5",
		"--bind 127.0.0.1 -::1 --port 2":   "127.0.0.1 -::1|2|0",
		"--port=3 --port 4":                "127.0.0.1|4|0",
		"--PORT 5":                         "127.0.0.1|5|0",
		"--port":                           "option '--port' has no value",
		"--port --timeout 5":               "option '--port' has no value",
		"--no-such 1":                      "unknown option 'no-such'",
		"port 1":                           "unexpected argument 'port'",
		"--port=1 2":                       "unexpected argument '2'",
		"--timeout=":                       "argument couldn't be parsed",
		"--":                               "option '--' has no value",
		"--enable-debug-command sometimes": "argument must be one of: no, yes, local",
	} {
		c := New()
		err := c.ReadFlags(strings.Fields(line))
		got := fmt.Sprintf("%s|%s|%s", c.String(Bind), c.String(Port), c.String(Timeout))
		if err != nil {
			got = err.Error()
		}
		if got != want && !(err != nil && strings.Contains(got, want)) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestNoSuchOptionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("asking for an option that is not in the table is a bug and must panic")
		}
	}()
	New().String("no-such-option")
}

// Lines of save are one list, as redis.conf writes it; an empty one begins it anew.
func TestSaveLines(t *testing.T) {
	for content, want := range map[string]string{
		"save 60 1":                          "60 1",
		"save 3600 1\nsave 300 100 60 10000": "3600 1 300 100 60 10000",
		"save 3600 1\nsave \"\"":             "",
		"save 1 1\nsave \"\"\nSAVE 2 2":      "2 2",
		"port 1":                             "60 1",
	} {
		path := filepath.Join(t.TempDir(), "sluice.conf")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c := New()
		if err := c.ReadFile(path); err != nil || c.String(Save) != want {
			t.Errorf("%q: save is %q (%v), not %q", content, c.String(Save), err, want)
		}
	}
}
