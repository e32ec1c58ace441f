package persistence

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"sluice/engine"
)

// records is how many records a log has.
func records(t *testing.T, d *memDisk, number uint64) int {
	l, err := openLog(d, number)
	if err != nil {
		t.Fatal(err)
	}
	var b batch
	if err := l.next(&b); err != nil {
		t.Fatal(err)
	}
	return len(b.records)
}

// A key that changes many times between two writes is written once, if nothing
// that was appended between would be undone by it.
func TestHotKeys(t *testing.T) {
	a, b := fixed("a"), fixed("b")
	both := map[string]engine.State{"a": gcra(8), "b": gcra(8)}
	for _, test := range []struct {
		name    string
		do      func(s *mapStore)
		records int
	}{
		{"one key", func(s *mapStore) { s.set(a); s.set(a); s.set(a) }, 1},
		{"two keys", func(s *mapStore) { s.set(a); s.set(b); s.set(a); s.set(b) }, 2},
		{"a group between", func(s *mapStore) { s.set(a); s.set(both); s.set(a) }, 2},
		{"a group of others between", func(s *mapStore) { s.set(fixed("c")); s.set(both); s.set(fixed("c")) }, 3},
		{"groups", func(s *mapStore) { s.set(both); s.set(both); s.set(a) }, 2},
		{"a flush between", func(s *mapStore) { s.set(a); s.flush(0); s.set(a) }, 3},
		{"another length", func(s *mapStore) { s.set(a); s.set(map[string]engine.State{"a": {}}); s.set(a) }, 3},
		{"amended", func(s *mapStore) { s.take("a", 1); s.take("a", 1); s.take("a", 1) }, 3},
		{"put, amended, put", func(s *mapStore) { s.set(a); s.take("a", 1); s.take("a", 1); s.set(a); s.set(a) }, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := newMemDisk()
			f := open(t, disk, nil)
			for i := range 3 { // in each write anew
				test.do(f.store)
				f.store.set(map[string]engine.State{"end": gcra(i)})
				if err := f.dir.Commit(); err != nil {
					t.Fatal(err)
				}
				if got := records(t, disk, 1); got != (i+1)*(test.records+1) {
					t.Errorf("%d records, want %d", got, (i+1)*(test.records+1))
				}
			}
			wantStore(t, open(t, disk.killed(), nil).store, f.store)
		})
	}
}

// Where nothing can be merged it is not tried for a while, and then again.
func TestHotKeysAfterOthers(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	size := func(names int) int64 {
		before := f.dir.writer.tail.bytes
		for i := range 2 * manyTried {
			f.store.set(map[string]engine.State{fmt.Sprint("key", i%names): gcra(i)})
		}
		if err := f.dir.Commit(); err != nil {
			t.Fatal(err)
		}
		return f.dir.writer.tail.bytes - before
	}
	one := size(1)
	for range 3 {
		size(2 * manyTried)
	}
	if n := size(1); n <= one {
		t.Errorf("%d bytes: it is tried all the time", n)
	}
	for range idleBuffers {
		size(1)
	}
	if n := size(1); n != one {
		t.Errorf("%d bytes, want %d", n, one)
	}
	wantStore(t, open(t, disk.killed(), nil).store, f.store)
}

// Nothing is allocated for a change, nor for its way to the kernel.
func TestNoAllocation(t *testing.T) {
	disk, err := OSDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, disk, nil)
	defer f.close(false)
	one := []engine.Record{{Change: engine.Put, Key: keyOf(0, "a"), State: gcra(1)}}
	two := []engine.Record{{Change: engine.Put, Key: keyOf(0, "b"), State: gcra(1)}, {Change: engine.Put, Key: keyOf(0, "c"), State: gcra(1)}}
	for range 100 {
		f.dir.Append(1, two)
	}
	f.dir.Commit()
	f.dir.Commit()
	if n := testing.AllocsPerRun(50, func() { f.dir.Append(1, one); f.dir.Append(1, two) }); n != 0 {
		t.Errorf("Append allocates %v times", n)
	}
	if n := testing.AllocsPerRun(50, func() { f.dir.Append(1, two); f.dir.Commit() }); n != 0 {
		t.Errorf("Append and Commit allocate %v times", n)
	}
	if n := testing.AllocsPerRun(50, func() { f.dir.Commit(); f.dir.Refuses() }); n != 0 {
		t.Errorf("Commit allocates %v times", n)
	}
}

