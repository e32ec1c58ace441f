// Package storetest holds the rules every engine.Store keeps, whatever it keeps
// its states in. A store's own tests call Run; a rule that is broken prints what
// it is there for.
//
// The rules know a store by its interface alone and algorithms by the table, so
// a new row in engine.Algorithms is tested as soon as limitOf has a limit for it.
package storetest

import (
	"errors"
	"testing"
	"time"

	"sluice/engine"
)

// A rule is something every store keeps.
type rule struct {
	name  string // what is true
	why   string // printed when it is not
	check func(*probe)
}

// Run holds a store to all the rules. open gives an empty store to each of them;
// closing it is open's business (t.Cleanup).
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	for _, rules := range [][]rule{
		takeRules(), keyRules(), scanRules(), clockRules(), modelRules(), leaseRules(), leaseModelRules(),
		allRules(), exclusiveRules(), nearRules(),
	} {
		for _, r := range rules {
			t.Run(r.name, func(t *testing.T) {
				p := &probe{t, open(t)}
				p.store.StopClock(start)
				defer func() {
					if t.Failed() {
						t.Logf("The rule %q:\n%s", r.name, r.why)
					}
				}()
				r.check(p)
			})
		}
	}
}

// start is where the rules stop the clock: in the middle of windows, far from
// both ends of time.
const start = engine.Instant(1_893_456_017_500) * engine.Instant(time.Millisecond)

// limitOf is a limit of n units that are back a minute after they were used (two
// for a sliding window, or when the period is more). Every algorithm has a row.
func limitOf(a *engine.Algorithm, n int64, period time.Duration) (engine.Limit, error) {
	switch a.Kind {
	case engine.KindGCRA:
		return engine.GCRALimit(n-1, n, period)
	case engine.KindTokenBucket:
		return engine.TokenBucketLimit(n, engine.Micros(n*1_000_000*int64(time.Second)/int64(period)))
	case engine.KindLeakyBucket:
		return engine.LeakyBucketLimit(n-1, engine.Micros(n*1_000_000*int64(time.Second)/int64(period)))
	case engine.KindFixedWindow, engine.KindSlidingWindow:
		return engine.WindowLimit(n, engine.Window(period/time.Millisecond))
	case engine.KindSlidingLog:
		return engine.LogLimit(n, engine.Window(period/time.Millisecond))
	}
	return engine.Limit{}, errors.New("storetest has no limit for " + a.Name + ": add one to limitOf")
}

// A probe is a store with a test's hands on it.
type probe struct {
	*testing.T
	store engine.Store
}

// everyAlgorithm runs a check once for each algorithm, on an empty store.
func (p *probe) everyAlgorithm(check func(*probe, *engine.Algorithm)) {
	for _, a := range engine.Algorithms {
		p.Run(a.Name, func(t *testing.T) {
			p.must(p.store.Flush(p.Context(), engine.AllDatabases))
			p.store.StopClock(start)
			check(&probe{t, p.store}, a)
		})
	}
}

func (p *probe) limit(a *engine.Algorithm, n int64) engine.Limit {
	p.Helper()
	l, err := limitOf(a, n, time.Minute)
	p.must(err)
	return l
}

func (p *probe) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// call is a call of an algorithm with a limit of ten.
func (p *probe) call(a *engine.Algorithm, k engine.Key, cost int64) *engine.Call {
	p.Helper()
	return &engine.Call{Key: k, Algorithm: a, Request: engine.Request{Limit: p.limit(a, 10), Cost: cost}}
}

// take makes such a call, which must not err.
func (p *probe) take(a *engine.Algorithm, k engine.Key, cost int64) engine.Decision {
	p.Helper()
	d, err := p.store.Take(p.Context(), p.call(a, k, cost))
	p.must(err)
	return d
}

// grant is a take that must be granted.
func (p *probe) grant(a *engine.Algorithm, k engine.Key, cost int64) engine.Decision {
	p.Helper()
	d := p.take(a, k, cost)
	if d.Limited {
		p.Fatalf("%s: a cost of %d was refused: %+v", a.Name, cost, d)
	}
	return d
}

// refuse is a take that must be refused.
func (p *probe) refuse(a *engine.Algorithm, k engine.Key, cost int64) engine.Decision {
	p.Helper()
	d := p.take(a, k, cost)
	if !d.Limited {
		p.Fatalf("%s: a cost of %d was granted: %+v", a.Name, cost, d)
	}
	return d
}

func (p *probe) get(k engine.Key) engine.State {
	p.Helper()
	s, err := p.store.Get(p.Context(), k)
	p.must(err)
	return s
}

// delete says what the store said.
func (p *probe) delete(k engine.Key) bool {
	p.Helper()
	existed, err := p.store.Delete(p.Context(), k)
	p.must(err)
	return existed
}

func (p *probe) len(db int) int64 {
	p.Helper()
	n, err := p.store.Len(p.Context(), db)
	p.must(err)
	return n
}

// same says that two states are alike. Where a sliding log keeps its instants, and
// at which positions, is the store's own: what is in it shows in later decisions.
func same(a, b engine.State) bool {
	if a.Log == nil || b.Log == nil { // a walk's states come without
		a.Log, b.Log = nil, nil
	}
	return a.Equal(b)
}

// key is a key of database 0.
func key(name string) engine.Key { return engine.Key{Name: []byte(name)} }

// walkLimit is more calls of Scan than any walk here can need.
const walkLimit = 1_000_000

// walk goes through a database from 0 to 0 and tells how often it met each name.
// between, if any, is called after each call of Scan.
func (p *probe) walk(db, count int, between func()) map[string]int {
	p.Helper()
	met := map[string]int{}
	cursor := uint64(0)
	for range walkLimit {
		next, err := p.store.Scan(p.Context(), db, cursor, count, func(e engine.Entry) {
			if e.Key.DB != db {
				p.Errorf("a walk of database %d met %q of database %d", db, e.Key.Name, e.Key.DB)
			}
			met[string(e.Key.Name)]++
		})
		p.must(err)
		if next == 0 {
			return met
		}
		if between != nil {
			between()
		}
		cursor = next
	}
	p.Fatal("a walk never comes to its end")
	return nil
}

// absent fails unless a key does not exist in any way a store can tell.
func (p *probe) absent(k engine.Key) {
	p.Helper()
	if s := p.get(k); s != (engine.State{}) {
		p.Errorf("Get finds %+v at %d", s, p.store.Now())
	}
	if met := p.walk(k.DB, 100, nil); met[string(k.Name)] > 0 {
		p.Errorf("Scan meets it")
	}
	if e, ok, err := p.store.Random(p.Context(), k.DB); ok || err != nil {
		p.Errorf("Random finds %q (error: %v)", e.Key.Name, err)
	}
	if p.delete(k) {
		p.Errorf("Delete says that it existed")
	}
}
