package engine

import (
	"encoding/binary"
	"math/bits"
	"sort"
	"time"
)

// SlidingLog is the sliding window log: it keeps the instant of every unit, so
// it is exact, at eight bytes a unit. A unit exactly one window old no longer
// counts.
//
// Words: [0] the Window, [1] the position of the first instant in the log, [2]
// the position behind the last. The deadline is a window after the last.
var SlidingLog = &Algorithm{
	Kind:     KindSlidingLog,
	Name:     "sliding-log",
	Doc:      "sliding window log: exact, one entry a unit",
	Decide:   decideSlidingLog,
	SetBack:  setBackSlidingLog,
	Describe: describeSlidingLog,
}

// LogLimit is limit units (1 … MaxLogUnits) in any window, which is no calendar's.
func LogLimit(limit int64, w Window) (Limit, error) {
	if err := firstError(
		within("limit", limit, 1, MaxLogUnits),
		withinLength("window", w),
	); err != nil {
		return Limit{}, err
	}
	return Limit{Max: uint64(limit), Window: w}, nil
}

// A Log is a ring of instants, in order of time. An instant is found by its
// position, which counts from the beginning of the log and never means another
// one, so states before and after a call can share a Log: Decide writes only at
// positions that no state it was given counts.
type Log struct {
	ring []Instant // a power of two long
	lent bool
}

// smallLog is the least length of a ring.
const smallLog = 4

// NewLog is a log that holds instants at positions from first on.
func NewLog(first uint64, instants []Instant) *Log {
	l := &Log{ring: make([]Instant, ringLength(uint64(len(instants))))}
	for i, at := range instants {
		*l.at(first + uint64(i)) = at
	}
	return l
}

// LendLog is a log with room for n instants that a store uses for one state after the
// other. Such a state is good until the log gets the next one. The zero State may come
// with one, too: it is where the first entries are written.
func LendLog(n int) *Log { return &Log{ring: make([]Instant, ringLength(uint64(n))), lent: true} }

// Lent says whether the log was made by LendLog. It keeps its length.
func (l *Log) Lent() bool { return l.lent }

// AppendInstants appends what the state's log counts, eight bytes each, but for the
// last instant: the deadline tells that.
func (s *State) AppendInstants(b []byte) []byte {
	for p := s.Words[1]; p+1 < s.Words[2]; p++ {
		b = binary.LittleEndian.AppendUint64(b, uint64(*s.Log.at(p)))
	}
	return b
}

