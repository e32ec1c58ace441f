package persistence

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"sluice/engine"
)

// A bench is a directory with a store in it, on a disk and a clock of the test's.
type fixture struct {
	t     testing.TB
	disk  Disk
	store *mapStore
	dir   *Directory
	time  time.Time
	found Recovery
}

// open opens a directory and recovers a new store.
func open(t testing.TB, disk Disk, change func(*Options)) *fixture {
	t.Helper()
	f, err := tryOpen(t, disk, change)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tryOpen(t testing.TB, disk Disk, change func(*Options)) (*fixture, error) {
	return openAt(t, disk, newMapStore().clock, change)
}

// openAt is open with a store whose clock stands somewhere else.
func openAt(t testing.TB, disk Disk, clock engine.Instant, change func(*Options)) (*fixture, error) {
	f := &fixture{t: t, disk: disk, store: newMapStore(), time: time.Unix(1_800_000_000, 0)}
	f.store.clock = clock
	o := Options{AppendOnly: true, Disk: disk, Now: func() time.Time { return f.time }, still: true, ahead: 700}
	if change != nil {
		change(&o)
	}
	dir, err := Open("data", o)
	if err != nil {
		return nil, err
	}
	f.dir, f.store.journal = dir, dir
	f.found, err = dir.Recover(f.store)
	if err != nil {
		dir.Close(false)
		return nil, err
	}
	return f, nil
}

// reopen is open a while after everyKind.
func reopen(t testing.TB, disk Disk) (*fixture, error) {
	return openAt(t, disk, newMapStore().clock+engine.Instant(time.Minute), nil)
}

// gcra is some state, told from others by n.
func gcra(n int) engine.State {
	return engine.State{Kind: engine.KindGCRA, Deadline: 1_800_000_100_000_000_000 + engine.Instant(n)}
}

// put gives a key a state and commits it.
func (f *fixture) put(name string, n int) error {
	if err := f.store.set(map[string]engine.State{name: gcra(n)}); err != nil {
		return err
	}
	return f.dir.Commit()
}

func (f *fixture) mustPut(name string, n int) {
	f.t.Helper()
	if err := f.put(name, n); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) close(save bool) {
	f.t.Helper()
	if err := f.dir.Close(save); err != nil {
		f.t.Fatal(err)
	}
}

// wantStore fails unless a store has the keys of another.
func wantStore(t testing.TB, got, want *mapStore) {
	t.Helper()
	if g, w := got.all(), want.all(); !maps.Equal(g, w) {
		t.Fatalf("recovered %d keys:\n%v\nwant %d:\n%v", len(g), g, len(w), w)
	}
}

func TestRestart(t *testing.T) {
	for _, log := range []bool{true, false} {
		for _, save := range []bool{true, false} {
			t.Run(fmt.Sprintf("log=%v/save=%v", log, save), func(t *testing.T) {
				disk, err := OSDisk(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				option := func(o *Options) { o.AppendOnly = log }
				want := newMapStore()
				for round := range 4 {
					f := open(t, disk, option)
					wantStore(t, f.store, want)
					for i := range 100 {
						f.mustPut(fmt.Sprint("key", i), round*1000+i)
					}
					f.store.take("log", 3)
					f.store.lease("leases", fmt.Sprint(round), engine.Acquire)
					if round == 2 {
						if err := f.dir.Save(); err != nil {
							t.Fatal(err)
						}
					}
					if log || save || round == 2 {
						want = f.store
					}
					f.close(save)
				}
			})
		}
	}
}
