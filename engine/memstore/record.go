package memstore

import (
	"encoding/binary"

	"sluice/engine"
)

// A record is a key with its state, as bytes in a page:
//
//	offset  bytes
//	0       1      kind << 4 | database; a kind of 0 is a dead record
//	1       1      n, the bytes of the words
//	2       8      deadline, little endian
//	10      1–2    length of the key, uvarint
//	11–12          the key
//	…       n      the state's words, each a uvarint; zeros at the end are
//	               left out, and bytes that are left over are zeros
//
// In front of the words of a sliding log or of leases is the number of their box. If
// they are short it is 0, and behind all three words is what else there is of them.
//
// n is chosen so that the whole is a multiple of granule. It never changes, so a
// page can be walked record by record, dead or alive.
type record []byte

const (
	granule     = 4
	wordsAt     = 1
	deadlineAt  = 2
	keyLengthAt = 10
	longKey     = 1 << 7 // a key of this length needs two bytes to say so
)

func (r record) kind() engine.Kind { return engine.Kind(r[0] >> 4) }

func (r record) db() int { return int(r[0] & 15) }

func (r record) deadline() engine.Instant {
	return engine.Instant(binary.LittleEndian.Uint64(r[deadlineAt:]))
}

// keySpan is where the key lies.
func (r record) keySpan() (from, to int) {
	n := int(r[keyLengthAt])
	if n < longKey {
		return keyLengthAt + 1, keyLengthAt + 1 + n
	}
	n = n&(longKey-1) | int(r[keyLengthAt+1])<<7
	return keyLengthAt + 2, keyLengthAt + 2 + n
}

func (r record) key() []byte {
	from, to := r.keySpan()
	return r[from:to]
}

func (r record) size() int {
	_, to := r.keySpan()
	return to + int(r[wordsAt])
}

func (r record) state() (s engine.State) {
	r.read(&s)
	return s
}

// read is state, into a zero one. A state that is copied from here to there costs
// more than what is read from the record. rest is what lies behind the words.
func (r record) read(s *engine.State) (box uint32, rest []byte) {
	s.Kind, s.Deadline = r.kind(), r.deadline()
	_, at := r.keySpan()
	words := r[at : at+int(r[wordsAt])]
	if boxed(s.Kind) {
		number, n := binary.Uvarint(words)
		box, words = uint32(number), words[n:]
	}
	for i := range s.Words {
		if len(words) == 0 {
			break
		}
		n := 0
		s.Words[i], n = binary.Uvarint(words)
		words = words[n:]
	}
	return box, words
}

// words is how many bytes its words may take.
func (r record) words() int { return int(r[wordsAt]) }

// box is the number of the record's box, 0 if its kind has none.
func (r record) box() uint32 {
	if !boxed(r.kind()) {
		return 0
	}
	_, at := r.keySpan()
	n, _ := binary.Uvarint(r[at:])
	return uint32(n)
}

func (r record) entry() engine.Entry {
	name := append([]byte(nil), r.key()...)
	return engine.Entry{Key: engine.Key{DB: r.db(), Name: name}, State: r.state()}
}

// set writes a state, whose words are these bytes, over the record's own. It says
// false, having changed nothing, if they need more room than there is.
func (r record) set(s *engine.State, words []byte) bool {
	_, at := r.keySpan()
	room := r[at : at+int(r[wordsAt])]
	if len(words) > len(room) {
		return false
	}
	r[0] = byte(s.Kind)<<4 | r[0]&15
	binary.LittleEndian.PutUint64(r[deadlineAt:], uint64(s.Deadline))
	clear(room[copy(room, words):])
	return true
}

// kill makes the record dead. Its size stays readable.
func (r record) kill() { r[0] &= 15 }

// recordSize is the size of a record for a key and so many bytes of words.
func recordSize(key []byte, words int) int {
	n := keyLengthAt + 1 + len(key) + words
	if len(key) >= longKey {
		n++
	}
	return (n + granule - 1) / granule * granule
}

// writeRecord fills a record of the size that recordSize told.
func writeRecord(r record, k engine.Key, s *engine.State, words []byte) {
	r[0] = byte(k.DB)
	binary.PutUvarint(r[keyLengthAt:], uint64(len(k.Name)))
	from, to := r.keySpan()
	copy(r[from:to], k.Name)
	r[wordsAt] = byte(len(r) - to)
	r.set(s, words)
}

const (
	// maxWords is the most bytes that a box's number and the words can take.
	maxWords = 4 * binary.MaxVarintLen64
	// maxShort is the most bytes that they can take with what else is short, so that a
	// byte holds their number when it was rounded up, or the place was another's.
	maxShort = 255 - (granule - 1) - evictWaste
	_        = byte(maxShort + granule - 1 + evictWaste)
)

func appendWords(b []byte, s *engine.State, box uint32) []byte {
	if boxed(s.Kind) {
		b = binary.AppendUvarint(b, uint64(box))
	}
	last := len(s.Words)
	for last > 0 && s.Words[last-1] == 0 {
		last--
	}
	for _, w := range s.Words[:last] {
		b = binary.AppendUvarint(b, w)
	}
	return b
}