// ReadInstants makes a log, which is long enough, the state's, and fills it with what
// AppendInstants has appended.
func (s *State) ReadInstants(b []byte, l *Log) {
	s.Log = l
	for p := s.Words[1]; p+1 < s.Words[2]; p++ {
		*l.at(p) = Instant(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	*l.at(s.Words[2] - 1) = s.Deadline - Window(s.Words[0]).length()
}

// Ends is where the oldest and the newest instant of a state's log lie, for who will
// decide on it soon.
func (l *Log) Ends(s *State) (oldest, newest *Instant) {
	return l.at(s.Words[1]), l.at(s.Words[2] - 1)
}

// ringLength is the length of a ring for n instants.
func ringLength(n uint64) uint64 { return 1 << bits.Len64(max(n, smallLog)-1) }

func (l *Log) at(position uint64) *Instant { return &l.ring[position&uint64(len(l.ring)-1)] }

// instants is a copy of what a state's log counts.
func (s State) instants() []Instant {
	all := make([]Instant, 0, s.Words[2]-s.Words[1])
	for p := s.Words[1]; p < s.Words[2]; p++ {
		all = append(all, *s.Log.at(p))
	}
	return all
}

// Bytes is the memory that the log takes.
func (l *Log) Bytes() int { return 8 * len(l.ring) }

// entries is what of a log counts at one instant.
type entries struct {
	log        *Log
	first, end uint64
}

func decideSlidingLog(s State, r *Request) (after State, d Decision) {
	e := entriesAt(&s, r)
	d.RetryAfter = Never
	cost := uint64(max(r.Cost, 1))
	switch {
	case r.Cost < 0:
		e.end -= min(e.count(), uint64(-r.Cost))
	case e.count()+cost > r.Limit.Max:
		d.Limited = true
		if cost <= r.Limit.Max {
			d.RetryAfter = e.until(r.Limit.Max-cost, r)
		}
	case r.Cost > 0:
		e = e.with(cost, r.Now, s.Words[1])
	}
	e.into(&after, r.Limit.Window)
	d.Remaining = give(r.Limit.Max, e.count())
	d.ResetAfter = after.left(r.Now)
	if d.Limited || r.Cost == 0 {
		return s, d
	}
	return after, d
}

// entriesAt is what of a state still counts: none if its window is of another
// length, for then the key starts afresh.
func entriesAt(s *State, r *Request) entries {
	if s.Kind == 0 {
		return entries{log: s.Log}
	}
	if s.Deadline <= r.Now || Window(s.Words[0]) != r.Limit.Window {
		return entries{}
	}
	e := entries{s.Log, s.Words[1], s.Words[2]}
	from := r.Now - r.Limit.Window.length()
	if *e.log.at(e.first) > from {
		return e
	}
	gone := sort.Search(int(e.count()), func(i int) bool { return *e.log.at(e.first + uint64(i)) > from })
	e.first += uint64(gone)
	return e
}

func (e entries) count() uint64 { return e.end - e.first }

// until is the time until no more than room of the entries, who are more, count.
func (e entries) until(room uint64, r *Request) time.Duration {
	last := *e.log.at(e.end - room - 1)
	return time.Duration(last + r.Limit.Window.length() - r.Now)
}

// with adds n entries at now. What the state before, from position keep on, counts
// is not written over.
func (e entries) with(n uint64, now Instant, keep uint64) entries {
	e = e.grown(n, keep)
	for ; n > 0; n-- {
		e.add(now)
	}
	return e
}

// grown is the entries in a log with room for n more behind position keep.
func (e entries) grown(n, keep uint64) entries {
	if e.log == nil {
		e.log = NewLog(e.first, nil)
		keep = e.first
	}
	if need, have := e.end+n-keep, uint64(len(e.log.ring)); need > have || need < have/8 && !e.log.lent {
		e.log = e.log.copy(e.first, e.end, need)
	}
	return e
}

func (e *entries) add(at Instant) {
	*e.log.at(e.end) = at
	e.end++
}

// copy is a log with room for n instants that holds those between two positions.
func (l *Log) copy(first, end, n uint64) *Log {
	c := &Log{ring: make([]Instant, ringLength(n))}
	for p := first; p < end; p++ {
		*c.at(p) = *l.at(p)
	}
	return c
}

// into makes a zero state that of the entries: it stays zero if there are none.
func (e entries) into(s *State, w Window) {
	if e.count() == 0 {
		return
	}
	s.Kind, s.Deadline = KindSlidingLog, *e.log.at(e.end - 1)+w.length()
	s.Words[0], s.Words[1], s.Words[2] = uint64(w), e.first, e.end
	s.Log = e.log
}

// setBackSlidingLog moves every entry with the clock.
func setBackSlidingLog(s State, from, to Instant) State {
	s = keepDistance(s, from, to).Clone()
	for p := s.Words[1]; p < s.Words[2]; p++ {
		*s.Log.at(p) -= from - to
	}
	return s
}

// continues says whether the state's log is the one of a state before it, some
// entries later.
func (s State) continues(before State) bool {
	return before.Kind == KindSlidingLog && before.Words[0] == s.Words[0]
}

// amendLog is Restore for an Amend of a sliding log.
func (r *Record) amendLog(s State) State {
	if !r.State.continues(s) || r.From < s.Words[1] || r.From > s.Words[2] {
		return s
	}
	e := entries{s.Log, s.Words[1], r.From}.grown(uint64(len(r.Instants)), s.Words[1])
	for _, at := range r.Instants {
		e.add(at)
	}
	s = r.State
	s.Words[1] = max(s.Words[1], e.first)
	s.Log = e.log
	return s
}

// validLog says whether a record's entries are those that its state names.
func (r *Record) validLog() bool {
	first, end, n := r.State.Words[1], r.State.Words[2], uint64(len(r.Instants))
	return first <= r.From && r.From <= end && end-r.From == n && end-first <= MaxLogUnits && first < end &&
		(r.Change == Amend || r.From == first)
}
