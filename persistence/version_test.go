package persistence

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/engine"
)

var writeVersion = flag.Bool("write-version", false, "write testdata of the present version, once for each")

// everyKind is a store with a key of every kind and every change that there is.
func everyKind(f *fixture) {
	s := f.store
	for i, kind := range []engine.Kind{engine.KindGCRA, engine.KindTokenBucket, engine.KindFixedWindow, engine.KindSlidingWindow, engine.KindLeakyBucket} {
		for db := range 3 {
			k := keyOf(db, fmt.Sprint(kind))
			state := engine.State{Kind: kind, Deadline: s.clock + 1000, Words: [3]uint64{uint64(i), 1 << 40, uint64(db)}}
			s.journal.Append(s.clock, []engine.Record{s.change(k, state)})
		}
	}
	for range 3 {
		s.take("log", 7)
		s.clock += 1_000_000
	}
	s.take("log", -2)
	for _, token := range []string{"a", "b", "c"} {
		s.lease("leases", token, engine.Acquire)
	}
	s.lease("leases", "b", engine.Release)
	s.set(map[string]engine.State{"p": gcra(1), "q": gcra(1), string([]byte{0, 255}): gcra(2)})
	s.set(map[string]engine.State{"gone": gcra(1)})
	s.set(map[string]engine.State{"gone": {}})
	s.flush(2)
	if err := f.dir.Commit(); err != nil {
		f.t.Fatal(err)
	}
}

// R34: what any version has written can be read for ever. testdata/vN is a
// directory that version N left: a snapshot and its log, and keys in words.
func TestOldVersions(t *testing.T) {
	if *writeVersion {
		writeTestdata(t)
	}
	for v := uint32(1); v <= version; v++ {
		for _, missing := range []string{"", "0000000002.snapshot"} { // then there are the logs
			t.Run(fmt.Sprintf("v%d/without %s", v, missing), func(t *testing.T) {
				dir := filepath.Join("testdata", fmt.Sprint("v", v))
				disk := newMemDisk()
				for _, n := range []string{"0000000001.log", "0000000002.snapshot", "0000000002.log"} {
					b, err := os.ReadFile(filepath.Join(dir, n))
					if err != nil {
						t.Fatal(err)
					}
					if n != missing {
						disk.names[n] = &inode{data: b, lost: map[int]bool{}}
					}
				}
				want, err := os.ReadFile(filepath.Join(dir, "keys.txt"))
				if err != nil {
					t.Fatal(err)
				}
				f, err := reopen(t, disk)
				if err != nil {
					t.Fatal(err)
				}
				if got := inWords(f.store); got != string(want) {
					t.Errorf("recovered\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

func inWords(s *mapStore) string {
	return strings.ReplaceAll(fmt.Sprintf("%q", s.all()), `" "`, "\"\n\"") + "\n"
}

func writeTestdata(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	everyKind(f)
	if err := f.dir.Save(); err != nil {
		t.Fatal(err)
	}
	everyKind(f)
	f.close(false)
	dir := filepath.Join("testdata", fmt.Sprint("v", version))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for n, i := range disk.names {
		if err := os.WriteFile(filepath.Join(dir, n), i.data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "keys.txt"), []byte(inWords(f.store)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// R34: a file of a version to come is not read, and not touched, and the text says
// what to do.
func TestNewerVersion(t *testing.T) {
	for _, n := range []name{{logFile, 1}, {snapshotFile, 1}} {
		disk := newMemDisk()
		h := header{version: version + 1, number: 1}
		disk.names[n.String()] = &inode{data: append(h.encode(n.kind), "of another form"...), lost: map[int]bool{}}
		_, err := tryOpen(t, disk, nil)
		var newer *NewerError
		if !errors.As(err, &newer) || !strings.Contains(err.Error(), n.String()+" was written by a newer sluice") {
			t.Errorf("%s: %v", n, err)
		}
		report, err := VerifyDisk("data", disk, true)
		if err != nil || !errors.As(report.Err, &newer) {
			t.Errorf("verify of %s: %v, %v", n, err, report.Err)
		}
		if len(disk.names) != 1 || len(disk.names[n.String()].data) != headerBytes+15 {
			t.Errorf("%s was touched: %v", n, disk.names)
		}
	}
}
