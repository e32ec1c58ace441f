package persistence

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync"

	"sluice/engine"
)

// A snapshotReader reads a snapshot, its blocks on all processors.
type snapshotReader struct {
	file File
	name name
	size int64
	header
	footer

	mu     sync.Mutex
	failed error // the first; of damage the one with the least offset
}

type footer struct {
	blocks, keys uint64
	end          engine.Instant
}

// openSnapshot opens a snapshot whose header and footer are whole. That it is
// damaged is a DamageError.
func openSnapshot(d Disk, number uint64) (*snapshotReader, error) {
	n := name{snapshotFile, number}
	f, err := d.Open(n.String())
	if err != nil {
		return nil, err
	}
	r := &snapshotReader{file: f, name: n}
	if r.size, err = f.Size(); err == nil {
		err = r.ends()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// ends reads the header and the footer.
func (r *snapshotReader) ends() (err error) {
	r.header, err = readHeader(r.file, r.name)
	if errors.Is(err, errHeader) {
		return r.damage(0, "the header is not whole")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	at := r.size - footerBytes
	if at < headerBytes {
		return r.damage(r.size, "it ends in the middle")
	}
	b := make([]byte, footerBytes)
	if _, err := r.file.ReadAt(b, at); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if string(b[32:]) != footerMagic || binary.LittleEndian.Uint32(b[4:]) != footerMarker || crc32.Update(r.salt, castagnoli, b[4:]) != crcOf(b) {
		return r.damage(at, "the footer is not whole")
	}
	u64 := binary.LittleEndian.Uint64
	r.footer = footer{u64(b[8:]), u64(b[16:]), engine.Instant(u64(b[24:]))}
	return nil
}

func (r *snapshotReader) close() error { return r.file.Close() }

func (r *snapshotReader) damage(at int64, reason string) error {
	return &DamageError{File: r.name.String(), Offset: at, Reason: reason}
}

// A span is where a block lies.
type span struct {
	position       uint64
	offset, length int64
}

// load calls load with the records, several at a time. What it was called with
// counts for nothing if there is an error.
func (r *snapshotReader) load(load func([]engine.Record) error) error {
	spans := make(chan span, 2*runtime.GOMAXPROCS(0))
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			var b batch
			for s := range spans {
				r.fail(r.block(s, &b, load))
			}
		})
	}
	r.fail(r.walk(spans))
	close(spans)
	readers.Wait()
	return r.failed
}

// fail notes an error. Of two damages the first in the file is the one to tell.
func (r *snapshotReader) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var had, is *DamageError
	if r.failed == nil || errors.As(r.failed, &had) && errors.As(err, &is) && is.Offset < had.Offset {
		r.failed = err
	}
}

func (r *snapshotReader) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed != nil
}

// walk finds the blocks.
func (r *snapshotReader) walk(spans chan<- span) error {
	head := make([]byte, blockHead)
	at, end, keys := int64(headerBytes), r.size-footerBytes, uint64(0)
	for i := range r.blocks {
		if r.stopped() {
			return nil
		}
		if at+blockHead > end {
			return r.damage(at, "blocks are missing")
		}
		if _, err := r.file.ReadAt(head, at); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		s := span{i, at, blockHead + int64(binary.LittleEndian.Uint32(head[4:]))}
		if at+s.length > end {
			return r.damage(at, "a block is longer than the file")
		}
		keys += uint64(binary.LittleEndian.Uint32(head[8:]))
		spans <- s
		at += s.length
	}
	if at != end || keys != r.keys {
		return r.damage(at, "there are not as many blocks and keys as its end says")
	}
	return nil
}

// block reads one block.
func (r *snapshotReader) block(s span, b *batch, load func([]engine.Record) error) error {
	if r.stopped() {
		return nil
	}
	if int64(cap(b.bytes)) < s.length {
		b.bytes = make([]byte, s.length, s.length+s.length/4)
	}
	b.bytes, b.records = b.bytes[:s.length], b.records[:0]
	if _, err := r.file.ReadAt(b.bytes, s.offset); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if crc32.Update(r.salt+uint32(s.position), castagnoli, b.bytes[4:]) != crcOf(b.bytes) {
		return r.damage(s.offset, "a block is not as it was written")
	}
	if err := b.read(b.bytes[blockHead:]); err != nil {
		return r.damage(s.offset, err.Error())
	}
	if len(b.records) != int(binary.LittleEndian.Uint32(b.bytes[8:])) {
		return r.damage(s.offset, "a block has not as many records as it says")
	}
	return load(b.records)
}
