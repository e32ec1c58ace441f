// Package engine says what a rate limit means. It owns the words (key, limit,
// cost, decision, state), the algorithms as pure functions over them, the
// clock's type, and the contract every store keeps. It owns no storage, lock,
// socket or log, and imports the standard library only.
//
// The way of one call: a Request (the numbers, the cost, the instant) meets the
// State its key is in; the Algorithm answers with the State the key is in
// afterwards and a Decision to tell the caller. All arithmetic is in integers
// and exact: nothing is lost to rounding however a key is polled.
package engine

import (
	"slices"
	"time"
)

// An Instant is a moment in nanoseconds since the Unix epoch, on the store's clock.
type Instant int64

// Never, as a RetryAfter, says that no waiting can help or that none is needed.
const Never time.Duration = -1

// Bounds of the numbers a caller can send, as the wire contract fixes them.
const (
	MaxUnits     = 1_000_000_000_000 // limits, capacities and costs
	MaxRate      = 1_000_000_000     // units a second
	MaxWindow    = 366 * 24 * time.Hour
	MaxLogUnits  = 100_000 // the limit of a sliding log, which keeps one entry a unit
	MaxKeyBytes  = 4096
	MaxDatabases = 16

	// MaxFill is the longest a limit may take from used up to untouched. It
	// keeps every instant an algorithm can reach within 64 bits.
	MaxFill = 100 * 31_557_600 * time.Second // 100 years of 365.25 days
	// MaxInstant bounds the clock (in 2112): MaxFill, and what a clock that was
	// set back adds to it, still fit behind it.
	MaxInstant = Instant(4_500_000_000) * Instant(time.Second)
)

// A Limit holds the numbers of a call; each algorithm reads its own. Limits come
// from the constructors beside the algorithms, which refuse what is out of bounds.
type Limit struct {
	Max    uint64 // the most units that can ever be taken at once
	Rate   Rate   // how fast what was used comes back (GCRA and the buckets)
	Window Window // how long it counts (the windows)
}

// A Rate is Units every Per nanoseconds.
type Rate struct {
	Units uint64 // 1 … 10^15
	Per   uint64 // 1 … MaxFill
}

// A Request is one call, without its key.
type Request struct {
	Limit Limit
	// Cost is how many units the call takes, -MaxUnits … MaxUnits. 0 looks: the
	// decision is what a cost of 1 would get, the state stays. Below zero gives back.
	Cost int64
	// MaxWait is how long the caller is ready to wait for units that are
	// reserved now (token bucket only).
	MaxWait time.Duration
	Now     Instant
}

// A Decision is the answer to a Request. Durations are exact or, where the exact
// value is a fraction of a nanosecond, rounded up: waiting them is always enough.
type Decision struct {
	Limited bool
	// Remaining is what could be taken right now, after this call: 0 … Limit.Max.
	// A limit of 10 of which 3 are used has 7 remaining.
	Remaining uint64
	// RetryAfter, when limited, is the time until this same call would be granted
	// if nobody else came, or Never (more than the limit was asked for). When
	// granted it is the wait ahead of a reserved turn, or Never for no wait.
	RetryAfter time.Duration
	// ResetAfter is the time until the key is untouched again, 0 if it is.
	ResetAfter time.Duration
}

// A State is what a key has used. It is flat and comparable, and the zero State
// is a key never used. A state is over at its Deadline: from then on it and the
// zero State are the same to every call.
//
// Algorithms write it field by field where it is to be. One that was made elsewhere
// would be copied in larger pieces than it was written in, and the processor waits
// for that: it took as long as all the arithmetic.
type State struct {
	Kind     Kind
	Deadline Instant
	Words    [3]uint64 // the algorithm's own, drawn at the head of its file
	Log      *Log      // of a sliding log; else nil
}

// At is the state as a call at now sees it: the zero State once it is over.
func (s State) At(now Instant) State {
	if s.Deadline <= now {
		return State{}
	}
	return s
}

// Equal says whether two states are the same to every call. (== is stricter: it
// tells logs with the same instants apart.)
func (s State) Equal(o State) bool {
	if s.Log != nil && o.Log != nil && slices.Equal(s.instants(), o.instants()) {
		s.Log, s.Words[1], s.Words[2] = o.Log, o.Words[1], o.Words[2]
	}
	return s == o
}

// Clone is the state with a log of its own, for who goes on from one state in two
// directions.
func (s State) Clone() State {
	if s.Log != nil {
		s.Log = NewLog(s.Words[1], s.instants())
	}
	return s
}

// left is the time until the deadline, 0 once it has passed.
func (s *State) left(now Instant) time.Duration {
	return time.Duration(max(0, s.Deadline-now))
}

// clampUnits is n as a number of units: nothing below zero.
func clampUnits(n int64) uint64 { return uint64(max(0, n)) }

// give is what is left of n units after k are given back; never below zero.
func give(n, k uint64) uint64 { return n - min(n, k) }
