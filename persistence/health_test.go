package persistence

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"sluice/engine"
)

// breaks makes operations of a kind fail until it is called again with "".
func breaks(d *memDisk, op string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = func(is, name string) error {
		if is == op && strings.Contains(name, ".log") {
			return err
		}
		return nil
	}
}

// later moves the clock and does what is due.
func (f *fixture) later(by time.Duration) {
	f.time = f.time.Add(by)
	f.dir.housekeep()
}

func TestFullDisk(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.mustPut("a", 1)
	breaks(disk, "write", shortWrite{syscall.ENOSPC})
	err := f.put("b", 1)
	if !errors.Is(err, engine.ErrUnkept) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a change that was not written: %v", err)
	}
	if err := f.put("c", 1); !errors.Is(err, engine.ErrUnkept) {
		t.Fatalf("the next: %v", err)
	}
	if s := f.dir.Status(); s.Failing == nil || s.FailingSince != f.time || s.Failures != 1 {
		t.Errorf("status: %+v", s)
	}
	for range 5 {
		f.later(mendAtLeast)
	}
	if f.dir.Refuses() == nil {
		t.Error("it is said to be well while it is not")
	}
	breaks(disk, "", nil)
	f.later(2 * mendAtLeast)
	f.mustPut("d", 1)
	if s := f.dir.Status(); s.Failing != nil || s.Failures != 1 {
		t.Errorf("status: %+v", s)
	}
	if disk.names["0000000002.log"] != nil {
		t.Error("a log was begun afresh without need")
	}
	wantStore(t, open(t, disk.killed(), nil).store, f.store) // b too: it was made
}

// After an fsync that failed, the next one proves nothing.
func TestFsyncFails(t *testing.T) {
	for _, policy := range []Policy{Always, EverySecond} {
		t.Run(policy.String(), func(t *testing.T) {
			disk := newMemDisk()
			f := open(t, disk, func(o *Options) { o.Policy = policy })
			f.mustPut("a", 1)
			breaks(disk, "fsync", syscall.EIO)
			err := f.put("b", 1)
			f.dir.everySecond()
			if policy == Always && !errors.Is(err, syscall.EIO) {
				t.Errorf("a change that was not synced: %v", err)
			}
			if !errors.Is(f.dir.Refuses(), syscall.EIO) {
				t.Errorf("changes are refused with %v", f.dir.Refuses())
			}
			breaks(disk, "", nil)
			if err := f.dir.sync(); err == nil {
				t.Error("the fsync was done again as if nothing were lost")
			}
			f.later(2 * mendAtLeast)
			f.mustPut("c", 1)
			f.dir.everySecond()
			if disk.names["0000000002.log"] == nil || disk.names["0000000002.snapshot"] == nil {
				t.Error("no log was begun afresh")
			}
			after := disk.powerLoss(newWorld(t, 1, policy).rand)
			wantStore(t, open(t, after, nil).store, f.store)
		})
	}
}

func TestMemoryOnly(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, func(o *Options) { o.OnError = MemoryOnly })
	f.mustPut("a", 1)
	breaks(disk, "write", syscall.ENOSPC)
	f.mustPut("a", 2)
	for i := range 100 {
		f.mustPut("b", i)
		f.store.take("log", 1)
	}
	if s := f.dir.Status(); s.Failing == nil || s.PendingBytes != 0 {
		t.Errorf("status: %+v", s)
	}
	killed := open(t, disk.killed(), nil)
	if h := killed.store.keys["0/a"]; h.state != gcra(1) || len(killed.store.keys) != 1 {
		t.Errorf("meanwhile there is kept: %v", killed.store.all())
	}
	f.dir.Tune(func(o *Options) { o.OnError = Refuse })
	if f.put("c", 1) == nil {
		t.Error("it does not refuse")
	}
	breaks(disk, "", nil)
	f.later(2 * mendAtLeast)
	f.mustPut("d", 1)
	wantStore(t, open(t, disk.killed(), nil).store, f.store)
}

