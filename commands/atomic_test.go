package commands

import (
	"sync"
	"testing"

	"sluice/engine/memstore"
)

// Two keys that come and go together are there both or not at all, for every command
// that names them.
func TestSeveralKeysAreOneCommand(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	const turns = 2000
	var wg sync.WaitGroup
	for range 2 {
		come, look := testSession(t, store), testSession(t, store)
		wg.Go(func() {
			for range turns {
				come.do("RL.ALL", "a", "FW.INCR", "1000000", "366d", "AND", "b", "FW.INCR", "1000000", "366d")
				if n := come.do("DEL", "a", "b").Number; n != 0 && n != 2 {
					t.Errorf("DEL finds %d of two keys", n)
				}
			}
		})
		wg.Go(func() {
			for range turns {
				if n := look.do("EXISTS", "a", "b").Number; n != 0 && n != 2 {
					t.Errorf("EXISTS finds %d of two keys", n)
				}
			}
		})
	}
	wg.Wait()
}

// A sliding log is written to in place: who inspects it meanwhile reads nothing that
// is being written. (The race detector is what this test is for.)
func TestInspectWhileWritten(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	hit, look := testSession(t, store), testSession(t, store)
	hit.do("SL.HIT", "log", "4", "60")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3000 {
			hit.do("SL.HIT", "log", "4", "60", "3")
			hit.do("SL.HIT", "log", "4", "60", "-3")
		}
	})
	wg.Go(func() {
		for range 3000 {
			entries := look.do("RL.INSPECT", "log").Items[7].Number
			if entries != 1 && entries != 4 {
				t.Errorf("%d entries", entries)
			}
		}
	})
	wg.Wait()
}
