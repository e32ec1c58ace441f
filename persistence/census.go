package persistence

import (
	"hash/maphash"
	"sync"

	"sluice/engine"
)

// A tally counts records by the kind of their states.
type tally struct {
	mu    sync.Mutex
	kinds map[engine.Kind]int64
}

func (t *tally) load(records []engine.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kinds == nil {
		t.kinds = map[engine.Kind]int64{}
	}
	for i := range records {
		t.kinds[records[i].State.Kind]++
	}
	return nil
}

// A census counts keys, by what became of them in the end. It knows them by their
// hashes.
type census struct {
	mu   sync.Mutex
	seed maphash.Seed
	keys [engine.MaxDatabases]map[uint64]resident
}

type resident struct {
	kind     engine.Kind
	deadline engine.Instant
}

func (c *census) load(records []engine.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seed == (maphash.Seed{}) {
		c.seed = maphash.MakeSeed()
	}
	for i := range records {
		c.count(&records[i])
	}
	return nil
}

func (c *census) count(r *engine.Record) {
	if r.Key.DB == engine.AllDatabases {
		c.keys = [engine.MaxDatabases]map[uint64]resident{}
		return
	}
	keys := &c.keys[r.Key.DB]
	if r.Change == engine.Empty || *keys == nil {
		*keys = map[uint64]resident{}
	}
	if r.Change != engine.Empty {
		(*keys)[maphash.Bytes(c.seed, r.Key.Name)] = resident{r.State.Kind, r.State.Deadline}
	}
}

// kinds is how many keys there are whose states are not over at an instant.
func (c *census) kinds(at engine.Instant) map[engine.Kind]int64 {
	kinds := map[engine.Kind]int64{}
	for _, keys := range c.keys {
		for _, k := range keys {
			if k.kind != 0 && k.deadline > at {
				kinds[k.kind]++
			}
		}
	}
	return kinds
}
