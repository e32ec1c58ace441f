package memstore

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"sluice/engine"
)

// A lane is the way of records into some neighbouring shards.
//
// While a snapshot is loaded into an empty store, it gathers: records wait until there
// are many, and are then written into the pages as they are, without a look at an index.
// What has come is put into the indexes in the end, shard by shard: an index that is
// made at once lies in the processor's cache, one that keys come to from everywhere is
// a wait for memory each time.
type lane struct {
	mu      sync.Mutex
	store   *Store
	shards  []shard
	each    int // keys that a shard will have
	gathers bool
	waiting []byte // records as they will lie in a page, each behind its hash
}

const (
	laneBits   = 5
	laneCount  = 1 << laneBits
	laneShards = shardCount / laneCount
	laneBytes  = 64 << 10 // what may wait: a longer record than there can be has room, and the cache has, too
	hashBytes  = 8
	_          = uint(tallyShards - laneShards) // a lane's shards count in one place
)

func laneOf(h uint64) int { return int(h >> (64 - laneBits)) }

// expect prepares for so many keys in each shard, and gathers them if there are none.
func (l *lane) expect(each int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lockShards()
	defer l.unlockShards()
	l.each, l.gathers = each, true
	for i := range l.shards {
		sh := &l.shards[i]
		if each > sh.keys() {
			sh.reservePages(each * leastRecord / pageBytes)
		}
		l.gathers = l.gathers && sh.keys() == 0
	}
}

func (l *lane) lockShards() {
	for i := range l.shards {
		l.store.lock(&l.shards[i])
	}
}

func (l *lane) unlockShards() {
	for i := range l.shards {
		l.store.unlock(&l.shards[i])
	}
}

// take takes those of the records that belong here, in their order.
func (l *lane) take(records []engine.Record, hashes []uint64, which []uint16) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.gathers && len(which) > 0 {
		r, h := &records[which[0]], hashes[which[0]]
		if r.Change != engine.Put || r.State.Kind == 0 || boxed(r.State.Kind) {
			if err := l.settle(); err != nil {
				return err
			}
			break
		}
		if err := l.gather(r, h); err != nil {
			return err
		}
		which = which[1:]
	}
	for len(which) > 0 {
		g := loadGroup{store: l.store}
		for _, i := range which[:min(len(which), engine.MaxTogether)] {
			g.add(&records[i], hashes[i])
		}
		if err := g.load(); err != nil {
			return err
		}
		which = which[g.n:]
	}
	return nil
}

// gather has a record wait that says all there is of its key.
func (l *lane) gather(r *engine.Record, h uint64) error {
	var buf [maxWords]byte
	words := appendWords(buf[:0], &r.State, 0)
	size := hashBytes + recordSize(r.Key.Name, len(words))
	if l.waiting == nil {
		l.waiting = make([]byte, 0, laneBytes)
	}
	if len(l.waiting)+size > laneBytes {
		if err := l.write(); err != nil {
			return err
		}
	}
	at := len(l.waiting)
	l.waiting = l.waiting[:at+size]
	binary.LittleEndian.PutUint64(l.waiting[at:], h)
	writeRecord(l.waiting[at+hashBytes:], r.Key, &r.State, words)
	return nil
}

// write writes what waits into pages.
func (l *lane) write() (err error) {
	l.lockShards()
	defer l.unlockShards()
	now := l.store.clock.Now()
	var added [engine.MaxDatabases]int64
	for b := l.waiting; len(b) > 0 && err == nil; {
		sh, rec := l.store.shard(binary.LittleEndian.Uint64(b)), record(b[hashBytes:])
		rec = rec[:rec.size()]
		b = b[hashBytes+len(rec):]
		if rec.deadline() <= now {
			continue
		}
		if err = sh.append(rec); err == nil {
			added[rec.db()]++
		}
	}
	for db, n := range added { // at once: what several processors count in takes its time
		if n > 0 {
			l.shards[0].tally[db].Add(n)
		}
	}
	l.waiting = l.waiting[:0]
	return err
}

// append puts a record of a new key behind the others, which neither the index nor the
// tally knows of yet.
func (s *shard) append(rec record) error {
	r := s.allocate(len(rec))
	if r == 0 {
		return engine.ErrFull
	}
	copy(s.record(r), rec)
	s.dueBy(r, rec.deadline())
	s.counts[rec.db()]++
	return nil
}

// settle ends gathering: what has come can be found from now on.
func (l *lane) settle() error {
	if !l.gathers {
		return nil
	}
	err := l.write()
	l.gathers, l.waiting = false, nil
	l.lockShards()
	defer l.unlockShards()
	for i := range l.shards {
		l.shards[i].indexAll(l.each)
	}
	return err
}

// indexAll makes the index of what lies in the pages. A snapshot that has a key twice is
// not as it was written: the later record counts.
func (s *shard) indexAll(least int) {
	keys := max(s.keys(), least)
	s.makeIndex(keys + keys/16)
	s.index[0] = emptySlot
	s.store.large.back(unsafe.Pointer(&s.index[0]), len(s.index)*int(unsafe.Sizeof(emptySlot)))
	clear(s.index) // it is empty, but now the cache has it
	for n := range s.pages {
		s.records(n, func(r ref, rec record) {
			k := s.keyOf(rec)
			h := s.store.hash(k)
			if i := s.find(h, k); i >= 0 {
				s.remove(i)
			}
			s.enter(h, r)
		})
	}
}

// settle ends gathering in all lanes, on all processors.
func (s *Store) settle() error {
	var next atomic.Int32
	var errs [laneCount]error
	var settlers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		settlers.Go(func() {
			for n := next.Add(1) - 1; n < laneCount; n = next.Add(1) - 1 {
				l := &s.lanes[n]
				l.mu.Lock()
				errs[n] = l.settle()
				l.mu.Unlock()
			}
		})
	}
	settlers.Wait()
	return cmp.Or(errs[:]...)
}
