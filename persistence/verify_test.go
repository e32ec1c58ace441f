package persistence

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"sluice/engine"
)

// someFiles is a disk with two snapshots and two logs, and the store that they make.
func someFiles(t *testing.T) (*memDisk, *mapStore) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	everyKind(f)
	for range 2 {
		f.dir.Save()
		everyKind(f)
		f.mustPut("last", 1)
	}
	f.close(false)
	return disk, f.store
}

func TestVerify(t *testing.T) {
	disk, _ := someFiles(t)
	before := disk.killed()
	report, err := VerifyDisk("data", disk, false)
	if err != nil || report.Err != nil || len(report.Warnings) > 0 {
		t.Fatalf("%v, %v, %v", err, report.Err, report.Warnings)
	}
	var files []string
	for _, f := range report.Files {
		files = append(files, fmt.Sprintf("%s v%d needed=%v %v %d%s", f.Name, f.Version, f.Needed, f.Bytes > 0, len(f.Records), f.Damage))
	}
	want := `0000000002.snapshot v1 needed=false true 7
0000000003.snapshot v1 needed=true true 7
0000000002.log v1 needed=false true 8
0000000003.log v1 needed=true true 8`
	if got := strings.Join(files, "\n"); got != want {
		t.Errorf("files:\n%s\nwant\n%s", got, want)
	}
	keys := map[engine.Kind]int64{engine.KindGCRA: 4, engine.KindSlidingLog: 1, engine.KindConcurrency: 1}
	for k, n := range keys {
		if report.Keys[k] != n {
			t.Errorf("%d keys of %s, want %d", report.Keys[k], k, n)
		}
	}
	wantSame(t, disk, before)
}

// wantSame fails if a disk was changed.
func wantSame(t *testing.T, disk, before *memDisk) {
	t.Helper()
	if !maps.EqualFunc(disk.names, before.names, func(a, b *inode) bool { return string(a.data) == string(b.data) }) {
		t.Error("the directory was changed")
	}
}

// Whatever is damaged, verify tells what recovery says, changes nothing without
// repair, and after a repair recovery starts.
func TestVerifyDamage(t *testing.T) {
	files, whole := someFiles(t)
	all := len(whole.keys)
	for _, test := range []struct {
		name   string
		damage func(names map[string]*inode)
		file   string // that the report finds fault with
		torn   bool
		starts bool // recovery does without a repair
		keys   int  // after the repair; -1 for fewer than there were
	}{
		{"a torn tail", func(n map[string]*inode) { n["0000000003.log"].data = cut(n["0000000003.log"].data, 40) }, "0000000003.log", true, true, -1},
		{"the middle of the log", func(n map[string]*inode) { n["0000000003.log"].data[200]++ }, "0000000003.log", false, false, -1},
		{"the header of the log", func(n map[string]*inode) { n["0000000003.log"].data[20]++ }, "0000000003.log", false, false, -1},
		{"the newest snapshot", func(n map[string]*inode) { n["0000000003.snapshot"].data[200]++ }, "0000000003.snapshot", false, true, all},
		{"its footer", func(n map[string]*inode) { n["0000000003.snapshot"].data = cut(n["0000000003.snapshot"].data, 1) }, "0000000003.snapshot", false, true, all},
		{"the log before, which is not needed", func(n map[string]*inode) { n["0000000002.log"].data[200]++ }, "0000000002.log", false, true, all},
		{"the snapshot, and the log before", func(n map[string]*inode) {
			n["0000000003.snapshot"].data[200]++
			n["0000000002.log"].data[200]++
		}, "0000000002.log", false, false, -1},
		{"the log is missing", func(n map[string]*inode) { delete(n, "0000000003.log") }, "", false, false, -1},
		{"the snapshot, and the log is missing", func(n map[string]*inode) {
			n["0000000003.snapshot"].data[200]++
			delete(n, "0000000003.log")
		}, "0000000003.snapshot", false, false, -1},
		{"both snapshots, and the first log is gone", func(n map[string]*inode) {
			n["0000000003.snapshot"].data[200]++
			n["0000000002.snapshot"].data[200]++
		}, "0000000003.snapshot", false, false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := files.killed()
			test.damage(disk.names)
			before := disk.killed()
			_, refused := reopen(t, disk.killed())
			report, err := VerifyDisk("data", disk, false)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, disk, before)
			if fmt.Sprint(report.Err) != fmt.Sprint(refused) || (refused == nil) != test.starts {
				t.Errorf("verify says %v; recovery %v", report.Err, refused)
			}
			for _, f := range report.Files {
				if (f.Name == test.file && f.Torn != test.torn) || f.Name == test.file && f.Damage == "" {
					t.Errorf("%+v", f)
				}
			}
			after, err := VerifyDisk("data", disk, true)
			if err != nil {
				t.Fatal(err)
			}
			f, err := reopen(t, disk.killed())
			if fmt.Sprint(after.Err) != fmt.Sprint(err) {
				t.Fatalf("after the repair verify says %v, recovery %v", after.Err, err)
			}
			switch {
			case test.keys == 0:
				if err == nil {
					t.Errorf("all is lost, and recovery starts with %v", f.store.all())
				}
			case err != nil:
				t.Fatal(err)
			case test.keys > 0:
				wantStates(t, f.store.all(), whole.all())
			case len(f.store.keys) > all+1: // "gone" may be back
				t.Errorf("there are %d keys, there were %d", len(f.store.keys), all)
			}
			if test.keys != 0 && !test.starts && !said(after) {
				t.Errorf("it does not say what was done: %+v", after.Files)
			}
		})
	}
}

func cut(b []byte, n int) []byte { return b[:len(b)-n] }

func said(r Report) bool {
	for _, f := range r.Files {
		if f.Repaired != "" {
			return true
		}
	}
	return false
}
