package memstore

import (
	"encoding/binary"
	"slices"
	"strings"

	"sluice/engine"
)

// packedLeases are leases in the order in which they end, as bytes: of each its token
// and its end. A token is found by looking at one after the other.
type packedLeases struct {
	bytes  []byte
	n      int
	tokens *packer
}

func packLeases(all []engine.Lease, tokens *packer) packedLeases {
	p := packedLeases{tokens: tokens}
	for _, lease := range all {
		p.Add(lease)
	}
	return p
}

// endBytes is the size of an end.
const endBytes = 8

// next is the end of the lease at a place, and the place behind it.
func (p *packedLeases) next(at int) (until engine.Instant, behind int) {
	at += tokenSize(p.bytes[at:])
	return readEnd(p.bytes[at:]), at + endBytes
}

func readEnd(b []byte) engine.Instant { return engine.Instant(binary.LittleEndian.Uint64(b)) }

// find is the place of a token's lease, or -1.
func (p *packedLeases) find(t *packedToken) int {
	for at := 0; at < len(p.bytes); at += tokenSize(p.bytes[at:]) + endBytes {
		if t.leads(p.bytes[at:]) {
			return at
		}
	}
	return -1
}

func (p *packedLeases) Get(token string) (engine.Lease, bool) {
	at := p.find(p.tokens.pack(token))
	if at < 0 {
		return engine.Lease{}, false
	}
	until, _ := p.next(at)
	return engine.Lease{Token: token, Until: until}, true
}

func (p *packedLeases) Set(lease engine.Lease) {
	p.Delete(lease.Token)
	p.Add(lease)
}

func (p *packedLeases) Add(lease engine.Lease) {
	t := p.tokens.pack(lease.Token)
	at, size := p.placeFor(lease), t.size()+endBytes
	behind := p.bytes[at:]
	p.bytes = slices.Grow(p.bytes, size)[:len(p.bytes)+size]
	copy(p.bytes[at+size:], behind)
	binary.LittleEndian.AppendUint64(t.append(p.bytes[:at]), uint64(lease.Until))
	p.n++
}

// placeFor is where a lease belongs: behind all others, nearly always.
func (p *packedLeases) placeFor(lease engine.Lease) (at int) {
	if p.n == 0 || p.last() < lease.Until {
		return len(p.bytes)
	}
	for at < len(p.bytes) {
		until, behind := p.next(at)
		if until > lease.Until || until == lease.Until && p.tokens.tell(p.bytes[at:]) > lease.Token {
			break
		}
		at = behind
	}
	return at
}

func (p *packedLeases) Delete(token string) {
	if at := p.find(p.tokens.pack(token)); at >= 0 {
		p.remove(at)
	}
}

func (p *packedLeases) DeleteFirst() { p.remove(0) }

// remove takes out the lease at a place.
func (p *packedLeases) remove(at int) {
	_, behind := p.next(at)
	p.bytes = slices.Delete(p.bytes, at, behind)
	p.n--
}

func (p *packedLeases) Len() int { return p.n }

func (p *packedLeases) End(i int) engine.Instant {
	if i == p.n-1 {
		return p.last()
	}
	until, at := p.next(0)
	for ; i > 0; i-- {
		until, at = p.next(at)
	}
	return until
}

// last is the end of the last lease.
func (p *packedLeases) last() engine.Instant { return readEnd(p.bytes[len(p.bytes)-endBytes:]) }

func (p *packedLeases) items() []engine.Lease {
	all := make([]engine.Lease, p.n)
	for i, at := 0, 0; i < p.n; i++ {
		all[i].Token = strings.Clone(p.tokens.tell(p.bytes[at:]))
		all[i].Until, at = p.next(at)
	}
	return all
}

func (p *packedLeases) size() int { return cap(p.bytes) }

// appendShort appends the leases without the last end: that is the deadline.
func (p *packedLeases) appendShort(b []byte) []byte {
	return append(b, p.bytes[:len(p.bytes)-endBytes]...)
}

// readShort makes p the n leases that appendShort has appended.
func (p *packedLeases) readShort(b []byte, n int, deadline engine.Instant) {
	p.n = n
	p.bytes = append(p.bytes[:0], b...)
	p.bytes = binary.LittleEndian.AppendUint64(p.bytes[:p.tokensEnd()], uint64(deadline))
}

// tokensEnd is where the last token ends.
func (p *packedLeases) tokensEnd() (at int) {
	for range p.n - 1 {
		at += tokenSize(p.bytes[at:]) + endBytes
	}
	return at + tokenSize(p.bytes[at:])
}
