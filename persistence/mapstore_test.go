package persistence

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"

	"sluice/engine"
)

// A mapStore is a naive engine.Keeper: a map, and a clock that a test moves.
type mapStore struct {
	engine.Store // what is not below is not called
	mu           sync.Mutex
	clock        engine.Instant
	journal      engine.Journal
	keys         map[string]*held
	setBackFrom  engine.Instant

	chunk   int         // keys a yield of Dump
	between func(i int) // called before each yield of Dump, if not nil
	inLoad  func(n int) // called at each Load
}

type held struct {
	key    engine.Key
	state  engine.State
	leases leaseList
}

func newMapStore() *mapStore {
	return &mapStore{clock: 1_800_000_000_000_000_000, keys: map[string]*held{}, chunk: 100}
}

func keyOf(db int, name string) engine.Key { return engine.Key{DB: db, Name: []byte(name)} }

func id(k engine.Key) string { return fmt.Sprintf("%d/%s", k.DB, k.Name) }

func (s *mapStore) Now() engine.Instant { return s.clock }

func (s *mapStore) Len(_ context.Context, db int) (n int64, _ error) {
	for _, h := range s.keys {
		if h.key.DB == db {
			n++
		}
	}
	return n, nil
}

func (s *mapStore) at(k engine.Key) *held {
	h := s.keys[id(k)]
	if h == nil {
		h = &held{key: engine.Key{DB: k.DB, Name: slices.Clone(k.Name)}}
		s.keys[id(k)] = h
	}
	return h
}

func (s *mapStore) Load(records []engine.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inLoad != nil {
		s.inLoad(len(records))
	}
	for i := range records {
		s.load(&records[i])
	}
	return nil
}

func (s *mapStore) load(r *engine.Record) {
	if r.Change == engine.Empty {
		s.empty(r.Key.DB)
		return
	}
	h := s.at(r.Key)
	if r.State.Kind == engine.KindConcurrency {
		r.RestoreLeases(&h.leases)
		h.state = engine.LeaseState(&h.leases)
	} else {
		h.state, h.leases = r.Restore(h.state), nil
	}
	if h.state.Kind == 0 {
		delete(s.keys, id(r.Key))
	}
}

func (s *mapStore) empty(db int) {
	maps.DeleteFunc(s.keys, func(_ string, h *held) bool { return db == engine.AllDatabases || h.key.DB == db })
}

func (*mapStore) Expect(int64) {}

func (s *mapStore) Loaded(from engine.Instant) {
	if from <= s.clock {
		return
	}
	s.setBackFrom = from
	for _, h := range s.keys {
		if a := h.state.Kind.Algorithm(); a != nil {
			h.state = a.SetBack(h.state, from, s.clock)
		}
	}
}

func (s *mapStore) Dump(yield func([]engine.Record) error) error {
	names := slices.Sorted(maps.Keys(s.keys))
	var records []engine.Record
	for i, name := range names {
		if len(records) == 0 && s.between != nil {
			s.between(i)
		}
		if h := s.keys[name]; h != nil { // else it is gone by now
			records = append(records, h.put())
		}
		if len(records) < s.chunk && i < len(names)-1 {
			continue
		}
		if err := yield(records); err != nil {
			return err
		}
		records = records[:0]
	}
	return nil
}

// put is a key's record for a dump.
func (h *held) put() engine.Record {
	var r engine.Record
	if h.state.Kind == engine.KindConcurrency {
		return engine.Record{Change: engine.Put, Key: h.key, State: h.state, Leases: slices.Clone(h.leases)}
	}
	r.Note(h.key, engine.State{}, h.state)
	r.Change = engine.Put
	return r
}

// set gives keys states as one change.
func (s *mapStore) set(states map[string]engine.State) error {
	if err := s.journal.Refuses(); err != nil {
		return err
	}
	var records []engine.Record
	for _, name := range slices.Sorted(maps.Keys(states)) {
		records = append(records, s.change(keyOf(0, name), states[name]))
	}
	s.journal.Append(s.clock, records)
	return nil
}

