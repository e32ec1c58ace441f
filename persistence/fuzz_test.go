package persistence

import (
	"errors"
	"slices"
	"testing"

	"sluice/engine"
)

// No bytes make the reader of records panic, and what it reads can be written and
// read again.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	for _, r := range []engine.Record{
		{Change: engine.Put, Key: keyOf(3, "key"), State: gcra(1)},
		{Change: engine.Empty, Key: engine.Key{DB: engine.AllDatabases}},
		{Change: engine.Amend, Key: keyOf(0, "l"), From: 1, Instants: []engine.Instant{5, 5, 6},
			State: engine.State{Kind: engine.KindSlidingLog, Deadline: 1006, Words: [3]uint64{1, 0, 4}}},
		{Change: engine.Put, Key: keyOf(0, "c"), Leases: []engine.Lease{{Token: "a", Until: 7}},
			State: engine.State{Kind: engine.KindConcurrency, Deadline: 7, Words: [3]uint64{1}}},
	} {
		f.Add(appendRecord(nil, &r))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again engine.Record
		if _, err := readRecord(b, &r); err != nil {
			return
		}
		rest, err := readRecord(appendRecord(nil, &r), &again)
		if err != nil || len(rest) > 0 || !sameRecord(&r, &again) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}

// No bytes behind a log make its reader panic. It starts or says why not, and what
// it has cut is no longer cut the next time.
func FuzzLog(f *testing.F) {
	disk, _ := filesOf(f)
	log := disk.names["0000000001.log"].data
	f.Add([]byte{}, false)
	f.Add(log[headerBytes:], true)
	f.Add(make([]byte, 1000), false)
	f.Add(log[headerBytes+5:], false)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			sealAll(b, crcSalt(log))
		}
		d := with(append(slices.Clone(log), b...))
		first, err := reopen(t, d)
		if err != nil {
			wantDamage(t, err)
			return
		}
		second, err := reopen(t, d.killed())
		if err != nil {
			t.Fatal(err)
		}
		wantStates(t, second.store.all(), first.store.all())
		if len(second.found.Cuts) > 0 {
			t.Errorf("it was cut twice: %v", second.found.Cuts)
		}
	})
}

// No bytes in a snapshot make its reader panic.
func FuzzSnapshot(f *testing.F) {
	disk, _ := filesOf(f)
	snapshot := disk.names["0000000002.snapshot"].data
	f.Add(snapshot[headerBytes:])
	f.Add([]byte{})
	f.Add(snapshot[len(snapshot)-footerBytes:])
	f.Fuzz(func(t *testing.T, b []byte) {
		d := disk.killed()
		d.names["0000000002.snapshot"].data = append(slices.Clone(snapshot[:headerBytes]), b...)
		if _, err := reopen(t, d); err != nil {
			wantDamage(t, err)
		}
	})
}

func filesOf(f *testing.F) (*memDisk, *mapStore) {
	disk := newMemDisk()
	dir := open(f, disk, nil)
	everyKind(dir)
	dir.dir.Save()
	everyKind(dir)
	dir.close(false)
	return disk, dir.store
}

// sealAll gives what looks like frames the CRC that they should have.
func sealAll(b []byte, salt uint32) {
	for len(b) >= frameHead && frameHead+payloadLength(b) <= len(b) {
		end := frameHead + payloadLength(b)
		sealFrames(b[:end], salt)
		b = b[end:]
	}
}

func crcSalt(log []byte) uint32 { return crcOf(log[40:]) }

func wantDamage(t *testing.T, err error) {
	var damage *DamageError
	var gap *GapError
	if !errors.As(err, &damage) && !errors.As(err, &gap) {
		t.Errorf("recovery failed with %v", err)
	}
}
