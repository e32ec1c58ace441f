package memstore

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"sluice/engine"
)

// stuff fills a shard for good: what is left of its pages is one dead record.
func stuff(t testing.TB, sh *shard) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for len(sh.pages) < maxPages {
		had := cap(sh.pages)
		sh.pages = append(sh.pages, page{due: never})
		sh.account((cap(sh.pages) - had) * pageHeader)
	}
	p := &sh.pages[sh.newest]
	filled := len(p.data)
	sh.growPage(p, pageBytes)
	p.data = p.data[:pageBytes]
	at := p.data[filled:]
	if len(at) < longKey {
		t.Fatalf("only %d bytes are left in the page", len(at))
	}
	writeRecord(record(at), engine.Key{Name: make([]byte, len(at)-24)}, &engine.State{}, nil)
}

// A frozen key is what its record and its box hold.
type frozen struct {
	state engine.State
	ends  []engine.Lease
}

func (s *Store) freeze(t testing.TB, names ...[]byte) (all []frozen) {
	for _, name := range names {
		k := engine.Key{Name: name}
		f := frozen{state: must[engine.State](t)(s.Get(t.Context(), k)).Clone()}
		f.state.Words[1] *= min(uint64(f.state.Kind^engine.KindConcurrency), 1) // how often leases changed is no state
		h := s.hash(k)
		sh := s.shard(h)
		if i := sh.find(h, k); i >= 0 {
			if rec := sh.record(sh.index[i].ref()); rec.kind() == engine.KindConcurrency {
				f.ends = sh.leasesIn(rec).items()
			}
		}
		all = append(all, f)
	}
	return all
}

func sameFrozen(a, b frozen) bool { return a.state.Equal(b.state) && slices.Equal(a.ends, b.ends) }