func (s *mapStore) change(k engine.Key, after engine.State) (r engine.Record) {
	h := s.at(k)
	r.Note(h.key, h.state, after)
	h.state, h.leases = after, nil
	if after.Kind == 0 {
		delete(s.keys, id(k))
	}
	return r
}

// take carries a call about a sliding log out.
func (s *mapStore) take(name string, cost int64) error {
	if err := s.journal.Refuses(); err != nil {
		return err
	}
	limit, err := engine.LogLimit(50, engine.Window(1000))
	if err != nil {
		panic(err)
	}
	before := s.at(keyOf(0, name)).state.At(s.clock)
	if before.Kind != engine.KindSlidingLog {
		before = engine.State{}
	}
	after, _ := engine.SlidingLog.Decide(before, &engine.Request{Limit: limit, Cost: cost, Now: s.clock})
	if after.Equal(before) {
		s.tidy(name)
		return nil
	}
	s.at(keyOf(0, name)).state = before
	s.journal.Append(s.clock, []engine.Record{s.change(keyOf(0, name), after)})
	return nil
}

func (s *mapStore) tidy(name string) {
	if h := s.keys["0/"+name]; h != nil && h.state.Kind == 0 {
		delete(s.keys, "0/"+name)
	}
}

// lease carries a call about leases out.
func (s *mapStore) lease(name, token string, op engine.LeaseOp) error {
	if err := s.journal.Refuses(); err != nil {
		return err
	}
	h := s.at(keyOf(0, name))
	defer s.tidy(name)
	call := engine.LeaseCall{Key: h.key, Op: op, Token: token, Limit: 5, Lease: 3_600_000_000_000, Now: s.clock}
	before, had := h.leases.Get(token)
	call.Decide(&h.leases, before)
	after, has := h.leases.Get(token)
	if before == after && had == has {
		return nil
	}
	h.state = engine.LeaseState(&h.leases)
	r := engine.Record{Change: engine.Amend, Key: h.key, State: engine.State{Kind: engine.KindConcurrency, Deadline: h.state.Deadline},
		Leases: []engine.Lease{{Token: token, Until: after.Until}}}
	s.journal.Append(s.clock, []engine.Record{r})
	return nil
}

func (s *mapStore) flush(db int) error {
	if err := s.journal.Refuses(); err != nil {
		return err
	}
	s.empty(db)
	s.journal.Append(s.clock, []engine.Record{{Change: engine.Empty, Key: engine.Key{DB: db}}})
	return nil
}

// all tells every key in words that can be compared.
func (s *mapStore) all() map[string]string {
	all := map[string]string{}
	for name, h := range s.keys {
		if words := h.String(); words != "" {
			all[name] = words
		}
	}
	return all
}

// String tells what the next call can know of the key.
func (h *held) String() string {
	s := h.state
	if s.Kind == 0 {
		return ""
	}
	if s.Kind == engine.KindConcurrency {
		return fmt.Sprint("leases ", []engine.Lease(h.leases))
	}
	r := h.put()
	return fmt.Sprint(s.Kind, s.Deadline, s.Words, r.From, r.Instants)
}

// leaseList is engine.Leases over a sorted slice.
type leaseList []engine.Lease

func (l *leaseList) Get(token string) (engine.Lease, bool) {
	i := slices.IndexFunc(*l, func(x engine.Lease) bool { return x.Token == token })
	if i < 0 {
		return engine.Lease{}, false
	}
	return (*l)[i], true
}

func (l *leaseList) Set(lease engine.Lease) {
	l.Delete(lease.Token)
	*l = append(*l, lease)
	sort.Slice(*l, func(i, j int) bool {
		a, b := (*l)[i], (*l)[j]
		return a.Until < b.Until || a.Until == b.Until && a.Token < b.Token
	})
}

func (l *leaseList) Delete(token string) {
	*l = slices.DeleteFunc(*l, func(x engine.Lease) bool { return x.Token == token })
}

func (l *leaseList) Len() int { return len(*l) }

func (l *leaseList) End(i int) engine.Instant { return (*l)[i].Until }

func (l *leaseList) Add(lease engine.Lease) { l.Set(lease) }

func (l *leaseList) DeleteFirst() { *l = (*l)[1:] }
