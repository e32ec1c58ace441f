package persistence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sluice/engine"
)

// R8: the process ends, with the power or without, at each call of a snapshot: while
// its log is begun, before and after it has its name, while older files go. Nothing
// is lost, and the next start leaves no file that is not needed.
func TestCrashInSnapshot(t *testing.T) {
	for _, power := range []bool{false, true} {
		for _, save := range []bool{false, true} { // with a clean stop's, or while it runs
			points := map[string]bool{}
			for n := 0; crashInSnapshot(t, n, power, save, points); n++ {
			}
			for _, point := range []string{
				"create 0000000003.log.tmp", "write 0000000003.log.tmp", "fsync 0000000003.log.tmp",
				"rename 0000000003.log.tmp", "syncdir ", "create 0000000003.snapshot.tmp",
				"write 0000000003.snapshot.tmp", "fsync 0000000003.snapshot.tmp",
				"rename 0000000003.snapshot.tmp", "remove 0000000001.log",
			} {
				if !points[point] {
					t.Errorf("power=%v, save=%v: no crash at %q, but at %v", power, save, point, points)
				}
			}
		}
	}
}

func crashInSnapshot(t *testing.T, n int, power, save bool, points map[string]bool) bool {
	w := newWorld(t, 1, Always)
	w.start()
	w.change(20)
	w.f.dir.Save()
	w.change(20)
	left := n
	disk := w.disk
	disk.before = func(op, name string) error {
		if left--; left < 0 {
			points[op+" "+name] = true
			disk.down = true
			return errDown
		}
		return nil
	}
	if save {
		w.f.dir.Close(true)
	} else {
		w.save()
	}
	came := disk.down
	w.rand = rand.New(rand.NewPCG(uint64(n), 8))
	w.crash(power)
	if stale := staleFiles(t, w.disk); len(stale) > 1 && !power {
		t.Fatalf("crash at call %d left %v", n, stale)
	}
	w.start()
	w.judge()
	if stale := staleFiles(t, w.disk); len(stale) > 0 {
		t.Fatalf("crash at call %d: after the start there is still %v", n, stale)
	}
	return came
}

// change makes n changes, each committed.
func (w *world) change(n int) {
	for i := range n {
		w.now += 1000
		w.f.store.clock = w.now
		w.n++
		w.f.store.set(map[string]engine.State{fmt.Sprint("key", i%7): gcra(w.n)})
		w.commit()
	}
}

// staleFiles is the files that recovery would not read, nor need if the newest
// snapshot were damaged.
func staleFiles(t *testing.T, d *memDisk) (stale []string) {
	l, err := list(d)
	if err != nil {
		t.Fatal(err)
	}
	stale = slices.Clone(l.temporary)
	if len(l.snapshots) < 2 {
		return stale
	}
	previous := l.snapshots[len(l.snapshots)-2]
	for _, n := range l.files() {
		if n.number < previous {
			stale = append(stale, n.String())
		}
	}
	return stale
}

// Nothing of a temporary name is ever read.
func TestTemporaryFilesGo(t *testing.T) {
	disk := newMemDisk()
	for _, n := range []string{"0000000007.snapshot.tmp", "0000000009.log.tmp", "notes.txt"} {
		disk.Create(n)
	}
	open(t, disk, nil)
	names, _ := disk.List()
	if strings.Join(names, " ") != "0000000001.log notes.txt" {
		t.Errorf("there is %v", names)
	}
}
