package commands

import (
	"context"
	"slices"
	"testing"
	"time"

	"sluice/engine"
)

// A naiveStore is a map to which the pure functions are applied, and nothing else:
// no bytes, no shards, no locks. What the vectors say of it they say of the
// functions. One goroutine at a time may use it.
type naiveStore struct {
	now    engine.Instant
	states map[watchedKey]engine.State
	leases map[watchedKey]*naiveLeases
}

var _ engine.Store = (*naiveStore)(nil)

func newNaiveStore() *naiveStore {
	return &naiveStore{states: map[watchedKey]engine.State{}, leases: map[watchedKey]*naiveLeases{}}
}

func place(k engine.Key) watchedKey { return watchedKey{k.DB, string(k.Name)} }

func (s *naiveStore) state(k engine.Key) engine.State { return s.states[place(k)].At(s.now) }

func (s *naiveStore) set(k engine.Key, st engine.State) {
	if s.states[place(k)] = st; st.Kind == 0 {
		delete(s.states, place(k))
	}
}

func (s *naiveStore) Now() engine.Instant { return s.now }

func (s *naiveStore) Take(_ context.Context, c *engine.Call) (engine.Decision, error) {
	before := s.state(c.Key)
	if before.Kind != 0 && before.Kind != c.Algorithm.Kind {
		return engine.Decision{}, engine.ErrWrongKind
	}
	c.Now = s.now
	after, d := c.Algorithm.Decide(before, &c.Request)
	s.set(c.Key, after)
	return d, nil
}

func (s *naiveStore) TakeAll(_ context.Context, calls []engine.Call, decisions []engine.Decision) error {
	before := make([]engine.State, len(calls))
	for i := range calls {
		calls[i].Now = s.now
		before[i] = s.state(calls[i].Key)
		if before[i].Kind != 0 && before[i].Kind != calls[i].Algorithm.Kind {
			return engine.ErrWrongKind
		}
	}
	after := make([]engine.State, len(calls))
	if engine.DecideAll(calls, before, after, decisions) {
		for i := range calls {
			s.set(calls[i].Key, after[i])
		}
	}
	return nil
}

func (s *naiveStore) Lease(_ context.Context, c *engine.LeaseCall) (engine.Decision, bool, error) {
	if k := s.state(c.Key).Kind; k != 0 && k != engine.KindConcurrency {
		return engine.Decision{}, false, engine.ErrWrongKind
	}
	l := s.leases[place(c.Key)]
	if l == nil {
		l = &naiveLeases{}
		s.leases[place(c.Key)] = l
	}
	c.Now = s.now
	had, _ := l.Get(c.Token)
	d, held := c.Decide(l, had)
	s.set(c.Key, engine.LeaseState(l))
	return d, held, nil
}

func (s *naiveStore) Get(_ context.Context, k engine.Key) (engine.State, error) {
	return s.state(k), nil
}

func (s *naiveStore) Delete(_ context.Context, k engine.Key) (bool, error) {
	existed := s.state(k).Kind != 0
	s.set(k, engine.State{})
	delete(s.leases, place(k))
	return existed, nil
}

func (s *naiveStore) Scan(_ context.Context, db int, _ uint64, _ int, yield func(engine.Entry)) (uint64, error) {
	for k, st := range s.states {
		if k.db == db && st.At(s.now).Kind != 0 {
			yield(engine.Entry{Key: k.key(), State: st})
		}
	}
	return 0, nil
}

func (s *naiveStore) Random(ctx context.Context, db int) (e engine.Entry, ok bool, err error) {
	_, err = s.Scan(ctx, db, 0, 1, func(found engine.Entry) { e, ok = found, true })
	return e, ok, err
}

func (s *naiveStore) Len(ctx context.Context, db int) (n int64, err error) {
	_, err = s.Scan(ctx, db, 0, 1, func(engine.Entry) { n++ })
	return n, err
}

func (s *naiveStore) Flush(context.Context, int) error {
	clear(s.states)
	clear(s.leases)
	return nil
}

func (s *naiveStore) Exclusively(_ []engine.Key, f func(engine.Store)) { f(s) }

func (s *naiveStore) Size(context.Context, engine.Key) (int64, error) { return 1, nil }

func (s *naiveStore) Usage() engine.Usage { return engine.Usage{} }

func (s *naiveStore) StopClock(at engine.Instant) { s.now = at }

func (s *naiveStore) AdvanceClock(by time.Duration) { s.now += engine.Instant(by) }

func (s *naiveStore) RealClock() { s.now = engine.Instant(time.Now().UnixNano()) }

// naiveLeases is a slice in the order in which leases end.
type naiveLeases []engine.Lease

func (l *naiveLeases) index(token string) int {
	return slices.IndexFunc(*l, func(lease engine.Lease) bool { return lease.Token == token })
}

func (l *naiveLeases) Get(token string) (engine.Lease, bool) {
	if i := l.index(token); i >= 0 {
		return (*l)[i], true
	}
	return engine.Lease{}, false
}

func (l *naiveLeases) Set(lease engine.Lease) {
	l.Delete(lease.Token)
	*l = append(*l, lease)
	slices.SortStableFunc(*l, func(a, b engine.Lease) int { return int(a.Until - b.Until) })
}

func (l *naiveLeases) Delete(token string) {
	if i := l.index(token); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

func (l *naiveLeases) Len() int { return len(*l) }

func (l *naiveLeases) End(i int) engine.Instant { return (*l)[i].Until }

func (l *naiveLeases) Add(lease engine.Lease) { l.Set(lease) }

func (l *naiveLeases) DeleteFirst() { *l = (*l)[1:] }

func TestVectorsOnFunctions(t *testing.T) {
	eachVector(t, func(*testing.T) engine.Store { return newNaiveStore() })
}
