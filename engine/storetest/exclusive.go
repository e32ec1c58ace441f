package storetest

import (
	"runtime"
	"sync"

	"sluice/engine"
)

func exclusiveRules() []rule {
	return []rule{
		{
			"Exclusively shuts the others out",
			"While f runs nobody else touches its keys, or any key if it names none: what it read stays true.",
			exclusivelyAlone,
		}, {
			"inside Exclusively every method works",
			"On the store that f is given, also those that lock several keys or all, and Exclusively itself.",
			exclusivelyNested,
		}, {
			"a panic inside Exclusively locks nobody out",
			"The panic goes on to the caller; what was done before it is done, and the keys are free.",
			exclusivelyPanics,
		},
	}
}

// exclusively runs f for some keys, with a probe of the store that is given to it.
func (p *probe) exclusively(keys []engine.Key, f func(inner *probe)) {
	p.store.Exclusively(keys, func(s engine.Store) { f(&probe{p.T, s}) })
}

func exclusivelyAlone(p *probe) {
	const callers, each = 16, 20
	keys := parts()
	untilNow := func(p *probe) (used uint64) {
		for i, k := range keys {
			d, _ := p.store.Take(p.Context(), p.call(engine.Algorithms[i], k, 0))
			used += 10 - d.Remaining
		}
		return used
	}
	for _, named := range [][]engine.Key{keys, nil} {
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				for i := range each {
					k := (c + i) % len(keys)
					a := engine.Algorithms[k]
					if c%2 == 0 {
						if _, err := p.store.Take(p.Context(), p.call(a, keys[k], []int64{1, -1}[i%2])); err != nil {
							p.Error(err)
						}
						continue
					}
					p.exclusively(named, func(p *probe) {
						before := untilNow(p)
						runtime.Gosched() // the others' chance
						if after := untilNow(p); after != before {
							p.Errorf("%d units were used, and then %d", before, after)
						}
						d, _ := p.store.Take(p.Context(), p.call(a, keys[k], 1))
						want := before
						if !d.Limited {
							want++
						}
						if after := untilNow(p); after != want {
							p.Errorf("after one more of %d there are %d", before, after)
						}
					})
				}
			})
		}
		wg.Wait()
	}
}

func exclusivelyNested(p *probe) {
	keys := append(parts(), key("leases"))
	p.exclusively(keys, func(p *probe) { useAll(p, keys) })
	p.exclusively(nil, func(p *probe) {
		p.must(p.store.Flush(p.Context(), 0))
		useAll(p, keys)
		if met := p.walk(0, 3, nil); len(met) != len(keys) || p.len(0) != int64(len(keys)) {
			p.Errorf("a walk meets %v", met)
		}
		if _, ok, err := p.store.Random(p.Context(), 0); !ok || err != nil {
			p.Errorf("Random finds none (error: %v)", err)
		}
		p.store.AdvanceClock(-1)
		p.store.StopClock(start)
		p.must(p.store.Flush(p.Context(), 0))
		p.absent(keys[0])
	})
	p.absent(keys[0])
}

// useAll uses every method that is about single keys.
func useAll(p *probe, keys []engine.Key) {
	p.hold(key("leases"), 2, "a", engine.MaxWindow)
	if !p.release(key("leases"), "a") {
		p.Errorf("a does not hold its lease")
	}
	p.hold(key("leases"), 2, "b", engine.MaxWindow)
	var calls []*engine.Call
	for i, a := range engine.Algorithms {
		p.grant(a, keys[i], 3)
		if !p.delete(keys[i]) {
			p.Errorf("%s did not exist", keys[i].Name)
		}
		calls = append(calls, p.call(a, keys[i], 4))
	}
	p.exclusively(keys, func(p *probe) {
		p.takeAll(calls...)
		p.exclusively(keys[:1], func(p *probe) { p.takeAll(calls...) })
	})
	before := p.states(keys)
	p.takeAll(calls...)
	p.unchanged("four for the third time of ten", keys, before)
	for _, k := range keys {
		if n, err := p.store.Size(p.Context(), k); n <= 0 || err != nil {
			p.Errorf("%s takes %d bytes (error: %v)", k.Name, n, err)
		}
	}
}

func exclusivelyPanics(p *probe) {
	keys := parts()
	for i, named := range [][]engine.Key{keys, nil} {
		func() {
			defer func() {
				if r := recover(); r != "a bug" {
					p.Errorf("what came out is %v", r)
				}
			}()
			p.exclusively(named, func(p *probe) {
				p.grant(engine.Algorithms[0], keys[0], 1)
				panic("a bug")
			})
		}()
		if d := p.take(engine.Algorithms[0], keys[0], 0); d.Remaining != uint64(9-i) {
			p.Errorf("after the panic: %+v", d)
		}
		for j, a := range engine.Algorithms {
			p.take(a, keys[j], 1)
			p.take(a, keys[j], -1)
		}
		p.len(0)
		p.walk(0, 10, nil)
	}
}
