package persistence

import (
	"fmt"
	"hash/crc32"
)

// prefixes are the CRCs of a file from one offset to others. With them the CRC of
// any part is found without a look at all of it: so whoever fills his keys with what
// looks like the heads of long frames can't make a search take longer than its length.
type prefixes struct {
	file File
	from int64
	sums []uint32 // up to each multiple of stride
	buf  []byte
}

const stride = 4096

func newPrefixes(f File, from, size int64) (*prefixes, error) {
	p := &prefixes{file: f, from: from, buf: make([]byte, stride)}
	sum := uint32(0)
	for at := from; ; at += stride {
		p.sums = append(p.sums, sum)
		if at+stride > size {
			return p, nil
		}
		if _, err := f.ReadAt(p.buf, at); err != nil {
			return nil, fmt.Errorf("read at offset %d: %w", at, err)
		}
		sum = crc32.Update(sum, castagnoli, p.buf)
	}
}

// to is the CRC of what lies before an offset.
func (p *prefixes) to(offset int64) (uint32, error) {
	i := (offset - p.from) / stride
	rest := p.buf[:offset-p.from-i*stride]
	if _, err := p.file.ReadAt(rest, p.from+i*stride); err != nil && len(rest) > 0 {
		return 0, fmt.Errorf("read at offset %d: %w", p.from+i*stride, err)
	}
	return crc32.Update(p.sums[i], castagnoli, rest), nil
}

// sum is what crc32.Update makes of crc and of what lies from one offset to another.
func (p *prefixes) sum(crc uint32, from, to int64) (uint32, error) {
	before, err := p.to(from)
	if err != nil {
		return 0, err
	}
	all, err := p.to(to)
	return shift(crc^before, uint64(to-from)) ^ all, err
}

// A CRC is the rest of a polynomial over GF(2), so it is linear: that of two parts
// is the first one's, times x^(8n) for the n bytes of the second, plus the second's.
// The highest bit is x^0.

// shift is a CRC times x^(8n).
func shift(crc uint32, n uint64) uint32 {
	power := uint32(1) << 31 >> 8 // x^8
	for ; n > 0 && crc != 0; n >>= 1 {
		if n&1 != 0 {
			crc = multiply(crc, power)
		}
		power = multiply(power, power)
	}
	return crc
}

// multiply multiplies two polynomials, modulo Castagnoli's.
func multiply(a, b uint32) (product uint32) {
	for a != 0 {
		if a&(1<<31) != 0 {
			product ^= b
		}
		a <<= 1
		if b&1 != 0 {
			b = b>>1 ^ crc32.Castagnoli
		} else {
			b >>= 1
		}
	}
	return product
}
