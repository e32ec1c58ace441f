package memstore

import (
	"bytes"
	"testing"

	"sluice/engine"
)

// verify looks at a store that nobody uses from the inside: everything that two
// places know must agree, and no memory may be lost.
func verify(t testing.TB, s *Store) {
	t.Helper()
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	total, counts := 0, [engine.MaxDatabases]int64{}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		verifyIndex(t, sh)
		verifyPages(t, sh)
		total += sh.bytes
		for db, n := range sh.counts {
			counts[db] += int64(n)
		}
		sh.mu.Unlock()
	}
	if s.Usage().Bytes != int64(total) {
		t.Errorf("the store accounts for %d bytes, its shards for %d", s.Usage().Bytes, total)
	}
	for db, n := range counts {
		if got := s.length(db); got != n {
			t.Errorf("database %d has %d keys and counts %d", db, n, got)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

func verifyIndex(t testing.TB, s *shard) {
	t.Helper()
	used, keys := 0, 0
	for i, at := range s.index {
		if at != emptySlot {
			used++
		}
		if at == grave && s.index[s.after(i)] == emptySlot {
			t.Errorf("slot %d is a grave before an empty one", i)
		}
		if at.ref() == 0 {
			continue
		}
		keys++
		rec := s.record(at.ref())
		k := s.keyOf(rec)
		h := s.store.hash(k)
		if rec.kind() == 0 {
			t.Errorf("slot %d has a dead record", i)
		}
		if found := s.find(h, k); found != i || !at.mayBe(h) || s.store.shard(h) != s {
			t.Errorf("the key %.20q in slot %d is found in %d", k.Name, i, found)
		}
	}
	if used != int(s.used) || keys != s.keys() {
		t.Errorf("%d slots used, %d noted; %d keys, %d noted", used, s.used, keys, s.keys())
	}
	if n := len(s.index); n > 0 && used > n*13/16 {
		t.Errorf("%d of %d slots are used", used, n)
	}
}

func verifyPages(t testing.TB, s *shard) {
	t.Helper()
	spare := map[int]bool{}
	for _, n := range s.spare {
		if spare[int(n)] || s.pages[n].data != nil {
			t.Errorf("page %d is spare twice, or full", n)
		}
		spare[int(n)] = true
	}
	keys, total := 0, 4*len(s.index)+cap(s.pages)*pageHeader+verifyBoxes(t, s)
	for n := range s.pages {
		p := &s.pages[n]
		live := 0
		s.records(n, func(r ref, rec record) {
			live += len(rec)
			keys++
			if rec.deadline() < p.due || rec.deadline() < s.due {
				t.Errorf("a record is over at %d, its page at %d, its shard at %d", rec.deadline(), p.due, s.due)
			}
			k := s.keyOf(rec)
			if i := s.find(s.store.hash(k), k); i < 0 || s.index[i].ref() != r {
				t.Errorf("the record of %.20q is not the index's", k.Name)
			}
		})
		total += cap(p.data)
		switch {
		case live != p.live:
			t.Errorf("page %d has %d live bytes and notes %d", n, live, p.live)
		case spare[n] != (p.data == nil):
			t.Errorf("page %d is spare: %v, is given back: %v", n, spare[n], p.data == nil)
		case live == 0 && p.data != nil && n != int(s.newest):
			t.Errorf("page %d is quite dead and was not given back", n)
		case cap(p.data) > pageBytes:
			t.Errorf("page %d has %d bytes", n, cap(p.data))
		}
	}
	if keys != s.keys() || total != s.bytes {
		t.Errorf("%d records for %d keys; %d bytes, %d noted", keys, s.keys(), total, s.bytes)
	}
}

// verifyBoxes checks that each box is one record's or spare, and is their bytes.
func verifyBoxes(t testing.TB, s *shard) (total int) {
	t.Helper()
	owners := make([]int, len(s.boxes))
	for _, at := range s.index {
		if at.ref() != 0 {
			rec := s.record(at.ref())
			if n := rec.box(); n != 0 {
				owners[n]++
				if b := s.boxes[n]; (b.log != nil) != (rec.kind() == engine.KindSlidingLog) || b.size() != b.bytes {
					t.Errorf("box %d of kind %d holds %+v", n, rec.kind(), b)
				}
			}
		}
	}
	for _, n := range s.spareBoxes {
		owners[n]++
		if s.boxes[n] != (box{}) {
			t.Errorf("the spare box %d is not empty", n)
		}
	}
	for n, owned := range owners {
		if n > 0 && owned != 1 {
			t.Errorf("box %d has %d owners", n, owned)
		}
		total += s.boxes[n].bytes
	}
	return total
}

// crowded is the shard that tests of one shard use.
const crowded = 77

// crowd makes n different names of a length that share that shard, in database 0.
func crowd(s *Store, n, length int) (names [][]byte) {
	name := make([]byte, length)
	for i := uint64(0); len(names) < n; i++ {
		for j := 0; j < length && j < 8; j++ {
			name[j] = byte(i >> (8 * j))
		}
		if s.shard(s.hash(engine.Key{Name: name})) == &s.shards[crowded] {
			names = append(names, bytes.Clone(name))
		}
	}
	return names
}

// scaled is how much to do: less under the race detector.
func scaled(n, underRace int) int {
	if raced {
		return underRace
	}
	return n
}
