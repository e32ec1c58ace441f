package persistence

import (
	"encoding/binary"
	"hash/crc32"

	"sluice/engine"
)

// A snapshot is its header, blocks of records that can be read each by itself,
// and a footer. A block:
//
//	crc      u32  CRC32C of what follows, from salt + the block's position on
//	length   u32  of the records
//	count    u32  of the records
//	records
//
// and the footer:
//
//	crc      u32  of what follows, from the salt on
//	marker   u32  no length that a block can have
//	blocks   u64
//	keys     u64
//	end      i64  instant
//	magic    8 bytes
const (
	blockHead    = 4 + 4 + 4
	blockBytes   = 64 << 10 // about so large is a block
	writeBytes   = 1 << 20  // about so much is written at a time
	syncBytes    = 32 << 20 // so much is synced at a time: a log that is synced meanwhile waits for no more
	footerBytes  = 4 + 4 + 8 + 8 + 8 + 8
	footerMarker = 0xffffffff
	footerMagic  = "sluicend"
	maxBlock     = footerMarker - 1
)

// A snapshotWriter writes a snapshot to a file.
type snapshotWriter struct {
	file File
	salt uint32

	out      []byte // not written yet
	block    int    // where in out the block begins that is not sealed yet
	count    uint32 // records in it
	blocks   uint64
	keys     uint64
	written  int64
	unsynced int64
}

func newSnapshotWriter(f File, h header) *snapshotWriter {
	w := &snapshotWriter{file: f, salt: h.salt}
	w.out = append(w.out, h.encode(snapshotFile)...)
	w.begin()
	return w
}

func (w *snapshotWriter) begin() {
	w.block, w.count = len(w.out), 0
	w.out = append(w.out, make([]byte, blockHead)...)
}

// add adds records.
func (w *snapshotWriter) add(records []engine.Record) error {
	for i := range records {
		w.out = appendRecord(w.out, &records[i])
		w.count++
		if len(w.out)-w.block < blockBytes {
			continue
		}
		w.seal()
		if len(w.out) >= writeBytes {
			if err := w.write(); err != nil {
				return err
			}
		}
		w.begin()
	}
	return nil
}

// seal ends the block.
func (w *snapshotWriter) seal() {
	b := w.out[w.block:]
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-blockHead))
	binary.LittleEndian.PutUint32(b[8:], w.count)
	binary.LittleEndian.PutUint32(b, crc32.Update(w.salt+uint32(w.blocks), castagnoli, b[4:]))
	w.blocks++
	w.keys += uint64(w.count)
}

func (w *snapshotWriter) write() error {
	n, err := writeAt(w.file, w.out, w.written)
	w.written += int64(n)
	w.unsynced += int64(n)
	w.out = w.out[:0]
	if err == nil && w.unsynced >= syncBytes {
		w.unsynced = 0
		err = w.file.Sync()
	}
	return err
}

// finish ends the snapshot, and returns its size once all of it is on the disk.
func (w *snapshotWriter) finish(end engine.Instant) (int64, error) {
	if w.count > 0 {
		w.seal()
	} else {
		w.out = w.out[:w.block]
	}
	start := len(w.out)
	w.out = append(w.out, 0, 0, 0, 0)
	w.out = binary.LittleEndian.AppendUint32(w.out, footerMarker)
	w.out = binary.LittleEndian.AppendUint64(w.out, w.blocks)
	w.out = binary.LittleEndian.AppendUint64(w.out, w.keys)
	w.out = binary.LittleEndian.AppendUint64(w.out, uint64(end))
	w.out = append(w.out, footerMagic...)
	binary.LittleEndian.PutUint32(w.out[start:], crc32.Update(w.salt, castagnoli, w.out[start+4:]))
	if err := w.write(); err != nil {
		return w.written, err
	}
	return w.written, w.file.Sync()
}
