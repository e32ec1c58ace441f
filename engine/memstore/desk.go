package memstore

import (
	"unsafe"

	"sluice/engine"
)

// A desk is where short content is spread out while it is used: one log, and the
// leases of one key, at a time.
type desk struct {
	log    *engine.Log
	leases *leases
}

// state reads a record, with its log: that of its box, or the desk's.
func (d *desk) state(rec record, boxes []box) (st engine.State) {
	d.read(rec, &boxes, &st)
	return st
}

// read is state, into a zero one. boxes is looked at only if there is a box.
func (d *desk) read(rec record, boxes *[]box, st *engine.State) {
	n, rest := rec.read(st)
	switch {
	case st.Kind != engine.KindSlidingLog:
	case n != 0:
		st.Log = (*boxes)[n].log
	default:
		st.ReadInstants(rest, d.blankLog())
	}
}

// blankLog is the desk's log. A call may add as many instants as are short to as many,
// and needs no other.
func (d *desk) blankLog() *engine.Log {
	if d.log == nil {
		d.log = engine.LendLog(2 * mostShortLog)
	}
	return d.log
}

// leasesIn is the leases of a record.
func (d *desk) leasesIn(rec record, boxes []box) *leases {
	var st engine.State
	n, rest := rec.read(&st)
	return d.leasesOf(&st, n, rest, &boxes)
}

// leasesOf is the leases of what was read of a record: those of its box, or the desk's.
func (d *desk) leasesOf(st *engine.State, n uint32, rest []byte, boxes *[]box) *leases {
	if n != 0 {
		return (*boxes)[n].leases
	}
	l := d.blankLeases()
	l.changes = st.Words[1]
	l.few.readShort(rest, int(st.Words[0]), st.Deadline)
	return l
}

// blankLeases is the desk's leases, with nothing in them.
func (d *desk) blankLeases() *leases {
	if d.leases == nil {
		d.leases = newLeases(&packer{})
		d.leases.lent = true
	}
	d.leases.clear()
	return d.leases
}

// whole is a Put of what a record holds. It shares no memory with it but the name.
func (d *desk) whole(rec record, boxes []box) engine.Record {
	r := engine.Record{}
	r.Note(engine.Key{DB: rec.db(), Name: rec.key()}, engine.State{}, d.state(rec, boxes))
	if r.State.Kind == engine.KindConcurrency {
		r.Leases = d.leasesIn(rec, boxes).items()
	}
	return r
}

// lentString is a string that is good until its bytes change.
func lentString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (s *shard) stateOf(rec record) engine.State { return s.desk.state(rec, s.boxes) }

func (s *shard) leasesIn(rec record) *leases { return s.desk.leasesIn(rec, s.boxes) }

func (s *shard) whole(rec record) engine.Record { return s.desk.whole(rec, s.boxes) }
