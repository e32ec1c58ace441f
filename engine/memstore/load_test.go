package memstore

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"sluice/engine"
)

// A journal may be loaded in pieces of any length: records of a key stay in order, and
// none goes past a flush.
func TestLoadInPieces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		told := &tape{}
		s := &scene{rt, NewWith(Options{Journal: told}), t}
		defer s.store.Close()
		s.store.StopClock(noon)
		var all []engine.Record
		for range 60 {
			s.step()
		}
		for _, changes := range told.all() {
			all = append(all, changes...)
		}
		want := s.store.content()
		for _, piece := range []int{1, engine.MaxTogether + 1, max(1, len(all))} {
			again := New()
			again.StopClock(s.store.Now())
			for at := 0; at < len(all); at += piece {
				if err := again.Load(all[at:min(at+piece, len(all))]); err != nil {
					rt.Fatal(err)
				}
			}
			again.Loaded(0)
			compare(t, want, again.content())
			verify(t, again)
			again.Close()
		}
	})
}

// Blocks that are loaded at the same time, into a store that expects more or less.
func TestLoadSideBySide(t *testing.T) {
	const readers, keys = 4, 3 * loadBlock
	for _, expected := range []int64{0, readers * keys, 100 * readers * keys} {
		s := open(t)
		s.StopClock(noon)
		s.Expect(expected)
		var wg sync.WaitGroup
		for r := range readers {
			wg.Go(func() {
				records := make([]engine.Record, keys)
				for i := range records {
					records[i] = engine.Record{
						Change: engine.Put, Key: engine.Key{DB: r, Name: fmt.Append(nil, i)},
						State: engine.State{Kind: engine.KindGCRA, Deadline: noon + engine.Instant(1+i)},
					}
				}
				if err := s.Load(records); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s.Loaded(0)
		for db := range readers {
			if n, _ := s.Len(t.Context(), db); n != keys {
				t.Errorf("database %d has %d keys", db, n)
			}
		}
		verify(t, s)
	}
}

// What was gathered is as if it had been loaded record by record: of keys that come twice
// too, as they do in no snapshot that is whole, and with states in between that can't be
// gathered.
func TestLoadGathered(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const keys = 1000
		var records []engine.Record
		for range rapid.IntRange(1, 3000).Draw(rt, "records") {
			n := len(records) * 7919 % keys
			r := engine.Record{Change: engine.Put, Key: engine.Key{DB: n % 3, Name: fmt.Append(nil, n)}}
			r.State = engine.State{Kind: engine.KindGCRA, Deadline: noon + engine.Instant(1+len(records))}
			records = append(records, r)
		}
		for _, at := range rapid.SliceOfN(rapid.IntRange(0, len(records)-1), 0, 3).Draw(rt, "others") {
			r := &records[at]
			r.State.Kind, r.Leases = engine.KindConcurrency, []engine.Lease{{Token: "a", Until: r.State.Deadline}}
			if rapid.Bool().Draw(rt, "deleted") {
				r.State, r.Leases = engine.State{}, nil
			}
		}
		one, many := New(), New()
		defer one.Close()
		defer many.Close()
		for _, s := range []*Store{one, many} {
			s.StopClock(noon)
		}
		many.Expect(rapid.Int64Range(0, 2*int64(len(records))).Draw(rt, "expected"))
		for i := range records {
			if err := one.Load(records[i : i+1]); err != nil {
				rt.Fatal(err)
			}
		}
		if err := many.Load(records); err != nil {
			rt.Fatal(err)
		}
		one.Loaded(0)
		many.Loaded(0)
		compare(t, one.content(), many.content())
		verify(t, many)
	})
}

// That a shard can hold no more is told while it gathers, too.
func TestLoadGatheredIntoFullShard(t *testing.T) {
	s := open(t)
	s.StopClock(noon)
	names := crowd(s, 3*laneBytes/64, 64)
	s.Expect(int64(len(names)))
	load := func(names [][]byte) (err error) {
		for _, name := range names {
			r := engine.Record{Change: engine.Put, Key: engine.Key{Name: name}, State: engine.State{Kind: engine.KindGCRA, Deadline: never - 1}}
			err = errors.Join(err, s.Load([]engine.Record{r}))
		}
		return err
	}
	if err := load(names[:laneBytes/64]); err != nil {
		t.Fatal(err)
	}
	stuff(t, &s.shards[crowded])
	if err := load(names[laneBytes/64:]); !errors.Is(err, engine.ErrFull) {
		t.Errorf("error %v", err)
	}
	s.Loaded(0)
	if i := s.shards[crowded].find(s.hash(engine.Key{Name: names[0]}), engine.Key{Name: names[0]}); i < 0 {
		t.Error("what was let in can't be found")
	}
}
