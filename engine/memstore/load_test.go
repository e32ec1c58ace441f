package memstore

import (
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
