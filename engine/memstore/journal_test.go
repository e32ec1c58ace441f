package memstore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sluice/engine"
)

// A tape is a journal that remembers all it was told, or refuses to.
type tape struct {
	mu      sync.Mutex // the sweeper tells of what it evicts
	entries [][]engine.Record
	err     error
}

func (t *tape) all() [][]engine.Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.entries)
}

func (t *tape) Refuses() error { return t.err }

func (t *tape) Append(_ engine.Instant, changes []engine.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, copies(changes))
}

// copies are records that share nothing with others.
func copies(records []engine.Record) []engine.Record {
	records = slices.Clone(records)
	for i := range records {
		r := &records[i]
		r.Key.Name = bytes.Clone(r.Key.Name)
		r.Instants, r.Leases = slices.Clone(r.Instants), slices.Clone(r.Leases)
		if err := r.Valid(); err != nil {
			panic(err)
		}
	}
	return records
}

func openWith(t testing.TB, j engine.Journal) *Store {
	s := NewWith(Options{Journal: j})
	t.Cleanup(s.Close)
	s.StopClock(noon)
	return s
}

// content is all that a store holds, in words.
func (s *Store) content() map[string]string {
	all := map[string]string{}
	now := s.Now()
	s.lockAll()
	defer s.unlockAll()
	for i := range s.shards {
		s.shards[i].each(func(_ int, rec record) {
			if rec.deadline() <= now {
				return
			}
			r := s.shards[i].whole(rec)
			r.Leases = slices.DeleteFunc(r.Leases, func(l engine.Lease) bool { return l.Until <= now })
			if r.State.Kind == engine.KindSlidingLog { // positions mean nothing but their distance
				gone := func(at engine.Instant) bool { return at+engine.Instant(r.State.Words[0])*1e6 <= now }
				r.Instants = slices.DeleteFunc(r.Instants, gone)
				r.State.Words, r.From = [3]uint64{r.State.Words[0]}, 0
			}
			all[fmt.Sprintf("%d %s", r.Key.DB, r.Key.Name)] = fmt.Sprintf("%v %v %v", r.State, r.Instants, r.Leases)
		})
	}
	return all
}

// scenes are calls of every sort, at random.
type scene struct {
	*rapid.T
	store *Store
	tb    testing.TB
}

func (s *scene) key() engine.Key {
	return engine.Key{DB: rapid.IntRange(0, 1).Draw(s.T, "db"), Name: []byte(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(s.T, "key"))}
}

func (s *scene) call(k engine.Key) engine.Call {
	a := rapid.SampledFrom(engine.Algorithms[:]).Draw(s.T, "algorithm")
	if st, _ := s.store.Get(s.tb.Context(), k); st.Kind != 0 && st.Kind != engine.KindConcurrency {
		a = st.Kind.Algorithm()
	}
	c := callOf(s.tb, a, k.Name, rapid.Int64Range(-3, 6).Draw(s.T, "cost"))
	c.Key = k
	return *c
}

func (s *scene) take() {
	c := s.call(s.key())
	_, _ = s.store.Take(s.tb.Context(), &c)
}

func (s *scene) takeAll() {
	_ = s.store.all(s.tb, s.call(engine.Key{Name: []byte("a")}), s.call(engine.Key{Name: []byte("b")}), s.call(engine.Key{DB: 1, Name: []byte("a")}))
}

func (s *scene) lease() {
	c := s.leaseCall()
	_, _, _ = s.store.Lease(s.tb.Context(), &c)
}

func (s *scene) leaseCall() engine.LeaseCall {
	return engine.LeaseCall{
		Key: s.key(), Op: rapid.SampledFrom([]engine.LeaseOp{engine.Acquire, engine.Acquire, engine.Renew, engine.Release}).Draw(s.T, "op"),
		Token: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(s.T, "token"), Limit: 2,
		Lease: time.Duration(rapid.IntRange(1, 90).Draw(s.T, "lease")) * time.Second,
	}
}

// crowd is a key's leases becoming many, or some of them being given back.
func (s *scene) crowd() {
	c := engine.LeaseCall{
		Key: s.key(), Op: rapid.SampledFrom([]engine.LeaseOp{engine.Acquire, engine.Release}).Draw(s.T, "op"),
		Limit: 1000, Lease: time.Minute,
	}
	for i := range rapid.IntRange(1, 2*mostFew).Draw(s.T, "crowd") {
		c.Token = fmt.Sprint(i)
		_, _, _ = s.store.Lease(s.tb.Context(), &c)
	}
}

func (s *scene) together() {
	s.store.Exclusively(nil, func(inner engine.Store) {
		in := &scene{s.T, inner.(*Store), s.tb}
		for range rapid.IntRange(0, 3).Draw(s.T, "calls") {
			in.step()
		}
	})
}

