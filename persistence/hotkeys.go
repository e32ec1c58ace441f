package persistence

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"

	"sluice/engine"
)

// hotKeys lets a key that changes again before its last change was written take
// that one's place: whoever reads the log would see the later one only. It is
// right because the place is that of the key's last change of all (nothing about
// the key lies behind it), and because all that is pending is written together. What
// was changed as one stays in one frame: that is found whole or not at all.
type hotKeys struct {
	seed  maphash.Seed
	epoch uint32 // of the buffer; slots of another are empty
	slots [hotSlots]hotSlot

	tried, merged int // in this buffer
	idle          int // so many buffers go without, this one included
}

const (
	hotSlots = 1 << 10

	// Where all keys are different there is nothing to merge, and to try costs as
	// much as to write the record. If of manyTried there was not one in fewMerged,
	// the next idleBuffers go without.
	manyTried   = 64
	fewMerged   = 32
	idleBuffers = 15
)

// A hotSlot is where a key's record lies. It is small so that the slots stay in
// the processor's nearest cache.
type hotSlot struct {
	hash   uint32
	epoch  uint32
	start  uint32
	length uint16
	frame  uint16 // so far before start its frame begins
}

// A recordSpan is where a record lies in a buffer, where its frame begins, and whether
// it is one of several that are one change.
type recordSpan struct {
	frame, start, end int
	grouped           bool
}

// begin is called for each buffer.
func (h *hotKeys) begin() {
	if h.idle > 0 {
		h.idle--
	} else if h.tried >= manyTried && h.merged < h.tried/fewMerged {
		h.idle = idleBuffers
	}
	h.tried, h.merged = 0, 0
	h.forget()
}

// forget empties the slots.
func (h *hotKeys) forget() {
	if h.epoch++; h.epoch == 0 { // after days: what is there could be taken for new
		clear(h.slots[:])
		h.epoch = 1
	}
}

// merge puts the record at r, which ends the buffer, in the place of the key's last
// one, if it is as long, and says whether it did. One of a group stays in its frame.
func (h *hotKeys) merge(b []byte, c *engine.Record, r recordSpan) bool {
	if c.Change == engine.Empty {
		h.forget()
		return false
	}
	hash, slot := h.slot(c.Key)
	if c.Change != engine.Put {
		if slot.hash == hash {
			slot.epoch = h.epoch - 1
		}
		return false
	}
	h.tried++
	length := r.end - r.start
	if slot.epoch == h.epoch && slot.hash == hash && int(slot.length) == length {
		start := int(slot.start)
		frame := start - int(slot.frame)
		if had := b[start : start+length]; (frame == r.frame || !r.grouped) && sameKey(had, b[r.start:], len(c.Key.Name)) {
			copy(had, b[r.start:])
			noteAt(b[frame:], frameAt(b[r.frame:]))
			h.merged++
			return true
		}
	}
	*slot = hotSlot{epoch: h.epoch - 1}
	if r.start <= math.MaxUint32 && max(length, r.start-r.frame) <= math.MaxUint16 {
		*slot = hotSlot{hash, h.epoch, uint32(r.start), uint16(length), uint16(r.start - r.frame)}
	}
	return false
}

func (h *hotKeys) slot(k engine.Key) (uint32, *hotSlot) {
	hash := maphash.Bytes(h.seed, k.Name) + uint64(k.DB)
	return uint32(hash >> 32), &h.slots[hash%hotSlots]
}

// sameKey says whether two records are of the same key, whose length is given.
func sameKey(had, r []byte, key int) bool {
	var varint [binary.MaxVarintLen64]byte
	end := 2 + binary.PutUvarint(varint[:], uint64(key)) + key
	return bytes.Equal(had[1:end], r[1:end])
}
