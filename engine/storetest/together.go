package storetest

import (
	"sync"
	"time"

	"sluice/engine"
)

// nearRules are kept by stores that are Near; for others they say nothing.
func nearRules() []rule {
	return []rule{
		{
			"calls together decide as they do one by one",
			"Together is about speed: also with a key that comes twice, with keys that are new, over or of another kind.",
			togetherAsAlone,
		}, {
			"parts and leases may come together with calls",
			"Together also takes TakeAll and Lease: they see what came before them, and decide at the same instant.",
			togetherMixed,
		}, {
			"calls together are at one instant and alone",
			"While f runs nobody else touches its keys, and its calls see the clock of its beginning.",
			togetherAlone,
		}, {
			"a panic in calls together locks nobody out",
			"The panic goes on to the caller; what was decided before it is, and the keys are free.",
			togetherPanics,
		},
	}
}

// together makes calls together and hands out what was decided.
func (p *probe) together(calls []*engine.Call) (all []engine.Decision, errs []error) {
	keys := make([]engine.Key, len(calls))
	for i, c := range calls {
		keys[i] = c.Key
	}
	p.store.(engine.Near).Together(keys, func(inner engine.Store) {
		for _, c := range calls {
			d, err := inner.Take(p.Context(), c)
			all, errs = append(all, d), append(errs, err)
		}
	})
	return all, errs
}

func (p *probe) near() bool {
	_, near := p.store.(engine.Near)
	return near
}

func togetherAsAlone(p *probe) {
	if !p.near() {
		return
	}
	for round := range 60 {
		var calls, again []*engine.Call
		for i := range 1 + round%engine.MaxTogether {
			n := round + 3*i*i
			a := engine.Algorithms[n%len(engine.Algorithms)]
			k := engine.Key{DB: i % 2, Name: []byte{byte('a' + n%11)}}
			alone := engine.Key{DB: 2 + i%2, Name: k.Name}
			cost := int64(1 + n%5)
			calls, again = append(calls, p.call(a, k, cost)), append(again, p.call(a, alone, cost))
		}
		decisions, errs := p.together(calls)
		for i, c := range again {
			d, err := p.store.Take(p.Context(), c)
			if d != decisions[i] || err != errs[i] {
				p.Fatalf("round %d, call %d: together %+v %v, alone %+v %v", round, i, decisions[i], errs[i], d, err)
			}
		}
		p.store.AdvanceClock(1_700_000_000 * 7)
	}
}

func togetherMixed(p *probe) {
	if !p.near() {
		return
	}
	keys, ctx := parts(), p.Context()
	lease := engine.LeaseCall{Key: key("leases"), Op: engine.Acquire, Token: "a", Limit: 1, Lease: time.Minute}
	another := lease
	another.Token = "b"
	p.store.RealClock()
	p.store.(engine.Near).Together(append(keys, lease.Key), func(inner engine.Store) {
		first := p.call(engine.TokenBucket, keys[0], 3)
		_, err := inner.Take(ctx, first)
		p.must(err)
		calls := []engine.Call{*p.call(engine.TokenBucket, keys[0], 3), *p.call(engine.SlidingLog, keys[1], 1)}
		decisions := make([]engine.Decision, len(calls))
		p.must(inner.TakeAll(ctx, calls, decisions))
		if decisions[0].Remaining != 4 || decisions[1].Remaining != 9 {
			p.Errorf("after a call the parts are decided %+v", decisions)
		}
		_, held, err := inner.Lease(ctx, &lease)
		if err != nil || !held {
			p.Errorf("no lease: %v", err)
		}
		d, held, err := inner.Lease(ctx, &another)
		if err != nil || held || d.RetryAfter != time.Minute {
			p.Errorf("a second lease of one: %+v, held %v, error %v", d, held, err)
		}
		if calls[0].Now != first.Now || lease.Now != first.Now || another.Now != first.Now {
			p.Error("the clock went on")
		}
	})
}

func togetherAlone(p *probe) {
	if !p.near() {
		return
	}
	p.store.RealClock()
	keys := parts()[:2]
	a := engine.TokenBucket
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				calls := []*engine.Call{p.call(a, keys[0], 1), p.call(a, keys[1], 0), p.call(a, keys[0], -1), p.call(a, keys[0], 0)}
				decisions, _ := p.together(calls)
				if calls[0].Now != calls[3].Now {
					p.Error("the clock went on")
				}
				if d := decisions[3]; d.Remaining != 10 {
					p.Errorf("somebody else has taken: %+v", d)
				}
			}
		})
	}
	wg.Wait()
}

func togetherPanics(p *probe) {
	if !p.near() {
		return
	}
	keys := parts()
	func() {
		defer func() {
			if r := recover(); r != "a bug" {
				p.Errorf("what came out is %v", r)
			}
		}()
		p.store.(engine.Near).Together(keys, func(inner engine.Store) {
			_, _ = inner.Take(p.Context(), p.call(engine.GCRA, keys[0], 1))
			panic("a bug")
		})
	}()
	if d := p.take(engine.GCRA, keys[0], 0); d.Remaining != 9 {
		p.Errorf("after the panic: %+v", d)
	}
	_, _ = p.together([]*engine.Call{p.call(engine.GCRA, keys[0], 1), p.call(engine.GCRA, keys[1], 1)})
}