func (s *scene) step() {
	ctx := s.tb.Context()
	switch rapid.IntRange(0, 20).Draw(s.T, "step") {
	default:
		s.take()
	case 1, 2, 3:
		s.lease()
	case 4, 5:
		s.takeAll()
	case 6, 7:
		s.store.AdvanceClock(time.Duration(rapid.IntRange(0, 40).Draw(s.T, "seconds")) * time.Second)
	case 8:
		s.store.AdvanceClock(-time.Second)
	case 9, 10:
		_, _ = s.store.Delete(ctx, s.key())
	case 11:
		_ = s.store.Flush(ctx, rapid.IntRange(-1, 1).Draw(s.T, "flushed"))
	case 13, 14:
		s.crowd()
	case 12:
		if !s.store.held {
			s.together()
		}
	}
}

// What a store was told with its dump and its journal is all there is to it: a
// store that loads both is the same. The dump is of some instant after the
// journal's first entry that is loaded, and what it has of later is told again.
func TestJournalMakesTheStoreAgain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		told := &tape{}
		s := &scene{rt, NewWith(Options{Journal: told}), t}
		defer s.store.Close()
		s.store.StopClock(noon)
		var dumped []engine.Record
		began := 0
		dumpAt := rapid.IntRange(0, 40).Draw(rt, "dump at")
		rotated := rapid.IntRange(0, dumpAt).Draw(rt, "rotated at")
		for i := range 60 {
			if i == rotated {
				began = len(told.entries)
			}
			if i == dumpAt {
				_ = s.store.Dump(func(r []engine.Record) error {
					dumped = append(dumped, copies(r)...)
					return nil
				})
			}
			s.step()
		}
		again := New()
		defer again.Close()
		again.StopClock(s.store.Now())
		if err := again.Load(dumped); err != nil {
			rt.Fatal(err)
		}
		for _, changes := range told.entries[began:] {
			if err := again.Load(changes); err != nil {
				rt.Fatal(err)
			}
		}
		again.Loaded(0)
		want, got := s.store.content(), again.content()
		for k, v := range want {
			if got[k] != v {
				rt.Errorf("%s is\n%s, not\n%s", k, got[k], v)
			}
		}
		for k, v := range got {
			if want[k] == "" {
				rt.Errorf("%s is\n%s, and should not exist", k, v)
			}
		}
		verify(t, again)
	})
}

// What a call changes together is one entry: TakeAll, and all within Exclusively.
func TestJournalEntriesAreWhole(t *testing.T) {
	told := &tape{}
	s := openWith(t, told)
	a, b := callOf(t, engine.GCRA, []byte("a"), 1), callOf(t, engine.SlidingLog, []byte("b"), 3)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(s.all(t, *a, *b))
	ok(s.all(t, *callOf(t, engine.GCRA, []byte("a"), 1), *callOf(t, engine.SlidingLog, []byte("b"), 100))) // refused
	s.Exclusively([]engine.Key{a.Key, b.Key}, func(inner engine.Store) {
		must[engine.Decision](t)(inner.Take(t.Context(), a))
		ok(inner.(*Store).all(t, *b))
	})
	s.mustTake(t, callOf(t, engine.GCRA, []byte("a"), 100)) // refused
	if len(told.entries) != 2 || len(told.entries[0]) != 2 || len(told.entries[1]) != 2 {
		t.Fatalf("the journal was told %+v", told.entries)
	}
	if r := told.entries[1][1]; r.Change != engine.Amend || r.From != 3 || len(r.Instants) != 3 {
		t.Errorf("an entry three calls long was told as %+v", r)
	}
}

// While nothing can be kept nothing changes, and what changes nothing is answered.
func TestJournalRefuses(t *testing.T) {
	told := &tape{}
	s := openWith(t, told)
	lease := &engine.LeaseCall{Key: engine.Key{Name: []byte("lease")}, Token: "x", Limit: 2, Lease: time.Minute}
	for _, a := range engine.Algorithms {
		s.mustTake(t, callOf(t, a, []byte(a.Name), 4))
	}
	if _, _, err := s.Lease(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	before, entries := s.content(), len(told.entries)
	told.err = engine.ErrUnkept
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, engine.ErrUnkept) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, a := range engine.Algorithms {
		_, err := s.Take(t.Context(), callOf(t, a, []byte(a.Name), 1))
		refused(a.Name, err)
		_, err = s.Take(t.Context(), callOf(t, a, []byte("new "+a.Name), 1))
		refused("a new key of "+a.Name, err)
		refused("all of "+a.Name, s.all(t, *callOf(t, a, []byte(a.Name), 1)))
		_, err = s.Delete(t.Context(), engine.Key{Name: []byte(a.Name)})
		refused("deleting "+a.Name, err)
		if d := s.mustTake(t, callOf(t, a, []byte(a.Name), 0)); d.Limited || d.Remaining != 6 {
			t.Errorf("a look at %s: %+v", a.Name, d)
		}
		if d := s.mustTake(t, callOf(t, a, []byte(a.Name), 7)); !d.Limited {
			t.Errorf("too much of %s: %+v", a.Name, d)
		}
	}
	for _, c := range []engine.LeaseCall{{Op: engine.Acquire, Token: "x"}, {Op: engine.Acquire, Token: "y"}, {Op: engine.Renew, Token: "x"}, {Op: engine.Release, Token: "x"}} {
		c.Key, c.Limit, c.Lease = lease.Key, 2, time.Hour
		_, _, err := s.Lease(t.Context(), &c)
		refused(fmt.Sprintf("lease %+v", c), err)
	}
	for _, c := range []engine.LeaseCall{{Op: engine.Acquire, Token: "y"}, {Op: engine.Acquire, Token: "y", Lease: 1e9}, {Op: engine.Renew, Token: "y"}, {Op: engine.Release, Token: "y"}} {
		c.Key, c.Limit = lease.Key, 1
		if _, held, err := s.Lease(t.Context(), &c); held || err != nil {
			t.Errorf("lease %+v: %v, %v", c, held, err)
		}
	}
	refused("flushing", s.Flush(t.Context(), 0))
	if after := s.content(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("what was refused changed\n%v to\n%v", before, after)
	}
	if len(told.entries) != entries {
		t.Errorf("the journal was told %v", told.entries[entries:])
	}
}

