package commands

import "sluice/engine"

// A Reply is what a command answers, as a value: nothing has been written yet and
// no protocol version is chosen. The zero Reply is no answer at all.
type Reply struct {
	Kind   ReplyKind
	Ends   bool // the connection ends behind it
	Late   bool // what was pushed before goes out before it; else the pushes wait for it
	Kept   bool // it tells of a change: nobody may see it before that is kept
	Number int64
	Text   string   // Simple, Failure, Bulk, Leasing
	Bytes  []byte   // BulkBytes
	Items  []Reply  // Array, Set, Push, Sequence; Map: key, value, key, value …
	Five   [5]int64 // Limiting, Leasing
}

// A ReplyKind is the type of a reply.
type ReplyKind uint8

// The kinds of reply. Where RESP2 has no such type it gets the nearest it has.
const (
	NoReply   ReplyKind = iota
	Simple              // +text
	Failure             // -text
	Integer             // :number
	Bulk                // $text
	BulkBytes           // $bytes
	Null                // RESP3 _, RESP2 $-1
	NullArray           // RESP3 _, RESP2 *-1
	Array               // *items
	Map                 // RESP3 %, RESP2 a flat array
	Set                 // RESP3 ~, RESP2 an array
	Push                // RESP3 >, RESP2 an array: what nobody asked for
	Sequence            // the items one after the other, several replies to one command
	Limiting            // *5 integers, the reply of every limiting command
	Leasing             // *6: five integers, and the text as $text, or null if it is empty
)

// OK is Redis's +OK.
var OK = Reply{Kind: Simple, Text: "OK"}

func simple(text string) Reply { return Reply{Kind: Simple, Text: text} }

func integer(n int64) Reply { return Reply{Kind: Integer, Number: n} }

func bulk(text string) Reply { return Reply{Kind: Bulk, Text: text} }

func bulkBytes(b []byte) Reply { return Reply{Kind: BulkBytes, Bytes: b} }

func null() Reply { return Reply{Kind: Null} }

func array(items ...Reply) Reply { return Reply{Kind: Array, Items: items} }

// mapOf is a map of the items, which are keys and values in turn.
func mapOf(items ...Reply) Reply { return Reply{Kind: Map, Items: items} }

func push(items ...Reply) Reply { return Reply{Kind: Push, Items: items} }

// Size is about how many bytes a reply takes while it waits and on its way.
func (r *Reply) Size() int {
	const overhead = 32
	n := overhead + len(r.Text) + len(r.Bytes)
	for i := range r.Items {
		n += r.Items[i].Size()
	}
	return n
}

func bulks(texts []string) Reply {
	r := Reply{Kind: Array, Items: make([]Reply, len(texts))}
	for i, text := range texts {
		r.Items[i] = bulk(text)
	}
	return r
}

func boolean(b bool) Reply {
	if b {
		return integer(1)
	}
	return integer(0)
}

// limit makes a zero reply, or a limiting one, that of a limiting command: five integers,
// the times in a unit of so many nanoseconds, rounded up.
func (r *Reply) limit(max uint64, d *engine.Decision, unit int64) {
	r.Kind = Limiting
	// One by one: made as a whole they would be copied, sixteen bytes at a time, from
	// where eight at a time were just written, and the processor would wait for these.
	r.Five[0], r.Five[3] = 0, -1
	if d.Limited {
		r.Five[0] = 1
	}
	r.Five[1], r.Five[2] = int64(max), int64(d.Remaining)
	if d.RetryAfter >= 0 {
		r.Five[3] = ceilDiv(int64(d.RetryAfter), unit)
	}
	r.Five[4] = ceilDiv(int64(d.ResetAfter), unit)
}

// ceilDiv is n/unit rounded up, for n ≥ 0.
func ceilDiv(n, unit int64) int64 {
	q := n / unit
	if n%unit > 0 {
		q++
	}
	return q
}
