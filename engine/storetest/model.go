package storetest

import (
	"errors"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"sluice/engine"
)

func modelRules() []rule {
	return []rule{{
		"any history answers as the model",
		"After any row of operations a store answers as a plain map would to which the algorithms are applied one by " +
			"one. What is printed is the shortest history found that tells them apart.",
		answersAsTheModel,
	}}
}

// A place is a key that can be a map's.
type place struct {
	db   int
	name string
}

func (k place) key() engine.Key { return engine.Key{DB: k.db, Name: []byte(k.name)} }

// A model is the plainest store there is. States that are over stay in it.
type model struct {
	states map[place]engine.State
	now    engine.Instant
}

func (m *model) state(k place) engine.State { return m.states[k].At(m.now) }

func (m *model) take(k place, c engine.Call) (engine.Decision, error) {
	old := m.state(k)
	if old.Kind != 0 && old.Kind != c.Algorithm.Kind {
		return engine.Decision{}, engine.ErrWrongKind
	}
	c.Now = m.now
	next, d := c.Algorithm.Decide(old, &c.Request)
	m.states[k] = next
	return d, nil
}

// moveTo sets the clock, forward or back.
func (m *model) moveTo(to engine.Instant) {
	for k, s := range m.states {
		if s = s.At(m.now); s.Kind != 0 && to < m.now {
			m.states[k] = s.Kind.Algorithm().SetBack(s, m.now, to)
		} else if s.Kind == 0 {
			delete(m.states, k)
		}
	}
	m.now = to
}

// live is the keys of a database that are not over.
func (m *model) live(db int) map[string]engine.State {
	found := map[string]engine.State{}
	for k := range m.states {
		if s := m.state(k); k.db == db && s.Kind != 0 {
			found[k.name] = s
		}
	}
	return found
}

func (m *model) flush(db int) {
	maps.DeleteFunc(m.states, func(k place, _ engine.State) bool { return k.db == db || db == engine.AllDatabases })
}

func answersAsTheModel(p *probe) {
	rapid.Check(p, func(t *rapid.T) {
		p.must(p.store.Flush(p.Context(), engine.AllDatabases))
		p.store.StopClock(start)
		h := &history{p, &model{map[place]engine.State{}, start}}
		t.Repeat(map[string]func(*rapid.T){
			"take": h.take, "take again": h.take, "take more": h.take,
			"take all": h.takeAll, "take all again": h.takeAll,
			"get": h.get, "delete": h.delete, "flush": h.flush,
			"move the clock": h.moveClock, "move to a deadline": h.moveToDeadline,
			"scan": h.scan, "random": h.random,
		})
	})
}

// A history is one row of operations on a store and its model.
type history struct {
	*probe
	model *model
}

func drawPlace(t *rapid.T) place {
	return place{
		rapid.IntRange(0, 1).Draw(t, "db"),
		rapid.SampledFrom([]string{"", "\x00", "a", "b", names()[len(names())-1]}).Draw(t, "name"),
	}
}

func drawPeriod(t *rapid.T) time.Duration {
	return rapid.SampledFrom([]time.Duration{time.Second, 7 * time.Second, time.Minute}).Draw(t, "period")
}

func drawCall(t *rapid.T, k place) engine.Call {
	a := rapid.SampledFrom(engine.Algorithms[:]).Draw(t, "algorithm")
	n := rapid.SampledFrom([]int64{1, 3, 10, 100_000}).Draw(t, "limit")
	l, err := limitOf(a, n, drawPeriod(t))
	if err != nil {
		t.Fatal(err)
	}
	return engine.Call{Key: k.key(), Algorithm: a, Request: engine.Request{
		Limit:   l,
		Cost:    rapid.Int64Range(-2, 11).Draw(t, "cost"),
		MaxWait: time.Duration(rapid.IntRange(0, 1).Draw(t, "wait")) * 30 * time.Second,
	}}
}

func (h *history) take(t *rapid.T) {
	k := drawPlace(t)
	call := drawCall(t, k)
	want, wantErr := h.model.take(k, call)
	got, err := h.store.Take(h.Context(), &call)
	if got != want || !errors.Is(err, wantErr) {
		t.Fatalf("Take: %+v (error: %v), not %+v (error: %v)", got, err, want, wantErr)
	}
	h.compare(t, k)
}

// compare is after each change: the same state for the key.
func (h *history) compare(t *rapid.T, k place) {
	got, err := h.store.Get(h.Context(), k.key())
	if want := h.model.state(k); !same(got, want) || err != nil {
		t.Fatalf("Get: %+v (error: %v), not %+v", got, err, want)
	}
}

func (h *history) get(t *rapid.T) { h.compare(t, drawPlace(t)) }

func (h *history) delete(t *rapid.T) {
	k := drawPlace(t)
	want := h.model.state(k).Kind != 0
	delete(h.model.states, k)
	if got, err := h.store.Delete(h.Context(), k.key()); got != want || err != nil {
		t.Fatalf("Delete: %v (error: %v), not %v", got, err, want)
	}
	h.compare(t, k)
}

func (h *history) flush(t *rapid.T) {
	db := rapid.IntRange(engine.AllDatabases, 1).Draw(t, "db")
	h.model.flush(db)
	if err := h.store.Flush(h.Context(), db); err != nil {
		t.Fatal(err)
	}
}

func (h *history) moveClock(t *rapid.T) {
	by := time.Duration(rapid.Int64Range(int64(-time.Minute), int64(time.Minute)).Draw(t, "by"))
	h.model.moveTo(h.model.now + engine.Instant(by))
	h.store.AdvanceClock(by)
	if got := h.store.Now(); got != h.model.now {
		t.Fatalf("Now: %d, not %d", got, h.model.now)
	}
}

// moveToDeadline goes where off-by-one errors are: to a deadline or just before.
func (h *history) moveToDeadline(t *rapid.T) {
	k := drawPlace(t)
	if s := h.model.state(k); s.Kind != 0 {
		to := s.Deadline - engine.Instant(rapid.IntRange(0, 1).Draw(t, "early"))
		h.model.moveTo(to)
		h.store.StopClock(to)
		h.compare(t, k)
	}
}

func (h *history) scan(t *rapid.T) {
	db, count := rapid.IntRange(0, 1).Draw(t, "db"), rapid.IntRange(1, 20).Draw(t, "count")
	got := map[string]engine.State{}
	cursor := uint64(0)
	for first := true; first || cursor != 0; first = false {
		next, err := h.store.Scan(h.Context(), db, cursor, count, func(e engine.Entry) {
			got[string(e.Key.Name)] = e.State
		})
		if err != nil {
			t.Fatal(err)
		}
		cursor = next
	}
	if want := h.model.live(db); !maps.EqualFunc(got, want, same) {
		t.Fatalf("Scan: %v, not %v", got, want)
	}
	// Keys that are over may count for a while.
	n, err := h.store.Len(h.Context(), db)
	if err != nil || n < int64(len(got)) || n > int64(len(h.model.states)) {
		t.Fatalf("Len: %d (error: %v) for %d keys", n, err, len(got))
	}
}

func (h *history) random(t *rapid.T) {
	db := rapid.IntRange(0, 1).Draw(t, "db")
	live := h.model.live(db)
	e, ok, err := h.store.Random(h.Context(), db)
	if err != nil || ok != (len(live) > 0) {
		t.Fatalf("Random: %v (error: %v) among %q", ok, err, slices.Collect(maps.Keys(live)))
	}
	if ok && !same(e.State, live[string(e.Key.Name)]) {
		t.Fatalf("Random: %+v, not %+v", e, live[string(e.Key.Name)])
	}
}
