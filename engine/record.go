package engine

import "errors"

// A Change says what a Record does to its key.
type Change uint8

// The changes. The numbers are in files on disk: they are never reused.
const (
	// Put gives the key this state in the place of any other. The zero State
	// makes it untouched.
	Put Change = 1
	// Amend is Put for states too large to be told whole each time: it adds to
	// the entries or the leases that the key has.
	Amend Change = 2
	// Empty makes every key of a database untouched, or of AllDatabases.
	Empty Change = 3
)

// A Record tells what became of a key, in full and without its history: whoever
// applies a key's records in their order arrives at its state, whether or not he
// has applied some of them before. It needs no algorithm and no clock for that.
type Record struct {
	Change Change
	Key    Key   // of Empty: the database only
	State  State // without its Log

	// Instants are the entries of a sliding log from position From on, up to the
	// end that the state names. A Put has them all.
	From     uint64
	Instants []Instant

	// Leases are the leases of a concurrency key: of a Put all, of an Amend those
	// that have changed, with an Until of 0 if they were given back. The state of
	// such a record is no more than a kind and a deadline.
	Leases []Lease
}

// ErrUnkept says that no change can be made because none could be kept: the
// journal can't be written. What changes nothing is answered as ever.
var ErrUnkept = errors.New("changes can not be written to disk")

// A Journal is told of every change that is made in a store, so that a store can
// be made again, of keys that a full store forgets too. (What comes to its natural
// end is no change.)
type Journal interface {
	// Refuses is why no change may be made now, ErrUnkept or an error that wraps
	// it, or nil. A store asks before it changes anything.
	Refuses() error

	// Append notes changes that were made at an instant as one: all of them will
	// be found again, or none. It is called under the locks of the keys, so that
	// records of a key are in order, and does not wait for any device. It does not
	// keep the records.
	Append(at Instant, changes []Record)
}

// A Keeper is a store that can be written down and made again.
type Keeper interface {
	Store

	// Dump calls yield with every key, a Put each, some at a time. A key that
	// changes meanwhile is told as it was at some instant of the dump; no lock is
	// held while yield runs. Records are good until it returns.
	Dump(yield func([]Record) error) error

	// Expect says that about so many keys are going to be loaded.
	Expect(keys int64)

	// Load applies records. Nothing is told to the journal, and bounds on memory
	// don't count. Several may load at a time if their keys differ. What is over
	// may stay until Loaded.
	Load([]Record) error

	// Loaded ends loading. The records tell of instants up to newest: if the store's
	// clock is behind it, every state is carried over (see Algorithm.SetBack).
	Loaded(newest Instant)
}

// Note makes r the record of a key whose state has become after from before, both
// as seen at the instant of the change. Leases are the caller's to add. It keeps
// no part of the states, and none of the name but the slice.
func (r *Record) Note(k Key, before, after State) {
	r.Change, r.Key, r.State = Put, k, after
	r.State.Log = nil
	if after.Kind == KindConcurrency {
		r.State.Words = [3]uint64{} // they say no more than the leases
	}
	r.From, r.Instants, r.Leases = 0, r.Instants[:0], r.Leases[:0]
	if after.Log == nil {
		return
	}
	r.From = after.Words[1]
	if after.continues(before) {
		r.Change = Amend
		r.From = min(before.Words[2], after.Words[2])
	}
	for p := r.From; p < after.Words[2]; p++ {
		r.Instants = append(r.Instants, *after.Log.at(p))
	}
}

// Restore is the state of a key after the record, if it was s. An Amend that does
// not follow from s is older than s, and changes nothing: those that do will come.
func (r *Record) Restore(s State) State {
	switch {
	case r.Change == Put && r.State.Kind == KindSlidingLog:
		s = r.State
		s.Log = NewLog(r.From, r.Instants)
		return s
	case r.Change == Amend && r.State.Kind == KindSlidingLog:
		return r.amendLog(s)
	}
	return r.State
}

// RestoreLeases is Restore for the leases of a concurrency key.
func (r *Record) RestoreLeases(l Leases) {
	if r.Change == Put {
		for l.Len() > 0 {
			l.DeleteFirst()
		}
	}
	for _, lease := range r.Leases {
		if lease.Until == 0 {
			l.Delete(lease.Token)
			continue
		}
		l.Set(lease)
	}
}

// Valid says what of a record that was read somewhere can't be, or nil.
func (r *Record) Valid() error {
	switch k := r.State.Kind; {
	case r.Change == Empty && r.Key.DB == AllDatabases:
		return nil
	case r.Key.DB < 0 || r.Key.DB >= MaxDatabases:
		return errors.New("no such database")
	case r.Change == Empty:
		return nil
	case r.Change != Put && r.Change != Amend:
		return errors.New("no such change")
	case len(r.Key.Name) > MaxKeyBytes:
		return errors.New("the key is too long")
	case k != 0 && k != KindConcurrency && k.Algorithm() == nil:
		return errors.New("no such kind of state")
	case k != KindConcurrency && len(r.Leases) > 0 || k != KindSlidingLog && len(r.Instants) > 0:
		return errors.New("the state has more than its kind")
	case r.Change == Amend && k != KindConcurrency && k != KindSlidingLog:
		return errors.New("nothing can be added to the state")
	case k == KindSlidingLog && !r.validLog():
		return errors.New("the entries are not those of the state")
	}
	return nil
}
