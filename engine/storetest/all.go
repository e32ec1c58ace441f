package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"sluice/engine"
)

func allRules() []rule {
	return []rule{
		{
			"TakeAll takes from all or from none",
			"64 callers with the same keys in different orders: where one part is used up nothing is ever taken from the " +
				"others, and where none is each is granted what all are. Nobody waits for ever.",
			allOrNothing,
		}, {
			"what TakeAll took is what it granted",
			"64 callers who name three of six keys each, in any order: at the end of the day each key has given exactly " +
				"what the granted calls that name it asked for.",
			allAddsUp,
		}, {
			"the order of parts makes no difference",
			"Parts in another order are given the same decisions and leave the same states.",
			orderOfParts,
		}, {
			"a part that would have been granted answers as a look",
			"When another part refuses. The refusing part's own decision says how long to wait, exactly; a part that gives " +
				"back gives nothing back then.",
			partsAnswer,
		}, {
			"a look inside TakeAll refuses as a unit would",
			"A part of cost 0 takes nothing, and the others are only granted where one unit of it would be.",
			lookInside,
		}, {
			"one part of another kind stops all",
			"Wherever a part stands whose key holds another algorithm's state, or leases: ErrWrongKind, and nothing changes.",
			wrongKindInside,
		},
	}
}

// takeAll makes calls as one, which must not err.
func (p *probe) takeAll(calls ...*engine.Call) []engine.Decision {
	p.Helper()
	all := make([]engine.Call, len(calls))
	for i, c := range calls {
		all[i] = *c
	}
	d := make([]engine.Decision, len(calls))
	p.must(p.store.TakeAll(p.Context(), all, d))
	return d
}

// parts is a key for each algorithm, "all:0" and so on, which a test uses as one.
func parts() (keys []engine.Key) {
	for i := range engine.Algorithms {
		keys = append(keys, key(fmt.Sprint("all:", i)))
	}
	return keys
}

func (p *probe) states(keys []engine.Key) (states []engine.State) {
	for _, k := range keys {
		states = append(states, p.get(k).Clone())
	}
	return states
}

// unchanged fails unless the keys are in the states they were in.
func (p *probe) unchanged(what string, keys []engine.Key, before []engine.State) {
	p.Helper()
	for i, k := range keys {
		if after := p.get(k); !same(after, before[i]) {
			p.Errorf("%s: %s was %+v and is %+v", what, k.Name, before[i], after)
		}
	}
}

func allOrNothing(p *probe) {
	const callers, each, limit = 64, 12, 500
	keys := parts()
	last := key("the one that decides")
	run := func() (granted int64) {
		var n atomic.Int64
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(c), 1))
				for range each {
					calls := []engine.Call{*p.call(engine.FixedWindow, last, 1)}
					for i, k := range keys {
						l := p.limit(engine.Algorithms[i], limit)
						calls = append(calls, engine.Call{Key: k, Algorithm: engine.Algorithms[i], Request: engine.Request{Limit: l, Cost: 1}})
					}
					r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
					d := make([]engine.Decision, len(calls))
					if err := p.store.TakeAll(p.Context(), calls, d); err != nil {
						p.Error(err)
						return
					}
					if i, _ := engine.Deciding(calls, d); i < 0 {
						n.Add(1)
					}
				}
			})
		}
		wg.Wait()
		return n.Load()
	}
	if granted := run(); granted != 10 {
		p.Errorf("%d were granted by a limit of ten", granted)
	}
	for i, k := range keys {
		a := engine.Algorithms[i]
		d := p.takeAll(&engine.Call{Key: k, Algorithm: a, Request: engine.Request{Limit: p.limit(a, limit)}})
		if d[0].Remaining != limit-10 {
			p.Errorf("%s: %d remain of %d after ten were granted", a.Name, d[0].Remaining, limit)
		}
	}
	before := p.states(keys)
	if granted := run(); granted != 0 {
		p.Errorf("%d were granted by a limit that is used up", granted)
	}
	p.unchanged("used up", keys, before)
}

func allAddsUp(p *probe) {
	const callers, each, limit = 64, 24, 300
	keys := parts()
	var took [len(engine.Algorithms)]atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 2))
			for range each {
				order := r.Perm(len(keys))[:3]
				calls := make([]engine.Call, 0, len(order))
				for _, i := range order {
					a := engine.Algorithms[i]
					calls = append(calls, engine.Call{
						Key: keys[i], Algorithm: a, Request: engine.Request{Limit: p.limit(a, limit), Cost: 1 + r.Int64N(2)},
					})
				}
				d := make([]engine.Decision, len(calls))
				if err := p.store.TakeAll(p.Context(), calls, d); err != nil {
					p.Error(err)
					return
				}
				if i, _ := engine.Deciding(calls, d); i < 0 {
					for j, i := range order {
						took[i].Add(calls[j].Cost)
					}
				}
			}
		})
	}
	wg.Wait()
	most := int64(0)
	for i, k := range keys {
		a := engine.Algorithms[i]
		d, err := p.store.Take(p.Context(), &engine.Call{Key: k, Algorithm: a, Request: engine.Request{Limit: p.limit(a, limit)}})
		if took := took[i].Load(); err != nil || int64(d.Remaining) != limit-took {
			p.Errorf("%s: %d remain of %d, %d were granted (error: %v)", a.Name, d.Remaining, limit, took, err)
		}
		most = max(most, took[i].Load())
	}
	if most < limit-1 {
		p.Errorf("no key was used up: that shows nothing")
	}
}

