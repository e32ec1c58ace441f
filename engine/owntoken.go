package engine

import (
	"encoding/binary"
	"unsafe"
)

// An OwnToken is what a lease's token says if it is like those that the server makes
// itself: 32 lower-case hexadecimal digits. A store may keep it in half of the bytes.
type OwnToken [16]byte

const ownDigits = 2 * len(OwnToken{})

// AppendDigits appends the token as clients know it. Eight digits at a time take a
// fifth of the time that one by one take.
func (t *OwnToken) AppendDigits(b []byte) []byte {
	for i := 0; i < len(t); i += 4 {
		b = binary.BigEndian.AppendUint64(b, digits(binary.BigEndian.Uint32(t[i:])))
	}
	return b
}

// Parse makes t what a token says, and tells whether it is such digits.
func (t *OwnToken) Parse(token string) bool {
	if len(token) != ownDigits {
		return false
	}
	text := (*[ownDigits]byte)(unsafe.Pointer(unsafe.StringData(token)))
	ok := true
	for i := 0; i < len(t); i += 4 {
		n, good := parseDigits(binary.BigEndian.Uint64(text[2*i:]))
		binary.BigEndian.PutUint32(t[i:], n)
		ok = ok && good
	}
	return ok
}

const inEach = 0x0101010101010101 // of eight bytes

// digits is the eight digits of a number.
func digits(n uint32) uint64 {
	d := uint64(n) // spread to a byte a digit, in three steps
	d = (d<<16 | d) & 0x0000ffff0000ffff
	d = (d<<8 | d) & 0x00ff00ff00ff00ff
	d = (d<<4 | d) & (0x0f * inEach)
	letters := (d + 6*inEach) >> 4 & inEach // 1 where it is 10 or more
	return d + '0'*inEach + letters*('a'-'0'-10)
}

// parseDigits is the number of eight digits, if they are some. What is too small to be
// one becomes too large.
func parseDigits(d uint64) (n uint32, ok bool) {
	letters := d >> 6 & inEach
	d -= '0'*inEach + letters*('a'-'0'-10)
	ok = d&(0xf0*inEach)|(d+6*inEach)>>4&inEach^letters == 0
	d = (d>>4 | d) & 0x00ff00ff00ff00ff
	d = (d>>8 | d) & 0x0000ffff0000ffff
	return uint32(d>>16 | d), ok
}
