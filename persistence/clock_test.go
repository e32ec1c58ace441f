package persistence

import (
	"fmt"
	"testing"
	"time"

	"sluice/engine"
)

// R9, R10: the wall clock was set back while the server was down. States are as
// far from their deadlines as they were, however often it starts.
func TestClockSetBack(t *testing.T) {
	for _, save := range []bool{false, true} {
		t.Run(fmt.Sprintf("save=%v", save), func(t *testing.T) {
			disk := newMemDisk()
			f := open(t, disk, nil)
			const left = 100_000_000_000
			f.store.set(map[string]engine.State{"a": {Kind: engine.KindGCRA, Deadline: f.store.clock + left}})
			f.dir.Commit()
			f.close(save)
			back := f.store.clock - engine.Instant(time.Hour)
			for range 3 {
				again, err := openAt(t, disk, back, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := again.store.keys["0/a"].state.Deadline - back; got != left {
					t.Fatalf("it is %d from its deadline, want %d", got, left)
				}
				again.store.set(map[string]engine.State{"b": {Kind: engine.KindGCRA, Deadline: back + left}})
				again.dir.Commit()
				disk = disk.killed()
			}
			// The clock has moved on a little: what was carried over is not carried again.
			later, err := openAt(t, disk, back+left/2, nil)
			if err != nil {
				t.Fatal(err)
			}
			if later.found.SetBack {
				t.Error("states were carried over once more")
			}
			for _, name := range []string{"0/a", "0/b"} {
				if got := later.store.keys[name].state.Deadline - later.store.clock; got != left/2 {
					t.Errorf("%s is %d from its deadline, want %d", name, got, left/2)
				}
			}
		})
	}
}

// The newest instant is the last change's, or the end of the snapshot.
func TestNewest(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	f.store.clock += 5
	f.mustPut("a", 1)
	if got := open(t, disk.killed(), nil).found.Newest; got != f.store.clock {
		t.Errorf("of the log: %d, want %d", got, f.store.clock)
	}
	f.store.clock += 5
	f.close(true)
	if got := open(t, disk, nil).found.Newest; got != f.store.clock {
		t.Errorf("of the snapshot: %d, want %d", got, f.store.clock)
	}
}
