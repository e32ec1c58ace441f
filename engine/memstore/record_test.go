package memstore

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"sluice/engine"
)

// lengths are where the layout of a record changes.
func lengths() []int { return []int{0, 1, 16, 17, 126, 127, 128, 129, 4095, 4096} }

func drawState(t *rapid.T) engine.State {
	word := rapid.OneOf(rapid.Just[uint64](0), rapid.Uint64Max(127), rapid.Uint64(), rapid.Just[uint64](math.MaxUint64))
	return engine.State{
		Kind:     engine.Kind(rapid.IntRange(1, 15).Draw(t, "kind")),
		Deadline: engine.Instant(rapid.Int64Min(1).Draw(t, "deadline")),
		Words:    [3]uint64{word.Draw(t, "0"), word.Draw(t, "1"), word.Draw(t, "2")},
	}
}

// What is written is read; what is written over it is read or finds no room, and
// then nothing has changed; a dead record keeps its size.
func TestRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(lengths()).Draw(t, "length")
		k := engine.Key{DB: rapid.IntRange(0, 15).Draw(t, "db"), Name: bytes.Repeat([]byte{0xfe}, n)}
		first, second := drawState(t), drawState(t)
		const number = 77 // of a box, for kinds that have one
		words := func(s *engine.State) []byte { return appendWords(nil, s, number) }
		size := recordSize(k.Name, len(words(&first)))
		page := bytes.Repeat([]byte{0xaa}, size+64) // dirty, as a page can be
		rec := record(page)
		writeRecord(rec[:size], k, &first, words(&first))
		same := func(want engine.State) {
			if rec.state() != want || rec.size() != size || rec.db() != k.DB || !bytes.Equal(rec.key(), k.Name) || size%granule != 0 {
				t.Fatalf("%+v of %d bytes is read, not %+v of %d", rec.state(), rec.size(), want, size)
			}
		}
		same(first)
		if boxed(first.Kind) != (rec.box() == number) {
			t.Fatalf("the box of kind %d is number %d", first.Kind, rec.box())
		}
		if rec.set(&second, words(&second)) {
			same(second)
		} else {
			same(first)
		}
		rec.kill()
		if rec.kind() != 0 || rec.size() != size || rec.db() != k.DB {
			t.Fatalf("dead it has kind %d and %d bytes", rec.kind(), rec.size())
		}
		if !bytes.Equal(page[size:], bytes.Repeat([]byte{0xaa}, 64)) {
			t.Fatal("what lies behind was written over")
		}
	})
}
