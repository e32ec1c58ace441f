package persistence

import (
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	minute := []SaveRule{{time.Minute, 1}}
	both := []SaveRule{{time.Hour, 1}, {time.Minute, 1000}}
	double := Growth{100, 64 << 20}
	for _, test := range []struct {
		name string
		need need
		want string
	}{
		{"no rule", need{changes: 9, sinceSave: time.Hour}, ""},
		{"nothing changed", need{rules: minute, sinceSave: time.Hour}, ""},
		{"too soon", need{rules: minute, changes: 9, sinceSave: time.Minute - 1}, ""},
		{"a minute", need{rules: minute, changes: 1, sinceSave: time.Minute}, "changes"},
		{"too few changes for the second rule", need{rules: both, changes: 999, sinceSave: time.Minute}, ""},
		{"enough for the second rule", need{rules: both, changes: 1000, sinceSave: time.Minute}, "changes"},
		{"a rule of no changes, and none", need{rules: []SaveRule{{time.Minute, 0}}, sinceSave: time.Hour}, ""},
		{"the log is short", need{growth: double, logBytes: 64<<20 - 1}, ""},
		{"the log is long, without a snapshot", need{growth: double, logBytes: 64 << 20}, "growth"},
		{"the log is shorter than the snapshot", need{growth: double, logBytes: 99 << 20, baseBytes: 100 << 20}, ""},
		{"the log is as long as the snapshot", need{growth: double, logBytes: 100 << 20, baseBytes: 100 << 20}, "growth"},
		{"no percentage", need{growth: Growth{0, 1}, logBytes: 1 << 40, baseBytes: 1}, ""},
		{"no log", need{growth: Growth{100, 0}}, ""},
		{"it has just failed", need{rules: minute, changes: 1, sinceSave: time.Hour, failures: 1, sinceTry: 4 * time.Second}, ""},
		{"it has failed a while ago", need{rules: minute, changes: 1, sinceSave: time.Hour, failures: 1, sinceTry: 5 * time.Second}, "changes"},
		{"it has failed often", need{rules: minute, changes: 1, sinceSave: time.Hour, failures: 5, sinceTry: 79 * time.Second}, ""},
		{"it fails always", need{rules: minute, changes: 1, sinceSave: time.Hour, failures: 1 << 40, sinceTry: 5 * time.Minute}, "changes"},
	} {
		if got := due(test.need); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A snapshot is made once it is due, and none after one that failed at once.
func TestDueSnapshots(t *testing.T) {
	f := open(t, newMemDisk(), func(o *Options) { o.Save = []SaveRule{{time.Minute, 1}} })
	f.mustPut("a", 1)
	for range 59 {
		f.later(time.Second)
	}
	f.dir.work.Wait()
	if n := f.dir.Status().Saves; n != 0 {
		t.Errorf("%d snapshots in less than a minute", n)
	}
	f.later(time.Second)
	f.dir.work.Wait()
	f.later(time.Hour)
	f.dir.work.Wait()
	s := f.dir.Status()
	if s.Saves != 1 || s.Changes != 0 || s.LastSave != f.time.Add(-time.Hour) {
		t.Errorf("status: %+v", s)
	}
}

func TestParseOptions(t *testing.T) {
	for s, want := range map[string]int{"": 0, "60 1": 1, "3600 1 300 100 60 10000": 3, "60": -1, "x 1": -1, "0 1": -1, "60 -1": -1} {
		rules, err := ParseSaveRules(s)
		if got := len(rules); err == nil && got != want || err != nil && want != -1 {
			t.Errorf("save %q: %v, %v", s, rules, err)
		}
	}
	for _, p := range policies {
		if got, err := ParsePolicy(p); err != nil || got.String() != p {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
	for _, o := range onErrors {
		if got, err := ParseOnError(o); err != nil || got.String() != o {
			t.Errorf("%s: %v, %v", o, got, err)
		}
	}
	_, err1 := ParsePolicy("sometimes")
	_, err2 := ParseOnError("shrug")
	if err1 == nil || err2 == nil {
		t.Error("what is no policy is one")
	}
}
