package engine

import (
	"context"
	"errors"
	"time"
)

// A Key is what is limited: any bytes (at most MaxKeyBytes) in a numbered database.
type Key struct {
	DB   int // 0 … MaxDatabases-1
	Name []byte
}

// A Call is a request with its key and its algorithm.
type Call struct {
	Key       Key
	Algorithm *Algorithm
	Request   // its Now is the store's to set
}

// An Entry is a key with its state, as a store lists it.
type Entry struct {
	Key   Key
	State State
}

// ErrWrongKind says that the key holds a state of another algorithm.
var ErrWrongKind = errors.New("the key holds a state of another algorithm")

// ErrFull says that the store has no room for another key.
var ErrFull = errors.New("the store has no room for another key")

// A Store keeps the states of keys. It owns the clock and atomicity: every method
// is atomic for all its callers, unless it says otherwise. A key whose state is
// over does not exist, whether or not its memory has been taken back yet.
type Store interface {
	// Now is the store's time.
	Now() Instant

	// Take decides a call and keeps the new state. A call that is refused, or
	// answered with an error, leaves no trace. The call is not kept.
	Take(context.Context, *Call) (Decision, error)

	// TakeAll decides 1 to MaxParts calls, no two of one key, as one (see DecideAll):
	// all are granted, or nothing is taken from any. It fills decisions, which are as
	// many; after an error they mean nothing.
	TakeAll(ctx context.Context, calls []Call, decisions []Decision) error

	// Lease carries a call about leases out (see LeaseCall.Decide).
	Lease(context.Context, *LeaseCall) (d Decision, held bool, err error)

	// Get is the state of a key, zero if it does not exist. Its Log is the store's:
	// only whether it is the same as another may be asked, or, within Exclusively,
	// what Describe tells.
	Get(context.Context, Key) (State, error)

	// Delete makes a key untouched, and says whether it existed.
	Delete(context.Context, Key) (bool, error)

	// Scan calls yield with keys of a database, about count of them, from a cursor
	// on, and returns the cursor to go on from, 0 at the end. A whole walk from 0
	// to 0 meets every key that exists all the while at least once. Not atomic:
	// keys may come and go meanwhile. The entry's name is yield's to keep.
	Scan(ctx context.Context, db int, cursor uint64, count int, yield func(Entry)) (uint64, error)

	// Random is some key of a database, false if it has none.
	Random(ctx context.Context, db int) (Entry, bool, error)

	// Len is how many keys a database has. Keys that are over may count until
	// their memory is taken back, at most two seconds later.
	Len(ctx context.Context, db int) (int64, error)

	// Flush makes all keys of a database untouched; all of them if db is AllDatabases.
	Flush(ctx context.Context, db int) error

	// Exclusively runs f while nobody else touches the keys, or any key at all if
	// none is named. f must use the store it is given, for these keys only.
	Exclusively(keys []Key, f func(Store))

	// Size is the memory that a key and its state take, 0 if it does not exist.
	Size(context.Context, Key) (int64, error)

	// Usage is what the store has used and done since it was made.
	Usage() Usage

	TestClock
}

// MaxParts is the most calls that TakeAll decides as one.
const MaxParts = 16

// A Near store has its keys in the memory of this process: no call waits for more
// than a lock.
type Near interface {
	Store

	// Together runs f while nobody else touches the keys, at one instant. f may only
	// use the store it is given, for nothing but Take, TakeAll and Lease with these
	// keys. For calls that have come at once this is faster than one by one: what they
	// need of memory is fetched together.
	Together(keys []Key, f func(Store))
}

// MaxTogether is the most keys that Together takes.
const MaxTogether = 16

// Usage is what a store has used and done.
type Usage struct {
	Bytes   int64 // of memory that keys and their states take
	Expired int64 // keys whose memory was taken back because they were over
	Evicted int64 // keys that were forgotten early to make room
}

// AllDatabases stands for every database.
const AllDatabases = -1

// A TestClock is a test's hand on the store's clock. Setting it back grants
// nothing: every state is carried over (see Algorithm.SetBack).
type TestClock interface {
	StopClock(at Instant)
	AdvanceClock(by time.Duration)
	RealClock()
}
