package persistence

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"

	"sluice/engine"
)

// A pending is what was appended and is not written yet.
type pending struct {
	mu     sync.Mutex
	frames []byte
	hot    hotKeys
	open   bool // there is a log; else changes are counted only
	drop   bool // changes are dropped: memory only, while the disk is broken

	appended atomic.Uint64 // how often was appended; a change is kept when as many are
	changes  atomic.Int64  // since the last snapshot was begun
}

// keepBytes is how large a buffer may be to be used again.
const keepBytes = 4 << 20

// Append notes changes (see engine.Journal). They are kept once Commit returns.
func (d *Directory) Append(at engine.Instant, changes []engine.Record) {
	if len(changes) == 0 {
		return
	}
	p := &d.pending
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes.Add(int64(len(changes)))
	if !p.open || p.drop {
		return
	}
	start := len(p.frames)
	p.frames = beginFrame(p.frames, changesFrame, at)
	for i := range changes {
		p.frames = appendRecord(p.frames, &changes[i])
	}
	endFrame(p.frames, start)
	p.frames = p.hot.merge(p.frames, start, changes)
	p.appended.Store(p.appended.Load() + 1)
}

// take is all that is pending, in exchange for an empty buffer, and how often was
// appended until now.
func (p *pending) take(empty []byte) ([]byte, uint64) {
	if cap(empty) > keepBytes {
		empty = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	frames := p.frames
	p.frames = empty[:0]
	p.hot.forget()
	return frames, p.appended.Load()
}

// hotKeys lets a key that changes again before its last change was written take
// that one's place: whoever reads the log would see the later one only. It is
// right because the place is that of the key's last change of all (nothing about
// the key lies behind it), and because all that is pending is written together.
type hotKeys struct {
	seed  maphash.Seed
	epoch uint32 // of the buffer; slots of another are empty
	slots [hotSlots]hotSlot
}

const hotSlots = 1 << 12

type hotSlot struct {
	hash  uint64
	epoch uint32
	start uint32 // of the frame
}

// forget empties the slots.
func (h *hotKeys) forget() { h.epoch++ }

// merge puts the frame that begins at start and ends the buffer in the place of
// the key's last one, if it is as long, and returns the buffer.
func (h *hotKeys) merge(b []byte, start int, changes []engine.Record) []byte {
	if len(changes) > 1 || changes[0].Change != engine.Put || start > math.MaxUint32 {
		h.pass(changes)
		return b
	}
	key := changes[0].Key
	hash, slot := h.slot(key)
	if slot.epoch == h.epoch && slot.hash == hash {
		if had := b[slot.start:start]; sameKey(had, b[start:], len(key.Name)) {
			copy(had, b[start:])
			return b[:start]
		}
	}
	*slot = hotSlot{hash, h.epoch, uint32(start)}
	return b
}

// pass notes that the last changes of these keys can not be replaced.
func (h *hotKeys) pass(changes []engine.Record) {
	for i := range changes {
		if changes[i].Change == engine.Empty {
			h.forget()
			return
		}
		if hash, slot := h.slot(changes[i].Key); slot.hash == hash {
			slot.epoch = h.epoch - 1
		}
	}
}

func (h *hotKeys) slot(k engine.Key) (uint64, *hotSlot) {
	hash := maphash.Bytes(h.seed, k.Name) + uint64(k.DB)
	return hash, &h.slots[hash%hotSlots]
}

// sameKey says whether the frame at the head of had is as long as the frame f, and
// of the same key, whose length is given.
func sameKey(had, f []byte, key int) bool {
	if payloadLength(had) != payloadLength(f) {
		return false
	}
	var varint [binary.MaxVarintLen64]byte
	end := frameHead + 2 + binary.PutUvarint(varint[:], uint64(key)) + key
	return bytes.Equal(had[frameHead+1:end], f[frameHead+1:end])
}