// What is begun afresh counts for nothing until its snapshot is there.
func TestUnfinishedAfresh(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.mustPut("a", 1)
	breaks(disk, "fsync", syscall.EIO)
	f.dir.everySecond()
	disk.before = func(op, name string) error {
		if op == "rename" && strings.Contains(name, "snapshot") {
			return syscall.ENOSPC
		}
		return nil
	}
	f.later(2 * mendAtLeast)
	f.later(2 * mendAtLeast)
	if f.put("b", 1) == nil {
		t.Fatal("it is said to be well without a snapshot")
	}
	found := open(t, disk.killed(), nil)
	if len(found.store.keys) != 1 || len(found.found.Warnings) != 1 {
		t.Errorf("found %v, warnings %v", found.store.all(), found.found.Warnings)
	}
	found.mustPut("c", 1)
	again := open(t, found.disk.(*memDisk).killed(), nil)
	wantStore(t, again.store, found.store)
}

// What breaks while it is being mended is not taken for mended.
func TestBreaksWhileMending(t *testing.T) {
	for name, breakMore := range map[string]func(f *fixture, d *memDisk){
		"an fsync": func(f *fixture, d *memDisk) {
			f.store.set(fixed("x"))
			breaks(d, "fsync", syscall.EIO)
			f.dir.sync()
		},
		"changes are dropped from now on": func(f *fixture, _ *memDisk) {
			f.dir.Tune(func(o *Options) { o.OnError = MemoryOnly })
			f.store.set(fixed("dropped"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := newMemDisk()
			f := open(t, disk, nil)
			f.mustPut("a", 1)
			breaks(disk, "fsync", syscall.EIO)
			f.dir.everySecond()
			breaks(disk, "", nil)
			f.store.between = func(int) { breakMore(f, disk) }
			f.later(2 * mendAtLeast)
			f.store.between = nil
			if f.dir.broken() == nil && f.dir.pending.drop {
				t.Fatal("it is said to be well, and drops changes")
			}
			breaks(disk, "", nil)
			f.later(2 * mendAtLeast)
			f.mustPut("b", 1)
			f.dir.everySecond()
			after := disk.powerLoss(newWorld(t, 1, Always).rand)
			wantStore(t, open(t, after, nil).store, f.store)
		})
	}
}

// A log that is written is no number to begin another with.
func TestRotationFails(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.mustPut("a", 1)
	begun := false
	disk.before = func(op, name string) error {
		begun = begun || op == "rename" && name == "0000000002.log.tmp"
		if begun && op == "fsync" && name == "0000000001.log.tmp" { // as it was named when it was made
			return syscall.EIO
		}
		return nil
	}
	f.dir.writer.progress.Lock()
	f.dir.writer.syncedBytes-- // so that there is something to sync
	f.dir.writer.progress.Unlock()
	if err := f.dir.Save(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("Save: %v", err)
	}
	if used, writes := f.dir.saves.number, f.dir.writer.tail.number; used != writes {
		t.Errorf("log %d is written, and the last number used is %d", writes, used)
	}
	f.later(2 * mendAtLeast)
	f.mustPut("b", 1)
	wantStore(t, open(t, disk.killed(), nil).store, f.store)
}

// A stop mends what it can.
func TestCloseMends(t *testing.T) {
	for _, op := range []string{"write", "fsync"} {
		disk := newMemDisk()
		f := open(t, disk, func(o *Options) { o.Policy = Always })
		breaks(disk, op, syscall.EIO)
		f.put("a", 1)
		if err := f.dir.Close(false); err == nil {
			t.Errorf("%s: Close says nothing of what is lost", op)
		}
		f = open(t, disk.killed(), func(o *Options) { o.Policy = Always })
		breaks(f.disk.(*memDisk), op, syscall.EIO)
		f.put("b", 1)
		breaks(f.disk.(*memDisk), "", nil)
		f.close(true)
		if found := open(t, f.disk, nil); found.store.keys["0/b"] == nil {
			t.Errorf("%s: what could be kept was not", op)
		}
	}
}

// The log can be turned off and on.
func TestTurnLog(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.mustPut("a", 1)
	f.dir.Tune(func(o *Options) { o.AppendOnly = false })
	f.mustPut("b", 1)
	if found := open(t, disk.killed(), nil); len(found.store.keys) != 1 {
		t.Errorf("without a log there is kept: %v", found.store.all())
	}
	if err := f.dir.Tune(func(o *Options) { o.AppendOnly = true }); err != nil {
		t.Fatal(err)
	}
	f.mustPut("c", 1)
	wantStore(t, open(t, disk.killed(), nil).store, f.store)
	f.dir.Tune(func(o *Options) { o.AppendOnly = false })
	f.mustPut("d", 1)
	f.dir.Save()
	wantStore(t, open(t, disk.killed(), func(o *Options) { o.AppendOnly = false }).store, f.store)
	on := open(t, disk.killed(), nil)
	wantStore(t, on.store, f.store)
	on.mustPut("e", 1)
	wantStore(t, open(t, on.disk.(*memDisk).killed(), nil).store, on.store)
}

func TestClosed(t *testing.T) {
	disk := newMemDisk()
	dir, err := Open("data", Options{AppendOnly: true, Disk: disk, still: true})
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(dir.Refuses(), engine.ErrUnkept) || !errors.Is(dir.Save(), ErrClosed) {
		t.Error("before Recover changes are accepted")
	}
	var locked *LockedError
	if _, err := Open("data", Options{Disk: disk}); !errors.As(err, &locked) {
		t.Errorf("a second server: %v", err)
	}
	if _, err := dir.Recover(newMapStore()); err != nil || dir.Refuses() != nil {
		t.Errorf("Recover: %v, %v", err, dir.Refuses())
	}
	if err := dir.Close(false); err != nil || dir.Refuses() == nil {
		t.Errorf("Close: %v, %v", err, dir.Refuses())
	}
}

// The lock of a real directory says who has it.
func TestLock(t *testing.T) {
	path := t.TempDir()
	dir, err := Open(path, Options{still: true})
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := Open(path, Options{}); !errors.As(err, &locked) || !strings.HasPrefix(locked.Holder, "process ") {
		t.Errorf("a second server: %v", err)
	}
	if _, err := Verify(path, true); !errors.As(err, &locked) {
		t.Errorf("a repair: %v", err)
	}
	dir.Close(false)
	if _, err := Verify(path, false); err != nil {
		t.Error(err)
	}
}

// A start on a full disk is as if the disk had become full just then.
func TestStartOnAFullDisk(t *testing.T) {
	for onError := range onErrors {
		disk := newMemDisk()
		f := open(t, disk, nil)
		f.store.set(fixed("before"))
		if err := f.dir.Commit(); err != nil {
			t.Fatal(err)
		}
		f.dir.Close(true)
		full := true
		disk.before = func(op, name string) error {
			if full && (op == "create" || op == "write") {
				return syscall.ENOSPC
			}
			return nil
		}
		again := open(t, disk, func(o *Options) { o.OnError = OnError(onError) })
		if fingerprint(again.store, "0/before") == "" {
			t.Error("the states are not back")
		}
		refuses := again.dir.Refuses()
		if (refuses != nil) != (OnError(onError) == Refuse) || again.dir.Status().Failing == nil {
			t.Errorf("%v: %v, failing: %v", OnError(onError), refuses, again.dir.Status().Failing)
		}
		if refuses == nil {
			again.store.set(fixed("meanwhile"))
			if err := again.dir.Commit(); err != nil {
				t.Error(err)
			}
		}
		full = false
		for range 5 {
			again.time = again.time.Add(time.Second)
			again.dir.housekeep()
		}
		if err := again.dir.Refuses(); err != nil || again.dir.Status().Failing != nil {
			t.Fatalf("still failing: %v, %v", err, again.dir.Status().Failing)
		}
		again.store.set(fixed("after"))
		if err := again.dir.Commit(); err != nil {
			t.Error(err)
		}
		disk.locked = false // it was killed
		last := open(t, disk, nil)
		for _, key := range []string{"before", "after"} {
			if fingerprint(last.store, "0/"+key) == "" {
				t.Errorf("%v: %s is not back", OnError(onError), key)
			}
		}
		if back := fingerprint(last.store, "0/meanwhile") != ""; back != (OnError(onError) == MemoryOnly) {
			t.Errorf("%v: what was made in memory meanwhile is back: %v", OnError(onError), back)
		}
	}
}