// Many that commit at a time share writes and fsyncs, and each finds its changes
// kept when Commit returns.
func TestGroupCommit(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, func(o *Options) { o.Policy = Always })
	var mu sync.Mutex
	syncs := 0
	disk.before = func(op, _ string) error {
		mu.Lock()
		defer mu.Unlock()
		if op == "fsync" {
			syncs++
		}
		return nil
	}
	const clients, each = 16, 50
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range each {
				f.dir.Append(1, []engine.Record{{Change: engine.Put, Key: keyOf(0, fmt.Sprint(c)), State: gcra(i)}})
				if err := f.dir.Commit(); err != nil {
					t.Error(err)
				}
				if f.dir.kept() == 0 {
					t.Error("nothing is kept")
				}
			}
		})
	}
	all.Wait()
	if syncs > clients*each {
		t.Errorf("%d fsyncs for %d commits", syncs, clients*each)
	}
	found := open(t, disk.powerLoss(newWorld(t, 1, Always).rand), nil)
	for c := range clients {
		if h := found.store.keys[fmt.Sprint("0/", c)]; h == nil || h.state != gcra(each-1) {
			t.Errorf("client %d: %v", c, h)
		}
	}
}

// Policies change while changes are made and a snapshot is written.
func TestTuneUnderWay(t *testing.T) {
	f := open(t, newMemDisk(), nil)
	for c := range 4 {
		f.store.set(fixed(fmt.Sprint(c)))
	}
	var all sync.WaitGroup
	for c := range 4 {
		all.Go(func() {
			for i := range 200 {
				f.dir.Append(1, []engine.Record{{Change: engine.Put, Key: keyOf(0, fmt.Sprint(c)), State: gcra(i)}})
				if err := f.dir.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 30 {
		f.dir.Tune(func(o *Options) { o.Policy = Policy(i % 3) })
		f.dir.everySecond()
		if err := f.dir.BackgroundSave(); err != nil && !errors.Is(err, ErrSaving) {
			t.Error(err)
		}
		f.dir.Status()
	}
	all.Wait()
	f.close(false)
	found := open(t, f.disk, nil)
	if len(found.store.keys) != 4 {
		t.Errorf("%v were found", found.store.all())
	}
}

// What is written at once shares frames, up to a size; and a key that changes again
// does so in the frame that has it, which may leave nothing for another.
func TestSharedFrames(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.store.clock -= 10_000 // so it is not set back then
	for i := range 2000 {
		f.store.clock++
		f.store.set(fixed(fmt.Sprintf("key%05d", i)))
		if f.dir.pending.last > 0 && len(f.dir.pending.frames)-f.dir.pending.last >= shareBytes {
			f.store.clock++
			f.store.set(map[string]engine.State{fmt.Sprintf("key%05d", i): gcra(1)}) // begins a frame, and leaves it
			break
		}
	}
	if err := f.dir.Commit(); err != nil {
		t.Fatal(err)
	}
	found := open(t, disk.killed(), nil)
	if got, want := len(found.store.keys), len(f.store.keys); got != want || fmt.Sprint(found.store.all()) != fmt.Sprint(f.store.all()) {
		t.Errorf("%d keys, want %d, and the same", got, want)
	}
	if found.found.Newest != f.store.clock || len(found.found.Cuts) > 0 {
		t.Errorf("newest %d, want %d; cuts %v", found.found.Newest, f.store.clock, found.found.Cuts)
	}
	if n, max := int64(len(disk.names["0000000001.log"].data)), 30*found.found.Records+3*frameHead+headerBytes; n > max {
		t.Errorf("%d records take %d bytes, more than %d", found.found.Records, n, max)
	}
}
