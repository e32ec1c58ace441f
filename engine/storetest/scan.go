package storetest

import (
	"fmt"
	"math"

	"sluice/engine"
)

func scanRules() []rule {
	return []rule{
		{
			"a walk meets every key that stays",
			"A whole walk of Scan meets each key that exists all the while at least once, while others come and go " +
				"and the store grows and shrinks under the cursor.",
			walkMeetsWhatStays,
		}, {
			"a walk comes to its end",
			"With any count, and from any cursor a client makes up, a walk ends; an empty database's ends at once.",
			walkEnds,
		}, {
			"what Scan yields is yield's",
			"The name is the caller's to keep, and yield may call the store: nothing is locked meanwhile.",
			yieldIsFree,
		}, {
			"Random finds a key where there is one",
			"Random misses no lonely key beside a crowd in another database, and says false where there is none.",
			randomFinds,
		},
	}
}

func walkMeetsWhatStays(p *probe) {
	const stay, waves = 400, 40
	for i := range stay {
		p.grant(engine.TokenBucket, key(fmt.Sprint("stay:", i)), 1)
	}
	wave := func(i int, visit func(engine.Key)) {
		for j := range 50 {
			visit(key(fmt.Sprint("come:", i, ":", j)))
		}
	}
	for _, count := range []int{1, 10, 1000} {
		calls := 0
		met := p.walk(0, count, func() {
			if calls++; calls <= waves {
				wave(calls, func(k engine.Key) { p.grant(engine.GCRA, k, 1) })
			} else if calls <= 2*waves {
				wave(calls-waves, func(k engine.Key) { p.delete(k) })
			}
		})
		for i := range stay {
			if met[fmt.Sprint("stay:", i)] == 0 {
				p.Errorf("with a count of %d the walk does not meet stay:%d", count, i)
			}
		}
		for i := range waves {
			wave(i+1, func(k engine.Key) { p.delete(k) })
		}
	}
}

func walkEnds(p *probe) {
	if met := p.walk(3, 10, nil); len(met) != 0 {
		p.Errorf("a walk of an empty database meets %v", met)
	}
	const keys = 50
	for i := range keys {
		p.grant(engine.SlidingWindow, key(fmt.Sprint("walk:", i)), 1)
	}
	for _, count := range []int{math.MinInt, -1, 0, 1, 7, keys, 1 << 40, math.MaxInt} {
		if met := p.walk(0, count, nil); len(met) != keys {
			p.Errorf("with a count of %d a walk meets %d keys of %d", count, len(met), keys)
		}
	}
	for _, cursor := range []uint64{1, 12345, 1<<47 + 3, 1<<48 - 1, 1 << 48, math.MaxInt64, math.MaxUint64} {
		calls := 0
		for cursor != 0 && calls < walkLimit {
			next, err := p.store.Scan(p.Context(), 0, cursor, 10, func(engine.Entry) {})
			if err != nil {
				break // a store may refuse a cursor it never gave
			}
			cursor = next
			calls++
		}
		if calls == walkLimit {
			p.Errorf("a walk from a cursor that was made up does not end")
		}
	}
}

func yieldIsFree(p *probe) {
	const keys = 64
	for i := range keys {
		p.grant(engine.GCRA, key(fmt.Sprintf("yield:%02d", i)), 2)
	}
	var kept []engine.Entry
	cursor := uint64(0)
	for first := true; first || cursor != 0; first = false {
		next, err := p.store.Scan(p.Context(), 0, cursor, 10, func(e engine.Entry) {
			kept = append(kept, e)
			p.grant(engine.GCRA, e.Key, 1)
			if s := p.get(e.Key); s.Kind != engine.KindGCRA || s == e.State {
				p.Errorf("%q: its state was %+v and is %+v", e.Key.Name, e.State, s)
			}
		})
		p.must(err)
		cursor = next
	}
	met := map[string]bool{}
	for _, e := range kept {
		met[string(e.Key.Name)] = true
	}
	for i := range keys {
		if name := fmt.Sprintf("yield:%02d", i); !met[name] {
			p.Errorf("%s was not met, or its name was changed afterwards", name)
		}
	}
}

func randomFinds(p *probe) {
	for i := range 300 {
		p.grant(engine.TokenBucket, key(fmt.Sprint("crowd:", i)), 1)
	}
	if e, ok, err := p.store.Random(p.Context(), 7); ok || err != nil {
		p.Errorf("in an empty database: %q (error: %v)", e.Key.Name, err)
	}
	lonely := engine.Key{DB: 7, Name: []byte("lonely")}
	p.grant(engine.GCRA, lonely, 1)
	want := p.get(lonely)
	for range 20 {
		e, ok, err := p.store.Random(p.Context(), 7)
		if !ok || err != nil || string(e.Key.Name) != "lonely" || !same(e.State, want) {
			p.Fatalf("Random: %+v, %v (error: %v)", e, ok, err)
		}
	}
	seen := map[string]bool{}
	for range 100 {
		if e, ok, _ := p.store.Random(p.Context(), 0); ok {
			seen[string(e.Key.Name)] = true
		}
	}
	if len(seen) < 10 {
		p.Errorf("a hundred times at random gave only %d keys", len(seen))
	}
}
