package persistence

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// always is a directory whose log is written ahead.
func always(o *Options) { o.Policy = Always }

// sizeOf is how long a file is.
func sizeOf(d *memDisk, name string) int64 { return int64(len(d.names[name].data)) }

// A log has room for the commits that follow, and nobody takes that for what is in it.
func TestAhead(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, always)
	grew := map[int64]bool{}
	for i := range 100 {
		f.mustPut(fmt.Sprint("key", i), i)
		grew[sizeOf(disk, "0000000001.log")] = true
	}
	used := f.dir.writer.tail.bytes
	if n := len(grew); n > 10 {
		t.Errorf("in 100 commits the log grew %d times", n)
	}
	if got := f.dir.Status().LogBytes; got != used || sizeOf(disk, "0000000001.log") <= used {
		t.Errorf("the log has %d bytes, %d of them used; the status says %d", sizeOf(disk, "0000000001.log"), used, got)
	}
	report, err := VerifyDisk("data", disk.killed(), false)
	if err != nil || report.Err != nil || report.Files[0].Damage != "" {
		t.Errorf("verify says %v, %v, %+v", err, report.Err, report.Files)
	}
	killed := disk.killed()
	found := open(t, killed, always)
	wantStore(t, found.store, f.store)
	if len(found.found.Warnings) > 0 || sizeOf(killed, "0000000001.log") != used {
		t.Errorf("warnings %q; the log was cut to %d bytes, want %d", found.found.Warnings, sizeOf(killed, "0000000001.log"), used)
	}
}

// Nothing is left of the room once a log is complete.
func TestAheadEnds(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, always)
	f.mustPut("a", 1)
	if err := f.dir.Save(); err != nil {
		t.Fatal(err)
	}
	f.mustPut("b", 1)
	f.close(false)
	for _, n := range []uint64{1, 2} {
		l, err := openLog(disk, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.replay((&tally{}).load); err != nil || l.broken {
			t.Errorf("log %d ends with more than its frames: %v", n, err)
		}
		if l.flags&ahead == 0 {
			t.Errorf("log %d does not say that it may", n)
		}
	}
}

// A disk without room for zeros has no need of them.
func TestNoRoomAhead(t *testing.T) {
	for _, failure := range []error{syscall.ENOSPC, shortWrite{syscall.ENOSPC}} {
		disk := newMemDisk()
		f := open(t, disk, always)
		writes := 0
		disk.before = func(op, _ string) error {
			if op == "write" {
				if writes++; writes == 2 { // the first is the change
					return failure
				}
			}
			return nil
		}
		for i := range 40 {
			f.mustPut(fmt.Sprint("key", i), i)
		}
		if s := f.dir.Status(); s.Failures > 0 || f.dir.writer.tail.ahead {
			t.Errorf("%v: %d failures; it goes on: %v", failure, s.Failures, f.dir.writer.tail.ahead)
		}
		wantStore(t, open(t, disk.killed(), nil).store, f.store)
	}
}

// After an fsync that failed no more is written than must be: the zeros may have been
// what the disk had no room for.
func TestCareful(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, always)
	disk.before = func(op, _ string) error {
		if op == "fsync" {
			return syscall.ENOSPC
		}
		return nil
	}
	if f.put("a", 1) == nil {
		t.Fatal("no failure was told")
	}
	disk.before = nil
	f.time = f.time.Add(mendAtLeast)
	f.dir.housekeep()
	f.mustPut("b", 1)
	if n := f.dir.writer.tail; n.ahead || sizeOf(disk, n.name()) > n.bytes {
		t.Errorf("%s has %d bytes, %d of them used", n.name(), sizeOf(disk, n.name()), n.bytes)
	}
}

// What is lost is told, zeros ahead or not, and damage stays damage.
func TestLostAhead(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, always)
	for i := range 5 {
		f.mustPut(fmt.Sprint("key", i), i)
	}
	last := f.dir.writer.tail.bytes
	f.mustPut("last", 1)
	log := disk.names["0000000001.log"].data
	for _, test := range []struct {
		name     string
		from, to int64 // zeros
		cut      int64 // -1 for damage
	}{
		{"the end of the last commit", last + 20, last + 60, 20},
		{"all of it", last, last + 100, 0},
		{"an earlier one", last - 30, last - 10, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			damaged := slices.Clone(log)
			clear(damaged[test.from:test.to])
			found, err := tryOpen(t, with(damaged), nil)
			switch {
			case test.cut < 0:
				wantDamage(t, err)
			case err != nil:
				t.Error(err)
			case test.cut == 0 && len(found.found.Cuts) > 0, test.cut > 0 && found.found.Cuts[0].Bytes > test.cut:
				t.Errorf("cut: %+v", found.found.Cuts)
			}
		})
	}
}

// The zeros of a log that another follows are no loss, unless that one knows better.
func TestAheadOfAnother(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, always)
	f.mustPut("a", 1)
	f.mustPut("b", 1)
	log := slices.Clone(disk.names["0000000001.log"].data)
	if err := f.dir.Save(); err != nil {
		t.Fatal(err)
	}
	f.mustPut("c", 1)
	delete(disk.names, "0000000002.snapshot")
	disk.names["0000000001.log"].data = log
	found, err := tryOpen(t, disk.killed(), nil)
	if err != nil || len(found.found.Warnings) > 0 {
		t.Fatalf("%v, %+v", err, found.found.Warnings)
	}
	wantStore(t, found.store, f.store)
	clear(log[headerBytes:])
	_, err = tryOpen(t, disk.killed(), nil)
	wantDamage(t, err)
}
