package persistence

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sluice/engine"
)

// The CRC of a part is the same however it is found.
func TestPrefixes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]byte, 3*stride+100)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	disk := with(all)
	f, _ := disk.Open("0000000001.log")
	p, err := newPrefixes(f, 77, int64(len(all)))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		from := 77 + r.IntN(len(all)-77)
		to := from + r.IntN(len(all)-from+1)
		crc := r.Uint32()
		got, err := p.sum(crc, int64(from), int64(to))
		if want := crc32.Update(crc, castagnoli, all[from:to]); err != nil || got != want {
			t.Fatalf("of %d to %d: %x, want %x, %v", from, to, got, want, err)
		}
	}
}

// Keys that are full of what looks like frames are none, whatever is cut, and take
// no longer for it.
func TestKeysLikeFrames(t *testing.T) {
	w := writeLog(t, 10)
	fake := beginFrame(nil, changesFrame, 5)
	fake = append(fake, byte(engine.Put)<<4|byte(engine.KindGCRA), 0)
	tail := make([]byte, 0, 1<<20)
	for len(tail) < cap(tail)-len(fake) { // each says that it goes on to the end
		binary.LittleEndian.PutUint32(fake[4:], uint32(cap(tail)-len(tail)-frameHead-100))
		tail = append(tail, fake...)
	}
	f := open(t, with(append(slices.Clone(w.bytes), tail...)), nil)
	wantStates(t, f.store.all(), w.states[len(w.states)-1])
	if len(f.found.Cuts) != 1 || f.found.Cuts[0].Bytes != int64(len(tail)) {
		t.Errorf("cut: %+v", f.found.Cuts)
	}
}

// A frame that was copied from another log is none.
func TestForeignFrames(t *testing.T) {
	w, other := writeLog(t, 10), writeLog(t, 10)
	f := open(t, with(append(slices.Clone(w.bytes), other.bytes[headerBytes:]...)), nil)
	if len(f.found.Cuts) != 1 {
		t.Errorf("cut: %+v", f.found.Cuts)
	}
}

// Damage in a large frame is found without memory for what its length says.
func TestLargeFrame(t *testing.T) {
	disk := newMemDisk()
	f := open(t, disk, nil)
	var group []engine.Record
	for i := range 500 {
		name := bytes.Repeat([]byte("x"), engine.MaxKeyBytes)
		binary.LittleEndian.PutUint32(name, uint32(i))
		r := engine.Record{}
		r.Note(engine.Key{Name: name}, engine.State{}, gcra(i))
		group = append(group, r)
	}
	f.dir.Append(1, group)
	f.mustPut("a", 1)
	found := open(t, disk.killed(), nil)
	if n := len(found.store.keys); n != 501 {
		t.Errorf("%d keys, want 501", n)
	}
	disk.names["0000000001.log"].data[1<<20]++
	if _, err := tryOpen(t, disk.killed(), nil); err == nil {
		t.Error("damage was not found")
	}
}

// A frame that begins in the last bytes of a sector may have begun with zeros, or
// the sector was never written: the rest of the frame tells.
func TestFewZeros(t *testing.T) {
	for few := 1; few <= 4; few++ {
		for _, flip := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/flip=%v", few, flip), func(t *testing.T) {
				disk := newMemDisk()
				f := open(t, disk, nil)
				fill := sector - few - headerBytes - frameHead - 2 - 2 - 8 // as much as one record's key takes
				f.mustPut(strings.Repeat("x", fill), 1)
				f.mustPut("a", 1)
				f.mustPut("b", 1)
				log := disk.names["0000000001.log"].data
				clear(log[sector-few : sector])
				if flip {
					log[sector+20]++
				}
				found, err := tryOpen(t, disk.killed(), nil)
				if refused := err != nil; refused != (flip && few < 4) {
					t.Fatalf("recovery: %v", err)
				}
				if err == nil && len(found.store.keys) != 1 {
					t.Errorf("recovered %v", found.store.all())
				}
			})
		}
	}
}
