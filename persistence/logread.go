package persistence

import (
	"fmt"
	"hash/crc32"
	"io"

	"sluice/engine"
)

// chunkBytes is how much of a log is read at a time.
const chunkBytes = 64 << 10

// A logReader reads the frames of a log, each after it was checked, until its end
// or the first that is not whole.
type logReader struct {
	file File
	name name
	size int64
	header

	offset  int64 // behind the last whole frame
	broken  bool  // what is there is no whole frame
	bad     error // the frame there is whole, and yet its records can't be
	records int64
	newest  engine.Instant
	synced  mark // the last that was read of the log before this one
	begun   bool // has its snapshot, if it is afresh
}

// openLog opens a log. If its header is not whole the error is errHeader.
func openLog(d Disk, number uint64) (*logReader, error) {
	n := name{logFile, number}
	f, err := d.Open(n.String())
	if err != nil {
		return nil, err
	}
	r := &logReader{file: f, name: n, offset: headerBytes}
	if r.size, err = f.Size(); err == nil {
		r.header, err = readHeader(f, n)
	}
	return r, err
}

func (r *logReader) close() error { return r.file.Close() }

// A batch is some frames' records, and the bytes that their keys are part of.
type batch struct {
	bytes   []byte
	records []engine.Record
}

// read adds the records in some bytes.
func (b *batch) read(bytes []byte) (err error) {
	for len(bytes) > 0 {
		if len(b.records) < cap(b.records) {
			b.records = b.records[:len(b.records)+1] // with the slices it had
		} else {
			b.records = append(b.records, engine.Record{})
		}
		if bytes, err = readRecord(bytes, &b.records[len(b.records)-1]); err != nil {
			return err
		}
	}
	return nil
}

// replay calls load with the records, some at a time, while it reads and checks
// those that follow.
func (r *logReader) replay(load func([]engine.Record) error) error {
	free, full := make(chan *batch, 3), make(chan *batch, 3)
	for range cap(free) {
		free <- &batch{}
	}
	var failed error
	go func() {
		defer close(full)
		for b := range free {
			if failed = r.next(b); failed != nil || len(b.records) == 0 && r.ended() {
				return
			}
			full <- b
		}
	}()
	var refused error
	for b := range full {
		if refused == nil {
			refused = load(b.records)
		}
		if refused != nil {
			close(free)
			for range full {
			}
			return refused
		}
		free <- b
	}
	return failed
}

func (r *logReader) ended() bool { return r.broken || r.bad != nil || r.offset == r.size }

// next reads the frames that lie in the next chunk; more of them, none if ended.
func (r *logReader) next(b *batch) error {
	b.records = b.records[:0]
	for !r.ended() && len(b.records) == 0 {
		if b.bytes == nil {
			b.bytes = make([]byte, min(chunkBytes, r.size-r.offset))
		}
		chunk := b.bytes[:min(int64(len(b.bytes)), r.size-r.offset)]
		if _, err := r.file.ReadAt(chunk, r.offset); err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if r.frames(b, chunk) > 0 || r.ended() {
			continue
		}
		if err := r.enlarge(b, chunk); err != nil {
			return err
		}
	}
	return nil
}

// frames reads the frames that lie whole in a chunk, and returns how many.
func (r *logReader) frames(b *batch, chunk []byte) (n int) {
	for len(chunk) >= frameHead {
		end := frameHead + payloadLength(chunk)
		if end > len(chunk) {
			break
		}
		if !wholeFrame(chunk[:end], r.salt) {
			r.broken = true
			break
		}
		if r.bad = r.frame(b, chunk[:end]); r.bad != nil {
			break
		}
		chunk = chunk[end:]
		r.offset += int64(end)
		n++
	}
	return n
}

// frame reads a frame's records into the batch.
func (r *logReader) frame(b *batch, f []byte) error {
	payload := f[frameHead:]
	switch f[8] {
	case syncedFrame:
		r.remember(readMark(payload))
		return nil
	case publishedFrame:
		r.begun = true
		return nil
	}
	had := len(b.records)
	if err := b.read(payload); err != nil {
		b.records = b.records[:had]
		return err
	}
	r.records += int64(len(b.records) - had)
	r.newest = max(r.newest, frameAt(f))
	return nil
}

func (r *logReader) remember(m mark) {
	if m.number == r.number-1 {
		r.synced = m
	}
}

// enlarge makes the batch large enough for a frame that is longer than the chunk,
// once that has been found to be one.
func (r *logReader) enlarge(b *batch, chunk []byte) error {
	r.broken = true
	if len(chunk) < frameHead || !knownFrame(chunk) {
		return nil
	}
	end := int64(frameHead + payloadLength(chunk))
	if r.offset+end > r.size {
		return nil
	}
	whole, err := r.whole(r.offset, end)
	if err == nil && whole {
		b.bytes = make([]byte, end)
		r.broken = false
	}
	return err
}

// whole says whether n bytes at an offset are a frame. It does not take the memory
// that they would.
func (r *logReader) whole(offset, n int64) (bool, error) {
	var crc, want uint32
	buf := make([]byte, min(n, maxFrameRead))
	for at := int64(0); at < n; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), n-at)]
		if _, err := r.file.ReadAt(buf, offset+at); err != nil {
			return false, fmt.Errorf("%s: %w", r.name, err)
		}
		part := buf
		if at == 0 {
			want, crc, part = crcOf(buf), r.salt, buf[4:]
		}
		crc = crc32.Update(crc, castagnoli, part)
	}
	return crc == want, nil
}
