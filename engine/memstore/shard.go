package memstore

import (
	"bytes"
	"slices"
	"sync"

	"sluice/engine"
)

// A shard is a hash table of its own under a lock of its own. Its index is open
// addressed with linear probing; a slot is a tag (eight bits of the hash) and the
// ref of a record. Neither index nor pages hold a pointer per key, so the garbage
// collector has nothing to walk.
//
// A key's home slot is what its hash leaves after the shard's number, scaled to the
// size of the index. So slots lie in the order of hashes whatever that size: that is
// what Scan's cursor counts on. And the size may be any: an index that grows by half
// is fuller than one that doubles.
type shard struct {
	// What a look at a record needs is one cache line.
	mu    sync.Mutex
	index []slot
	pages []page
	due   engine.Instant

	store  *Store
	tally  *tally
	used   int32    // slots of the index that are not empty, graves among them
	newest int32    // the page that is being filled, -1 for none
	spare  []uint16 // numbers of pages that were given back
	loose  bool     // a record has died since the last sweep
	lookAt int      // the page evictPage looked at
	bytes  int
	counts [engine.MaxDatabases]int32
	inner  Store // for Together by who locks this shard first

	desk       desk
	desks      []desk // for the parts of a TakeAll by who locks this shard first
	boxes      []box  // by number; 0 is none
	spareBoxes []uint32
	changes    []engine.Record // in use while the journal is told of some
	group      *group          // of changes that are told as one, while who locked it makes such
	swells     bool            // it has, or had, content that grows after its key was let in
	_          [56]byte        // so that no two shards share a line of the cache

}

type slot uint32

const (
	emptySlot  slot = 0
	grave      slot = 1 << refBits // a record was here: probing goes on
	leastSlots      = 8
	homeBits        = 32 // of the hash, behind the shard's number, say where home is
	homeShift       = 64 - shardBits - homeBits
)

func newSlot(h uint64, r ref) slot { return slot(h&255)<<refBits | slot(r) }

func (s slot) ref() ref { return ref(s & (1<<refBits - 1)) }

// mayBe says whether the slot's record can be the one of a hash.
func (s slot) mayBe(h uint64) bool { return uint64(s>>refBits) == h&255 && s.ref() != 0 }

func (s *shard) home(h uint64) int {
	return int(uint64(uint32(h>>homeShift)) * uint64(len(s.index)) >> homeBits)
}

// homeBegins is the least of the hashes of a shard whose home is slot i, without the
// shard's number.
func (s *shard) homeBegins(i int) uint64 {
	n := uint64(len(s.index))
	return (uint64(i)<<homeBits + n - 1) / n << homeShift
}

// after is the slot behind slot i, and before is the one in front of it.
func (s *shard) after(i int) int {
	if i++; i < len(s.index) {
		return i
	}
	return 0
}

func (s *shard) before(i int) int {
	if i > 0 {
		return i - 1
	}
	return len(s.index) - 1
}

// find is the slot of a key, or -1.
func (s *shard) find(h uint64, k engine.Key) int {
	if len(s.index) == 0 {
		return -1
	}
	for i := s.home(h); ; i = s.after(i) {
		at := s.index[i]
		if at == emptySlot {
			return -1
		}
		if at.mayBe(h) {
			if rec := s.record(at.ref()); rec.db() == k.DB && bytes.Equal(rec.key(), k.Name) {
				return i
			}
		}
	}
}

// state is the state in a slot as now sees it.
func (s *shard) state(i int, now engine.Instant) (st engine.State) {
	s.read(i, now, &st)
	return st
}

// read is state, into a zero one.
func (s *shard) read(i int, now engine.Instant, st *engine.State) {
	if i < 0 {
		return
	}
	rec := s.record(s.index[i].ref())
	switch {
	case rec.deadline() <= now: // it is over: see State.At
	case boxed(rec.kind()):
		s.desk.read(rec, &s.boxes, st)
	default:
		rec.read(st)
	}
}

// put keeps a state, which is not zero, for the key whose slot is i, or -1, with what
// else there is of it, if it is of a kind that has more.
func (s *shard) put(h uint64, k engine.Key, i int, st *engine.State, content box) error {
	if i >= 0 && s.record(s.index[i].ref()).kind() != st.Kind {
		s.remove(i) // what was there is over: another algorithm has the key now
		i = -1
	}
	if boxed(st.Kind) {
		return s.putContent(h, k, i, st, content)
	}
	var buf [maxWords]byte
	words := appendWords(buf[:0], st, 0)
	return s.place(h, k, i, st, words, 0)
}