// A state that was loaded and is over may be gone on with: it stays until Loaded.
func TestLoadKeepsWhatIsOver(t *testing.T) {
	told := &tape{}
	s := openWith(t, told)
	c := callOf(t, engine.SlidingLog, []byte("log"), 1)
	s.mustTake(t, c)
	s.AdvanceClock(40 * time.Second)
	s.mustTake(t, c)
	again := openWith(t, nil)
	again.StopClock(noon + engine.Instant(61*time.Second))
	for _, changes := range told.all() {
		if err := again.Load(changes); err != nil {
			t.Fatal(err)
		}
		again.sweepUnlessLoading()
	}
	again.Loaded(0)
	if d := again.mustTake(t, callOf(t, engine.SlidingLog, []byte("log"), 0)); d.Remaining != 9 {
		t.Errorf("%+v", d)
	}
}

func TestNoteAllocatesNothing(t *testing.T) {
	s := openWith(t, deaf{})
	for _, a := range engine.Algorithms {
		take, give := callOf(t, a, []byte(a.Name), 1), callOf(t, a, []byte(a.Name), -1)
		s.mustTake(t, take)
		if n := testing.AllocsPerRun(100, func() {
			s.mustTake(t, take)
			s.mustTake(t, give)
		}); n != 0 {
			t.Errorf("%s: %v allocations a call", a.Name, n)
		}
	}
}

func TestTakeAllAllocatesNothing(t *testing.T) {
	for name, j := range map[string]engine.Journal{"journal": deaf{}, "no journal": nil} {
		t.Run(name, func(t *testing.T) {
			s := openWith(t, j)
			var take, refused []engine.Call
			for _, a := range engine.Algorithms {
				take = append(take, *callOf(t, a, []byte(a.Name), 1))
				refused = append(refused, *callOf(t, a, []byte(a.Name), 0), *callOf(t, a, []byte("other "+a.Name), 100))
			}
			give := slices.Clone(take)
			for i := range give {
				give[i].Cost = -1
			}
			if err := s.all(t, take...); err != nil { // or the keys would come and go
				t.Fatal(err)
			}
			decisions := make([]engine.Decision, engine.MaxParts)
			if n := testing.AllocsPerRun(100, func() {
				for _, calls := range [][]engine.Call{take, give, refused} {
					if err := s.TakeAll(t.Context(), calls, decisions); err != nil {
						t.Fatal(err)
					}
				}
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// deaf is a journal that forgets.
type deaf struct{}

func (deaf) Refuses() error                         { return nil }
func (deaf) Append(engine.Instant, []engine.Record) {}

// What a full store has forgotten stays forgotten, and what it has kept is kept.
func TestJournalOfAFullStore(t *testing.T) {
	told := &tape{}
	var most atomic.Int64
	most.Store(2 << 20)
	s := NewWith(Options{Journal: told, MaxBytes: most.Load, Evict: func() bool { return true }})
	t.Cleanup(s.Close)
	s.StopClock(noon)
	for i := range 60_000 {
		a := engine.Algorithms[i%len(engine.Algorithms)]
		s.mustTake(t, callOf(t, a, fmt.Appendf(nil, "key:%d", i), 1+int64(i%9)))
	}
	most.Store(1 << 20)
	s.sweep() // which trims; the sweeper may do so itself
	if s.Usage().Evicted < 10_000 {
		t.Fatalf("%d keys were evicted", s.Usage().Evicted)
	}
	again := openWith(t, nil)
	for _, changes := range told.all() {
		if err := again.Load(changes); err != nil {
			t.Fatal(err)
		}
	}
	again.Loaded(0)
	compare(t, s.content(), again.content())
}