func orderOfParts(p *probe) {
	r := rand.New(rand.NewPCG(3, 3))
	keys := parts()
	for range 300 {
		var calls []engine.Call
		for i, k := range keys {
			k.DB = 0
			calls = append(calls, *p.call(engine.Algorithms[i], k, r.Int64N(5)-1))
		}
		want, got := make([]engine.Decision, len(calls)), make([]engine.Decision, len(calls))
		p.must(p.store.TakeAll(p.Context(), calls, want))
		order := r.Perm(len(calls))
		var others []engine.Call
		for _, i := range order {
			c := calls[i]
			c.Key.DB = 1
			others = append(others, c)
		}
		p.must(p.store.TakeAll(p.Context(), others, got))
		for j, i := range order {
			if got[j] != want[i] {
				p.Fatalf("part %d: %+v; in another order %+v", i, want[i], got[j])
			}
			if a, b := p.get(calls[i].Key), p.get(others[j].Key); !same(a, b) {
				p.Fatalf("part %d: %+v; in another order %+v", i, a, b)
			}
		}
		p.store.AdvanceClock(engine.MaxWindow / 366 / 24 / 60 / 13) // some five seconds
	}
}

func partsAnswer(p *probe) {
	for i, a := range engine.Algorithms {
		k, other, back := key(fmt.Sprint("refuse:", i)), key(fmt.Sprint("other:", i)), key(fmt.Sprint("back:", i))
		p.grant(a, k, 8)
		p.grant(a, other, 4)
		p.grant(a, back, 10)
		alone := p.take(a, k, 3)
		look, used := p.take(a, other, 0), p.take(a, back, 0)
		before := p.states([]engine.Key{k, other, back})
		d := p.takeAll(p.call(a, other, 2), p.call(a, k, 3), p.call(a, back, -3))
		if d[1] != alone || !d[1].Limited || d[0] != look || d[2] != used {
			p.Errorf("%s: %+v; the refusal alone was %+v, the looks %+v and %+v", a.Name, d, alone, look, used)
		}
		calls := []engine.Call{*p.call(a, other, 2), *p.call(a, k, 3), *p.call(a, back, -3)}
		if n, wait := engine.Deciding(calls, d); n != 1 || wait != alone.RetryAfter {
			p.Errorf("%s: part %d decides, with a wait of %v", a.Name, n, wait)
		}
		p.unchanged(a.Name, []engine.Key{k, other, back}, before)
		p.store.AdvanceClock(alone.RetryAfter - 1)
		if d = p.takeAll(p.call(a, other, 2), p.call(a, k, 3)); !d[1].Limited || d[0].Limited {
			p.Errorf("%s: a nanosecond before: %+v", a.Name, d)
		}
		p.store.AdvanceClock(1)
		if d = p.takeAll(p.call(a, other, 2), p.call(a, k, 3)); d[0].Limited || d[1].Limited {
			p.Errorf("%s: when it waited as told: %+v", a.Name, d)
		}
	}
}

func lookInside(p *probe) {
	for i, a := range engine.Algorithms {
		k, other := key(fmt.Sprint("look:", i)), key(fmt.Sprint("other:", i))
		p.grant(a, k, 9)
		before := p.states([]engine.Key{k})
		d := p.takeAll(p.call(a, k, 0), p.call(a, other, 3))
		if d[0].Limited || d[0].Remaining != 1 || d[1].Limited || d[1].Remaining != 7 {
			p.Errorf("%s: one remains for a look: %+v", a.Name, d)
		}
		p.unchanged(a.Name, []engine.Key{k}, before)
		p.grant(a, k, 1)
		d = p.takeAll(p.call(a, k, 0), p.call(a, other, 3))
		if !d[0].Limited || d[1].Limited || d[1].Remaining != 7 {
			p.Errorf("%s: none remains for a look: %+v", a.Name, d)
		}
	}
}

func wrongKindInside(p *probe) {
	keys := append(parts(), key("leases"))
	for i, a := range engine.Algorithms {
		p.grant(a, keys[i], 3)
	}
	p.hold(key("leases"), 3, "a", engine.MaxWindow)
	before := p.states(keys)
	for wrong := range keys {
		var calls []engine.Call
		for i, k := range keys[:len(engine.Algorithms)] {
			a := engine.Algorithms[i]
			if i == wrong {
				a = engine.Algorithms[(i+1)%len(engine.Algorithms)]
			}
			calls = append(calls, *p.call(a, k, []int64{1, -1, -3}[wrong%3]))
		}
		if wrong == len(engine.Algorithms) {
			calls = append(calls, *p.call(engine.GCRA, key("leases"), 1))
		}
		if err := p.store.TakeAll(p.Context(), calls, make([]engine.Decision, len(calls))); !errors.Is(err, engine.ErrWrongKind) {
			p.Errorf("part %d: error %v", wrong, err)
		}
		p.unchanged(fmt.Sprintf("part %d", wrong), keys, before)
	}
}