// A shard that holds no more bytes refuses words that grow, and then what is in the
// box is as it was, too.
func TestShardIsFullForBoxes(t *testing.T) {
	// As long as it takes to leave no byte over behind the words: these must move.
	for _, tt := range []struct {
		name   string
		length int
		use    func(s *Store, name []byte, n int) error
	}{
		{"sliding log", 11, func(s *Store, name []byte, n int) error {
			call := callOf(t, engine.SlidingLog, name, int64(n+1)/2)
			call.Limit = must[engine.Limit](t)(engine.LogLimit(1000, 60_000))
			if _, err := s.Take(t.Context(), call); err != nil {
				return err
			}
			s.clock.Advance(40 * time.Second)
			call.Cost = int64(n) / 2
			_, err := s.Take(t.Context(), call)
			return err
		}},
		{"leases", 10, func(s *Store, name []byte, n int) (err error) {
			if n > mostShortLeases { // one by one their record would have got more room
				r := engine.Record{Change: engine.Put, Key: engine.Key{Name: name}, State: engine.State{Kind: engine.KindConcurrency}}
				for i := range n {
					r.Leases = append(r.Leases, engine.Lease{Token: fmt.Sprint(i), Until: noon + engine.Instant(time.Hour)})
				}
				defer s.Loaded(0)
				return s.Load([]engine.Record{r})
			}
			for i := range n {
				c := &engine.LeaseCall{Key: engine.Key{Name: name}, Op: engine.Acquire, Limit: 1000, Lease: time.Hour}
				c.Token = fmt.Sprint(s.Usage().Bytes, " ", i)
				if _, _, err = s.Lease(t.Context(), c); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			s.StopClock(noon)
			name := crowd(s, 1, tt.length)[0]
			if err := tt.use(s, name, 127); err != nil { // a byte holds it
				t.Fatal(err)
			}
			s.clock.Advance(40 * time.Second) // half of the log does not count any more
			stuff(t, &s.shards[crowded])
			before := s.freeze(t, name)
			for range 2 {
				if err := tt.use(s, name, 3); !errors.Is(err, engine.ErrFull) {
					t.Fatalf("error %v", err)
				}
				if after := s.freeze(t, name); !sameFrozen(after[0], before[0]) {
					t.Errorf("it was %+v and is %+v", before, after)
				}
				sh := &s.shards[crowded]
				if b := sh.boxes[1]; b.bytes != b.size() {
					t.Errorf("the box has %d bytes and notes %d", b.size(), b.bytes)
				}
			}
		})
	}
}

// A TakeAll that finds no room in one part leaves every part as it was, wherever that
// part stands: keys that were made go, keys that were used up to nothing stay.
func TestTakeAllRollsBack(t *testing.T) {
	const parts = 8
	for turn := range parts {
		t.Run(fmt.Sprint(turn), func(t *testing.T) {
			s, bound := bounded(t, 0, false)
			calls, names := rollBackParts(t, s)
			bound.Store(s.Usage().Bytes + 1) // one of two new keys comes in
			before := s.freeze(t, names...)
			calls = append(calls[turn:], calls[:turn]...)
			if err := s.all(t, calls...); !errors.Is(err, engine.ErrFull) {
				t.Fatalf("error %v", err)
			}
			for i, after := range s.freeze(t, names...) {
				if !sameFrozen(after, before[i]) {
					t.Errorf("part %d was %+v and is %+v", i, before[i], after)
				}
			}
			verify(t, s)
			bound.Store(0)
			if err := s.all(t, calls...); err != nil || s.mustLen(t) != parts-1 {
				t.Errorf("%d keys (error: %v)", s.mustLen(t), err)
			}
			verify(t, s)
		})
	}
}

// rollBackParts is calls of keys that were used before and of two that were not, each
// in a shard of its own.
func rollBackParts(t *testing.T, s *Store) (calls []engine.Call, names [][]byte) {
	long := must[engine.Limit](t)(engine.LogLimit(1000, 60_000))
	part := func(a *engine.Algorithm, used, cost int64, limits ...engine.Limit) {
		call := callOf(t, a, nameIn(s, len(calls)), used)
		for _, l := range limits {
			call.Limit = l
		}
		if used > 0 {
			s.mustTake(t, call)
		}
		call.Cost = cost
		calls, names = append(calls, *call), append(names, call.Key.Name)
	}
	part(engine.SlidingLog, 999, 1, long)
	s.clock.Advance(time.Minute - 1) // unlike AdvanceClock it sweeps nothing
	s.mustTake(t, &calls[0])
	s.clock.Advance(1) // so the ring will be made smaller
	part(engine.SlidingLog, 3, 1)
	part(engine.SlidingLog, mostShortLog, 30, long) // is short no more
	part(engine.TokenBucket, 3, 1)
	part(engine.GCRA, 3, -3)
	part(engine.GCRA, 3, 1)
	calls[5].Limit = thirds(t) // needs more words
	part(engine.TokenBucket, 0, 1)
	part(engine.FixedWindow, 0, 1)
	return calls, names
}

// At its bound a store gives nobody another lease, and tells those that are refused
// anyway how long to wait; who holds one goes on.
func TestFullOfLeases(t *testing.T) {
	s, bound := bounded(t, 0, false)
	acquire := func(key, token string, limit uint64, lease time.Duration) (engine.Decision, bool, error) {
		return s.Lease(t.Context(), &engine.LeaseCall{
			Key: engine.Key{Name: []byte(key)}, Op: engine.Acquire, Token: token, Limit: limit, Lease: lease,
		})
	}
	for _, token := range []string{"a", "b"} {
		if _, held, err := acquire("pool", token, 2, time.Minute); !held || err != nil {
			t.Fatal(held, err)
		}
	}
	bound.Store(1)
	for _, key := range []string{"pool", "another"} {
		if d, held, err := acquire(key, "c", 3, time.Minute); held || !errors.Is(err, engine.ErrFull) {
			t.Errorf("%s: one more lease: %+v, %v (error: %v)", key, d, held, err)
		}
	}
	if d, held, err := acquire("pool", "c", 2, time.Minute); held || !d.Limited || d.RetryAfter != time.Minute || err != nil {
		t.Errorf("refused anyway: %+v, %v (error: %v)", d, held, err)
	}
	if d, held, err := acquire("pool", "a", 2, time.Hour); !held || d.Limited || err != nil {
		t.Errorf("its own: %+v, %v (error: %v)", d, held, err)
	}
	s.clock.Advance(time.Minute)
	if _, held, err := acquire("pool", "c", 2, time.Minute); held || !errors.Is(err, engine.ErrFull) {
		t.Errorf("b's place is free, but the store is at its bound: %v (error: %v)", held, err)
	}
	if st := must[engine.State](t)(s.Get(t.Context(), engine.Key{Name: []byte("pool")})); st.Words[0] != 1 {
		t.Errorf("%+v", st)
	}
	verify(t, s)
}
