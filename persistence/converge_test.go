package persistence

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"sluice/engine"
)

// A snapshot tells of each key as it was at some instant, of one earlier than of
// another. With its log on top it is what the store is, whatever was done meanwhile.
func TestFuzzySnapshotConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		disk := newMemDisk()
		f, err := tryOpen(nil, disk, nil)
		if err != nil {
			t.Fatal(err)
		}
		do := func(n int) {
			for range n {
				f.something(t)
			}
		}
		f.store.chunk = rapid.IntRange(1, 3).Draw(t, "chunk")
		do(rapid.IntRange(0, 15).Draw(t, "before"))
		f.store.between = func(int) { do(rapid.IntRange(0, 4).Draw(t, "meanwhile")) }
		if err := f.dir.Save(); err != nil {
			t.Fatal(err)
		}
		f.store.between = nil
		do(rapid.IntRange(0, 10).Draw(t, "afterwards"))
		f.dir.Commit()
		again, err := openAt(nil, disk.killed(), f.store.clock, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(again.store.all()), fmt.Sprint(f.store.all()); got != want {
			t.Fatalf("recovered\n%s\nwant\n%s", got, want)
		}
	})
}

// something changes the store.
func (f *fixture) something(t *rapid.T) {
	s := f.store
	s.clock += engine.Instant(rapid.Int64Range(0, 300_000_000).Draw(t, "time"))
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
	switch rapid.SampledFrom([]string{"put", "take", "lease", "group", "delete", "flush"}).Draw(t, "what") {
	case "put":
		s.set(map[string]engine.State{name: gcra(rapid.IntRange(0, 9).Draw(t, "state"))})
	case "take":
		s.take(name, rapid.Int64Range(-5, 9).Draw(t, "cost"))
	case "lease":
		op := engine.LeaseOp(rapid.IntRange(0, 2).Draw(t, "op"))
		s.lease("leases-"+name, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "token"), op)
	case "group":
		state := gcra(rapid.IntRange(0, 9).Draw(t, "state"))
		s.set(map[string]engine.State{"a": state, "c": state})
	case "delete":
		s.set(map[string]engine.State{name: {}})
	case "flush":
		if rapid.IntRange(0, 3).Draw(t, "sure") == 0 {
			s.flush(rapid.SampledFrom([]int{0, 1, engine.AllDatabases}).Draw(t, "db"))
		}
	}
	if rapid.Bool().Draw(t, "commit") {
		f.dir.Commit()
	}
}
