package persistence

import (
	"encoding/binary"
	"errors"

	"sluice/engine"
)

// A record on disk, in frames of a log and in blocks of a snapshot alike:
//
//	change<<4 | kind     1 byte
//	words<<4 | database  1 byte; words is how many follow: zeros at the end are left out.
//	                     0x80 is all databases. An Empty ends here.
//	key                  length (uvarint), bytes. A zero State ends here.
//	deadline             8 bytes
//	words                a uvarint each
//
// then, of a sliding log, its entries: a call of cost 1000 has 1000 equal ones, so
// they are told as runs of equal distances
//
//	from, count          uvarints
//	times, distance      a run: uvarint, varint; the first is from the deadline
//
// and of a concurrency key, its leases:
//
//	count                uvarint
//	token, until         length (uvarint), bytes; uvarint, 0 for given back
//
// Numbers of fixed length are little-endian.

const everyDB = 0x80

// appendRecord appends a record to b. It allocates no more than b needs to grow.
func appendRecord(b []byte, r *engine.Record) []byte {
	b = append(b, byte(r.Change)<<4|byte(r.State.Kind))
	if r.Key.DB == engine.AllDatabases {
		return append(b, everyDB)
	}
	words := len(r.State.Words)
	for words > 0 && r.State.Words[words-1] == 0 {
		words--
	}
	b = append(b, byte(words)<<4|byte(r.Key.DB))
	if r.Change == engine.Empty {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(r.Key.Name)))
	b = append(b, r.Key.Name...)
	if r.State.Kind == 0 {
		return b
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(r.State.Deadline))
	for _, w := range r.State.Words[:words] {
		b = binary.AppendUvarint(b, w)
	}
	switch r.State.Kind {
	case engine.KindSlidingLog:
		b = appendInstants(b, r)
	case engine.KindConcurrency:
		b = appendLeases(b, r.Leases)
	}
	return b
}

func appendInstants(b []byte, r *engine.Record) []byte {
	b = binary.AppendUvarint(b, r.From)
	b = binary.AppendUvarint(b, uint64(len(r.Instants)))
	before := r.State.Deadline
	for i := 0; i < len(r.Instants); {
		distance, times := r.Instants[i]-before, 0
		for ; i < len(r.Instants) && r.Instants[i]-before == distance; i++ {
			before = r.Instants[i]
			times++
		}
		b = binary.AppendUvarint(b, uint64(times))
		b = binary.AppendVarint(b, int64(distance))
	}
	return b
}

func appendLeases(b []byte, leases []engine.Lease) []byte {
	b = binary.AppendUvarint(b, uint64(len(leases)))
	for _, l := range leases {
		b = binary.AppendUvarint(b, uint64(len(l.Token)))
		b = append(b, l.Token...)
		b = binary.AppendUvarint(b, uint64(l.Until))
	}
	return b
}

var errRecord = errors.New("a record ends in the middle")

// readRecord reads the record at the head of b into r, whose slices it uses again,
// and returns what is behind it. The key stays a part of b.
func readRecord(b []byte, r *engine.Record) ([]byte, error) {
	c := cursor{b: b}
	r.From, r.Instants, r.Leases = 0, r.Instants[:0], r.Leases[:0]
	head, where := c.byte(), c.byte()
	r.Change = engine.Change(head >> 4)
	r.State = engine.State{Kind: engine.Kind(head & 0xf)}
	r.Key = engine.Key{DB: int(where & 0xf)}
	words := int(where>>4) & 0x7
	switch {
	case where == everyDB:
		r.Key.DB = engine.AllDatabases
	case where > everyDB || words > len(r.State.Words):
		return nil, errors.New("a record has more words than there are")
	}
	if r.Change != engine.Empty {
		r.Key.Name = c.take(c.uvarint())
		if r.State.Kind != 0 {
			c.state(r, words)
		}
	}
	if c.short {
		return nil, errRecord
	}
	return c.b, r.Valid()
}

// A cursor reads from b. Once short, what it has read is not worth a thing.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) state(r *engine.Record, words int) {
	if at := c.take(8); at != nil {
		r.State.Deadline = engine.Instant(binary.LittleEndian.Uint64(at))
	}
	for i := range words {
		r.State.Words[i] = c.uvarint()
	}
	switch r.State.Kind {
	case engine.KindSlidingLog:
		c.instants(r)
	case engine.KindConcurrency:
		c.leases(r)
	}
}

func (c *cursor) instants(r *engine.Record) {
	r.From = c.uvarint()
	left := c.uvarint()
	if left > engine.MaxLogUnits {
		c.short = true
	}
	at := r.State.Deadline
	for left > 0 && !c.short {
		times, distance := c.uvarint(), c.varint()
		if times == 0 || times > left {
			c.short = true
			return
		}
		for left -= times; times > 0; times-- {
			at += engine.Instant(distance)
			r.Instants = append(r.Instants, at)
		}
	}
}

func (c *cursor) leases(r *engine.Record) {
	for left := c.uvarint(); left > 0 && !c.short; left-- {
		token := c.take(c.uvarint())
		r.Leases = append(r.Leases, engine.Lease{Token: string(token), Until: engine.Instant(c.uvarint())})
	}
}

func (c *cursor) byte() byte {
	if len(c.b) == 0 {
		c.short = true
		return 0
	}
	x := c.b[0]
	c.b = c.b[1:]
	return x
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.short = true
		return nil
	}
	x := c.b[:n:n]
	c.b = c.b[n:]
	return x
}

func (c *cursor) uvarint() uint64 {
	x, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.short = true
		return 0
	}
	c.b = c.b[n:]
	return x
}

func (c *cursor) varint() int64 {
	x := c.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}
