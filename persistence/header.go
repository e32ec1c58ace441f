package persistence

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"sluice/engine"
)

// version is the format that is written, and the last that can be read.
const version = 1

const headerBytes = 64

// magic is what a file of a kind begins with.
var magic = [...]string{logFile: "sluicelg", snapshotFile: "sluicesn"}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A header begins every file. All versions have it in common.
//
//	magic    8 bytes
//	version  u32
//	flags    u32
//	number   u64  the file's
//	created  i64  instant
//	trusted  u64  of a log: bytes of the one before that are known to be synced
//	salt     u32  random: what was written for another file is not taken for this one's
//	zeros    16 bytes
//	crc      u32  of what is before
type header struct {
	version uint32
	flags   uint32
	number  uint64
	created engine.Instant
	trusted int64
	salt    uint32
}

const (
	// afresh: the log does not go on from the one before it. It counts on top of
	// its own snapshot only.
	afresh = 1 << 0
	// logged: the snapshot has a log of its number.
	logged = 1 << 1
	// ahead: zeros may have been written behind what is in the log.
	ahead = 1 << 2
)

func (h *header) encode(k fileKind) []byte {
	b := make([]byte, 0, headerBytes)
	b = append(b, magic[k]...)
	b = binary.LittleEndian.AppendUint32(b, h.version)
	b = binary.LittleEndian.AppendUint32(b, h.flags)
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.created))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.trusted))
	b = binary.LittleEndian.AppendUint32(b, h.salt)
	b = append(b, make([]byte, headerBytes-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var errHeader = errors.New("the header is not whole")

// readHeader reads the header of a file. That of a newer version is a NewerError,
// and one that is not whole errHeader.
func readHeader(f File, n name) (header, error) {
	b := make([]byte, headerBytes)
	if size, err := f.Size(); err != nil || size < headerBytes {
		return header{}, errors.Join(errHeader, err)
	}
	if _, err := f.ReadAt(b, 0); err != nil {
		return header{}, err
	}
	u32 := binary.LittleEndian.Uint32
	u64 := binary.LittleEndian.Uint64
	if !bytes.HasPrefix(b, []byte(magic[n.kind])) || crc32.Checksum(b[:headerBytes-4], castagnoli) != u32(b[headerBytes-4:]) {
		return header{}, errHeader
	}
	h := header{
		version: u32(b[8:]),
		flags:   u32(b[12:]),
		number:  u64(b[16:]),
		created: engine.Instant(u64(b[24:])),
		trusted: int64(u64(b[32:])),
		salt:    u32(b[40:]),
	}
	if h.version > version {
		return h, &NewerError{n.String(), h.version, version}
	}
	if h.number != n.number || h.version == 0 {
		return h, errHeader
	}
	return h, nil
}
