package persistence

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sluice/engine"
)

// written is a log of some records as a killed process leaves it, with where its
// frames end and what the store was then.
type written struct {
	bytes  []byte
	ends   []int
	states []map[string]string
}

func writeLog(t *testing.T, records int) (w written) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	note := func() {
		size := len(disk.names["0000000001.log"].data)
		if n := len(w.ends); n > 0 && w.ends[n-1] == size {
			return // what is refused is not written
		}
		w.ends = append(w.ends, size)
		w.states = append(w.states, f.store.all())
	}
	note()
	for i := 0; len(w.ends) <= records; i++ {
		switch i % 4 {
		case 0, 1:
			f.store.set(map[string]engine.State{fmt.Sprint("key", i): gcra(i)})
		case 2:
			f.store.take("log", 2)
		case 3:
			f.store.lease("leases", fmt.Sprint(i), engine.Acquire)
		}
		if err := f.dir.Commit(); err != nil {
			t.Fatal(err)
		}
		note()
	}
	w.bytes = disk.names["0000000001.log"].data
	return w
}

// with is a disk with a log, and nothing else.
func with(log []byte) *memDisk {
	d := newMemDisk()
	d.names["0000000001.log"] = &inode{data: slices.Clone(log), lost: map[int]bool{}}
	return d
}

// R3: the log ends anywhere in its last records.
func TestCutAnywhere(t *testing.T) {
	w := writeLog(t, 20)
	whole := len(w.ends) - 1
	for size := len(w.bytes); size >= w.ends[len(w.ends)-4]; size-- {
		for w.ends[whole] > size {
			whole--
		}
		disk := with(w.bytes[:size])
		f := open(t, disk, nil)
		wantStates(t, f.store.all(), w.states[whole])
		if cut := int64(size - w.ends[whole]); cut > 0 {
			want := Cut{"0000000001.log", int64(w.ends[whole]), cut}
			if len(f.found.Cuts) != 1 || f.found.Cuts[0] != want {
				t.Fatalf("cut at %d: the report is %+v, want %+v", size, f.found.Cuts, want)
			}
			if got := len(disk.names["0000000001.log"].synced); got != w.ends[whole] {
				t.Fatalf("cut at %d: the log has %d bytes then, want %d", size, got, w.ends[whole])
			}
		} else if len(f.found.Cuts) > 0 {
			t.Fatalf("a whole log was cut: %+v", f.found.Cuts)
		}
		f.mustPut("more", 1)
		f.close(false)
		again := open(t, disk, nil)
		wantStore(t, again.store, f.store)
	}
}

// R3: behind the last record lies what was never written.
func TestGarbageBehind(t *testing.T) {
	w := writeLog(t, 20)
	r := rand.New(rand.NewPCG(3, 3))
	last := w.states[len(w.states)-1]
	for n := 1; n <= 4096; n++ {
		zeros := append(slices.Clone(w.bytes), make([]byte, n)...)
		f := open(t, with(zeros), nil)
		wantStates(t, f.store.all(), last)
		garbage := slices.Clone(w.bytes)
		for range n {
			garbage = append(garbage, byte(r.Uint32()))
		}
		f = open(t, with(garbage), nil)
		wantStates(t, f.store.all(), last)
	}
}

func wantStates(t *testing.T, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("recovered\n%v\nwant\n%v", got, want)
	}
}

// R4: any byte of the log is another than was written. A flip in the last record is
// as if it had not been written whole; elsewhere the start is refused, and a repair
// keeps what is before it.
func TestFlipInLog(t *testing.T) {
	w := writeLog(t, 100)
	for at := range w.bytes {
		flipped := slices.Clone(w.bytes)
		flipped[at] ^= 1 << (at % 8)
		whole, _ := slices.BinarySearchFunc(w.ends, at, func(end, at int) int { return end - at - 1 })
		disk := with(flipped)
		f, err := tryOpen(t, disk, nil)
		if at >= w.ends[len(w.ends)-2] {
			if err != nil || len(f.found.Cuts) != 1 {
				t.Fatalf("flip at %d, in the last record: %v", at, err)
			}
			wantStates(t, f.store.all(), w.states[whole-1])
			continue
		}
		var damage *DamageError
		if !errors.As(err, &damage) || damage.File != "0000000001.log" {
			t.Fatalf("flip at %d: %v", at, err)
		}
		if at < headerBytes {
			continue
		}
		if damage.Offset != int64(w.ends[whole-1]) {
			t.Fatalf("flip at %d was found at %d, not %d", at, damage.Offset, w.ends[whole-1])
		}
		report, err := VerifyDisk("data", disk, true)
		if err != nil || report.Err != nil {
			t.Fatalf("flip at %d: repair: %v, %v", at, err, report.Err)
		}
		wantStates(t, open(t, disk, nil).store.all(), w.states[whole-1])
		if saved := disk.names["0000000001.log.damaged"]; string(saved.data) != string(flipped[damage.Offset:]) {
			t.Fatalf("flip at %d: what was cut is not saved", at)
		}
	}
}

// R4: any byte of a snapshot is another than was written: the one before it and
// the logs from there on are read instead.
func TestFlipInSnapshot(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.store.chunk = 3
	for round := range 3 {
		for i := range 30 {
			f.mustPut(fmt.Sprint("key", i), round*100+i)
		}
		f.store.take("log", 5)
		f.store.lease("leases", "a", engine.Acquire)
		if round < 2 {
			if err := f.dir.Save(); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.close(false)
	newest := disk.names["0000000003.snapshot"].data
	for at := range newest {
		after := disk.killed()
		after.names["0000000003.snapshot"].data[at] ^= 1 << (at % 8)
		again, err := tryOpen(t, after, nil)
		if err != nil {
			t.Fatalf("flip at %d: %v", at, err)
		}
		if again.found.Snapshot != 2 || len(again.found.Warnings) != 1 {
			t.Fatalf("flip at %d was not found: %+v", at, again.found)
		}
		wantStore(t, again.store, f.store)
	}
}

// Without a snapshot that is whole there are the logs, if all of them are there.
func TestNoSnapshotIsWhole(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.mustPut("a", 1)
	f.dir.Save()
	f.mustPut("b", 1)
	f.close(false)
	disk.names["0000000002.snapshot"].data[70]++
	wantStore(t, open(t, disk.killed(), nil).store, f.store)
	for _, missing := range []string{"0000000001.log", "0000000002.log"} {
		less := disk.killed()
		delete(less.names, missing)
		_, err := tryOpen(t, less, nil)
		var gap *GapError
		if !errors.As(err, &gap) || gap.Missing != missing {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}
