package memstore

import (
	"encoding/binary"
	"math/bits"

	"sluice/engine"
)

// A packedToken is a token as it lies in bytes: behind its length plus one, a uvarint,
// or, if it is like those that the server makes itself, behind a 0 as what it says,
// which is half as long.
type packedToken struct {
	own    bool
	says   engine.OwnToken
	digits [2 * len(engine.OwnToken{})]byte
	text   string // if it is no own
}

// ownSize is the size of an own token.
const ownSize = 1 + len(engine.OwnToken{})

// A packer packs tokens, and tells them. All leases of a shard have the same one.
type packer struct {
	token packedToken // that it has packed last: a call asks for its token again and again
	told  [2 * len(engine.OwnToken{})]byte
}

// pack is a token, packed, until the next one is.
func (p *packer) pack(token string) *packedToken {
	t := &p.token
	if t.own && token == string(t.digits[:]) {
		return t
	}
	t.text = ""
	if t.own = t.says.Parse(token); t.own {
		copy(t.digits[:], token)
	} else {
		t.text = token
	}
	return t
}

// tell is the token that bytes begin with, until the next one is told or they change.
func (p *packer) tell(b []byte) string {
	if b[0] == 0 {
		return lentString((*engine.OwnToken)(b[1:]).AppendDigits(p.told[:0]))
	}
	from, to := textSpan(b)
	return lentString(b[from:to])
}

func (t *packedToken) append(b []byte) []byte {
	if t.own {
		return append(append(b, 0), t.says[:]...)
	}
	return append(binary.AppendUvarint(b, uint64(len(t.text))+1), t.text...)
}

func (t *packedToken) size() int {
	if t.own {
		return ownSize
	}
	n := len(t.text) + 1
	return (bits.Len(uint(n))+6)/7 + n - 1
}

// leads says whether bytes begin with this token.
func (t *packedToken) leads(b []byte) bool {
	if b[0] == 0 || t.own {
		return b[0] == 0 && t.own && *(*engine.OwnToken)(b[1:]) == t.says
	}
	from, to := textSpan(b)
	return string(b[from:to]) == t.text
}

// tokenSize is the size of the token that bytes begin with.
func tokenSize(b []byte) int {
	if b[0] == 0 {
		return ownSize
	}
	_, to := textSpan(b)
	return to
}

// textSpan is where the text of the token lies that bytes begin with, which is no own.
func textSpan(b []byte) (from, to int) {
	n, from := binary.Uvarint(b)
	return from, from + int(n) - 1
}