// place writes a state and the bytes of its words into the record of slot i, or into
// one that is new, with room for so many bytes of words more.
func (s *shard) place(h uint64, k engine.Key, i int, st *engine.State, words []byte, more int) error {
	if i < 0 {
		r, rec := s.room(h, recordSize(k.Name, len(words)+more))
		if r == 0 {
			return engine.ErrFull
		}
		s.write(r, rec, k, st, words)
		s.count(k.DB, 1)
		s.insert(h, r)
		return nil
	}
	old := s.index[i].ref()
	if s.record(old).set(st, words) {
		s.dueBy(old, st.Deadline)
		return nil
	}
	// The words have grown. That is no new key: the bound on memory lets it pass.
	size := recordSize(k.Name, len(words)+more)
	r := s.allocate(size)
	if r == 0 {
		return engine.ErrFull
	}
	s.write(r, s.record(r)[:size], k, st, words)
	s.index[i] = newSlot(h, r)
	s.release(old)
	return nil
}

func (s *shard) write(r ref, rec record, k engine.Key, st *engine.State, words []byte) {
	writeRecord(rec, k, st, words)
	s.dueBy(r, st.Deadline)
}

// count notes n keys more in a database.
func (s *shard) count(db, n int) {
	s.counts[db] += int32(n)
	s.tally[db].Add(int64(n))
}

func (s *shard) dueBy(r ref, deadline engine.Instant) {
	p := &s.pages[r.page()]
	p.due = min(p.due, deadline)
	s.due = min(s.due, deadline)
}

// remove takes the key in slot i out.
func (s *shard) remove(i int) {
	r := s.index[i].ref()
	s.freeBox(s.record(r).box())
	s.count(s.record(r).db(), -1)
	s.release(r)
	s.vacate(i)
}

// vacate makes slot i empty, or a grave where keys behind it are probed for.
func (s *shard) vacate(i int) {
	if s.index[s.after(i)] != emptySlot {
		s.index[i] = grave
		return
	}
	// Nothing is probed for past here: this slot and graves before it are free.
	s.index[i] = emptySlot
	s.used--
	for i = s.before(i); s.index[i] == grave; i = s.before(i) {
		s.index[i] = emptySlot
		s.used--
	}
}

// insert puts a record that was written into the index.
func (s *shard) insert(h uint64, r ref) {
	if s.crowded() {
		s.rehash() // which finds it
		return
	}
	s.enter(h, r)
}

func (s *shard) enter(h uint64, r ref) {
	i := s.home(h)
	for s.index[i] != emptySlot && s.index[i] != grave {
		i = s.after(i)
	}
	if s.index[i] == emptySlot {
		s.used++
	}
	s.index[i] = newSlot(h, r)
}

// crowded says that probing would take long if there were more in the index.
func (s *shard) crowded() bool { return int(s.used) >= len(s.index)*13/16 }

// rehash makes the index anew, without graves, with room for half as many keys more.
func (s *shard) rehash() {
	n := s.keys() + 1
	s.resize(n + n/2)
}

// slotsFor is how many slots it takes for so many keys not to crowd.
func slotsFor(keys int) int { return max(leastSlots, keys*16/13+1) }

// resize makes the index anew, in the size that fits so many keys. It goes by the
// pages: in the order of the old index every key would be a wait for memory.
func (s *shard) resize(keys int) {
	s.makeIndex(keys)
	for n := range s.pages {
		s.records(n, func(r ref, rec record) { s.enter(s.store.hash(s.keyOf(rec)), r) })
	}
}

// makeIndex makes an empty index of the size that fits so many keys.
func (s *shard) makeIndex(keys int) {
	had := len(s.index)
	s.index, s.used = slices.Grow([]slot(nil), slotsFor(keys)), 0
	s.index = s.index[:cap(s.index)]
	s.account(4 * (len(s.index) - had))
}

// sparse says that the index is far too large for its keys.
func (s *shard) sparse() bool { return len(s.index) > 2*leastSlots && s.keys() < len(s.index)/8 }

func (s *shard) keys() (n int) {
	for _, c := range s.counts {
		n += int(c)
	}
	return n
}

func (s *shard) keyOf(r record) engine.Key { return engine.Key{DB: r.db(), Name: r.key()} }

// account notes that the shard's memory grew by n bytes.
func (s *shard) account(n int) {
	s.bytes += n
	s.store.bytes.Add(int64(n))
}
