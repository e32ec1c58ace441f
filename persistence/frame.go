package persistence

import (
	"encoding/binary"
	"hash/crc32"

	"sluice/engine"
)

// A log is its header and frames:
//
//	crc      u32  CRC32C of what follows, from the log's salt on
//	length   u32  of the payload
//	type     u8
//	at       i64  the latest instant of a change
//	payload
//
// A frame counts whole or not at all, which makes the records in it one change.

const (
	frameHead    = 4 + 4 + 1 + 8
	maxFrame     = 1 << 30 // payload; no change is near it
	maxFrameRead = 1 << 20 // what is longer is checked before there is memory for it
)

// The types of frames. The numbers are never reused.
const (
	changesFrame = 1 // records
	// syncedFrame: bytes of a log (this one or the one before) had been synced when
	// it was written. Damage in them is no trace of a crash.
	//	number u64, bytes u64
	syncedFrame = 2
	// publishedFrame: a log that begins afresh has its snapshot.
	publishedFrame = 3
)

// A mark is what a syncedFrame says.
type mark struct {
	number uint64
	bytes  int64
}

const markBytes = 16

// beginFrame appends the head of a frame whose payload will follow.
func beginFrame(b []byte, kind byte, at engine.Instant) []byte {
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, kind)
	return binary.LittleEndian.AppendUint64(b, uint64(at))
}

// noteAt notes that a frame has a change of this instant as well.
func noteAt(frame []byte, at engine.Instant) {
	if at > frameAt(frame) {
		binary.LittleEndian.PutUint64(frame[9:], uint64(at))
	}
}

// endFrame notes the length of the frame that begins at start and ends b. Its CRC
// is sealFrames' to compute, which is not done under the lock of a key.
func endFrame(b []byte, start int) {
	binary.LittleEndian.PutUint32(b[start+4:], uint32(len(b)-start-frameHead))
}

func appendMark(b []byte, m mark) []byte {
	start := len(b)
	b = beginFrame(b, syncedFrame, 0)
	b = binary.LittleEndian.AppendUint64(b, m.number)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.bytes))
	endFrame(b, start)
	return b
}

func readMark(payload []byte) mark {
	return mark{binary.LittleEndian.Uint64(payload), int64(binary.LittleEndian.Uint64(payload[8:]))}
}

// sealFrames computes the CRC of every frame in b.
func sealFrames(b []byte, salt uint32) {
	for len(b) > 0 {
		end := frameHead + payloadLength(b)
		binary.LittleEndian.PutUint32(b, crc32.Update(salt, castagnoli, b[4:end]))
		b = b[end:]
	}
}

func payloadLength(frame []byte) int { return int(binary.LittleEndian.Uint32(frame[4:])) }

// crcOf is the CRC that a frame or block has in its head.
func crcOf(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func frameAt(frame []byte) engine.Instant {
	return engine.Instant(binary.LittleEndian.Uint64(frame[9:]))
}

// wholeFrame says whether b, of the right length, is a frame of a log.
func wholeFrame(b []byte, salt uint32) bool {
	return knownFrame(b) && crcOf(b) == crc32.Update(salt, castagnoli, b[4:])
}

// knownFrame says whether a frame can begin with b.
func knownFrame(b []byte) bool {
	n := payloadLength(b)
	switch b[8] {
	case changesFrame:
		return n > 0 && n <= maxFrame
	case syncedFrame:
		return n == markBytes
	case publishedFrame:
		return n == 0
	}
	return false
}
