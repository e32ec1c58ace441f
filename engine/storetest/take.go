package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

func takeRules() []rule {
	return []rule{
		{
			"Take is atomic",
			"64 callers who ask for one key at once are granted exactly its limit, not one unit more or less.",
			func(p *probe) { p.everyAlgorithm(takeIsAtomic) },
		}, {
			"a refusal leaves no trace",
			"A call that is refused changes nothing, and so does a look. A key that was never granted anything does not exist.",
			func(p *probe) { p.everyAlgorithm(refusalLeavesNoTrace) },
		}, {
			"a key holds one algorithm",
			"Another algorithm's call on a key is answered with ErrWrongKind and changes nothing, until the key is untouched.",
			keyHoldsOneAlgorithm,
		}, {
			"giving all back makes a key untouched",
			"A state that comes back to zero is no state: the key does not exist any more.",
			func(p *probe) { p.everyAlgorithm(givenBackIsGone) },
		}, {
			"the instant is the store's",
			"A call's Now is the store's to set. Whatever the caller left in it has no effect.",
			func(p *probe) { p.everyAlgorithm(instantIsTheStores) },
		},
	}
}

func takeIsAtomic(p *probe, a *engine.Algorithm) {
	const callers, limit, each = 64, 999, 32 // 2048 calls for 999 units
	k := key("atomic:" + a.Name)
	l := p.limit(a, limit)
	var granted atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			call := &engine.Call{Key: k, Algorithm: a, Request: engine.Request{Limit: l, Cost: 1}}
			for range each {
				d, err := p.store.Take(p.Context(), call)
				if err != nil {
					p.Error(err)
					return
				}
				if !d.Limited {
					granted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if granted.Load() != limit {
		p.Errorf("%d units of %d were granted", granted.Load(), limit)
	}
}

func refusalLeavesNoTrace(p *probe, a *engine.Algorithm) {
	k := key("trace")
	if d := p.refuse(a, k, 11); d.RetryAfter != engine.Never {
		p.Errorf("more than the limit may be asked for again after %v", d.RetryAfter)
	}
	p.absent(k)
	p.grant(a, k, 0)
	p.absent(k)
	p.grant(a, k, -3)
	p.absent(k)

	p.grant(a, k, 8)
	before := p.get(k)
	p.refuse(a, k, 3)
	p.refuse(a, k, 11)
	p.grant(a, k, 0)
	if after := p.get(k); !same(after, before) {
		p.Errorf("the state was %+v and is %+v", before, after)
	}
	p.delete(k)
}

func keyHoldsOneAlgorithm(p *probe) {
	k := key("kind")
	for _, a := range engine.Algorithms {
		p.grant(a, k, 1)
		before := p.get(k)
		for _, b := range engine.Algorithms {
			if b == a {
				continue
			}
			for _, cost := range []int64{1, 0, -1, 11} {
				if _, err := p.store.Take(p.Context(), p.call(b, k, cost)); !errors.Is(err, engine.ErrWrongKind) {
					p.Errorf("%s on a key of %s at a cost of %d: error %v", b.Name, a.Name, cost, err)
				}
			}
		}
		if after := p.get(k); !same(after, before) {
			p.Errorf("the state was %+v and is %+v", before, after)
		}
		// The next algorithm finds the key untouched: over, not deleted.
		p.store.AdvanceClock(time.Duration(before.Deadline - p.store.Now()))
	}
}

func givenBackIsGone(p *probe, a *engine.Algorithm) {
	k := key("back")
	p.grant(a, k, 4)
	p.grant(a, k, -4)
	p.absent(k)
	if d := p.grant(a, k, 10); d.Remaining != 0 {
		p.Errorf("after all ten were taken, %d remain", d.Remaining)
	}
	p.grant(a, k, -100)
	p.absent(k)
}

func instantIsTheStores(p *probe, a *engine.Algorithm) {
	k := key("instant")
	p.grant(a, k, 10)
	call := p.call(a, k, 1)
	call.Now = p.store.Now() + engine.Instant(time.Hour)
	if d, err := p.store.Take(p.Context(), call); err != nil || !d.Limited {
		p.Errorf("a call that says it is later: %+v (error: %v)", d, err)
	}
	p.delete(k)
}
