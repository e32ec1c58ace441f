package persistence

import (
	"cmp"
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
	syncBytes    = 16 << 20 // so much is synced at a time: a log that is synced meanwhile waits for no more
	buffers      = 8        // so many wait to be written, or for what will be
	footerBytes  = 4 + 4 + 8 + 8 + 8 + 8
	footerMarker = 0xffffffff
	footerMagic  = "sluicend"
	maxBlock     = footerMarker - 1
)

// A snapshotWriter writes a snapshot to a file. The disk is another goroutine's, so
// records are collected while those before them are written.
type snapshotWriter struct {
	salt uint32

	out    []byte // not handed over yet
	block  int    // where in out the block begins that is not sealed yet
	count  uint32 // records in it
	blocks uint64
	keys   uint64

	full   chan []byte
	done   chan outcome // of what was handed over
	unmade int          // buffers
	sink   snapshotSink
}

// An outcome is what became of a buffer, which can be used again.
type outcome struct {
	buffer []byte
	err    error
}

func newSnapshotWriter(f File, h header) *snapshotWriter {
	w := &snapshotWriter{salt: h.salt, sink: snapshotSink{file: f}, unmade: buffers - 1,
		full: make(chan []byte, buffers), done: make(chan outcome, buffers)} // so nobody waits to hand over
	go func() {
		defer close(w.done)
		for b := range w.full {
			w.done <- outcome{b, w.sink.write(b)}
		}
	}()
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

// write hands over what was collected, for the next empty buffer. An error may be
// that of an earlier one.
func (w *snapshotWriter) write() error {
	w.full <- w.out
	if w.unmade > 0 {
		w.unmade--
		w.out = make([]byte, 0, cap(w.out))
		return nil
	}
	o := <-w.done
	w.out = o.buffer[:0]
	return o.err
}

// end waits until all is written that was handed over.
func (w *snapshotWriter) end() (err error) {
	close(w.full)
	for o := range w.done {
		err = cmp.Or(err, o.err)
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
	w.full <- w.out
	if err := w.end(); err != nil {
		return w.sink.written, err
	}
	return w.sink.written, w.sink.file.Sync()
}

// A snapshotSink writes one buffer after the other, until one fails.
type snapshotSink struct {
	file     File
	written  int64
	unsynced int
	failed   error
}

func (s *snapshotSink) write(b []byte) error {
	if s.failed != nil {
		return s.failed
	}
	var n int
	n, s.failed = writeAt(s.file, b, s.written)
	s.written += int64(n)
	s.unsynced += n
	if s.failed == nil && s.unsynced >= syncBytes {
		s.unsynced = 0
		s.failed = s.file.Sync()
	}
	return s.failed
}
