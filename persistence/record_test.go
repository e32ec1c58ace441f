package persistence

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"sluice/engine"
)

// someRecord is any record that can be.
func someRecord(t *rapid.T) engine.Record {
	instant := rapid.Custom(func(t *rapid.T) engine.Instant {
		return engine.Instant(rapid.Int64Range(0, int64(2*engine.MaxInstant)).Draw(t, "instant"))
	})
	r := engine.Record{Change: engine.Put}
	r.Key = engine.Key{DB: rapid.IntRange(0, engine.MaxDatabases-1).Draw(t, "db"), Name: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "key")}
	kind := rapid.SampledFrom(append(engine.Kinds(), 0, 100)).Draw(t, "kind")
	if kind == 100 {
		db := rapid.IntRange(-1, engine.MaxDatabases-1).Draw(t, "emptied")
		return engine.Record{Change: engine.Empty, Key: engine.Key{DB: db}}
	}
	if kind == 0 {
		return r
	}
	r.State = engine.State{Kind: kind, Deadline: instant.Draw(t, "deadline")}
	switch kind {
	case engine.KindSlidingLog:
		r.Change = engine.Change(rapid.IntRange(1, 2).Draw(t, "change"))
		runs := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 5).Draw(t, "runs")
		for _, n := range runs {
			at := instant.Draw(t, "at")
			for range n {
				r.Instants = append(r.Instants, at)
			}
		}
		first := rapid.Uint64Range(0, 1<<40).Draw(t, "first")
		r.From = first
		if r.Change == engine.Amend {
			r.From += rapid.Uint64Range(0, 100).Draw(t, "from")
		}
		r.State.Words = [3]uint64{rapid.Uint64().Draw(t, "window"), first, r.From + uint64(len(r.Instants))}
	case engine.KindConcurrency:
		r.Change = engine.Change(rapid.IntRange(1, 2).Draw(t, "change"))
		for range rapid.IntRange(0, 5).Draw(t, "leases") {
			r.Leases = append(r.Leases, engine.Lease{Token: rapid.String().Draw(t, "token"), Until: instant.Draw(t, "until")})
		}
	default:
		for i := range r.State.Words {
			r.State.Words[i] = rapid.SampledFrom([]uint64{0, 1, 300, 1<<64 - 1}).Draw(t, "word")
		}
	}
	return r
}

// What is read is what was written.
func TestRecordRoundTrip(t *testing.T) {
	var read engine.Record // the same all the time: nothing of an earlier one may stay
	rapid.Check(t, func(t *rapid.T) {
		want := someRecord(t)
		if err := want.Valid(); err != nil {
			t.Fatal(err)
		}
		b := appendRecord([]byte("before"), &want)[6:]
		rest, err := readRecord(append(b, "behind"...), &read)
		if err != nil || string(rest) != "behind" {
			t.Fatalf("%v, with %q left", err, rest)
		}
		if !sameRecord(&read, &want) {
			t.Fatalf("read %+v, want %+v", read, want)
		}
		for n := range b { // and no part of it is anything
			if rest, err := readRecord(b[:n:n], &read); err == nil && len(rest) == 0 {
				t.Fatalf("%d bytes of %d are a record: %+v", n, len(b), read)
			}
		}
	})
}

func sameRecord(a, b *engine.Record) bool {
	return a.Change == b.Change && a.Key.DB == b.Key.DB && string(a.Key.Name) == string(b.Key.Name) &&
		a.State == b.State && a.From == b.From &&
		(len(a.Instants)+len(b.Instants) == 0 || reflect.DeepEqual(a.Instants, b.Instants)) &&
		(len(a.Leases)+len(b.Leases) == 0 || reflect.DeepEqual(a.Leases, b.Leases))
}

// The figures of docs/persistence.md.
func TestRecordSizes(t *testing.T) {
	key := keyOf(0, "user:123456789012")
	for _, test := range []struct {
		name  string
		state engine.State
		want  int
	}{
		{"gcra", gcra(1), 28},
		{"gcra with a fraction", engine.State{Kind: engine.KindGCRA, Deadline: 1, Words: [3]uint64{2, 3}}, 30},
		{"deletion", engine.State{}, 20},
	} {
		r := engine.Record{Change: engine.Put, Key: key, State: test.state}
		if got := len(appendRecord(nil, &r)); got != test.want {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.want)
		}
	}
	entries := make([]engine.Instant, 1000)
	for i := range entries {
		entries[i] = gcra(0).Deadline
	}
	r := engine.Record{Change: engine.Put, Key: key, Instants: entries,
		State: engine.State{Kind: engine.KindSlidingLog, Deadline: entries[0], Words: [3]uint64{1000, 0, 1000}}}
	if got := len(appendRecord(nil, &r)); got > 50 {
		t.Errorf("a sliding log of 1000 equal entries: %d bytes", got)
	}
}
