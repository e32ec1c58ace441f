package storetest

import (
	"fmt"
	"sync"
	"time"

	"sluice/engine"
)

func clockRules() []rule {
	return []rule{
		{
			"a clock set back grants nothing",
			"When the clock is set back, what was used stays used: no key has more remaining than before, and none " +
				"waits longer. A window lies on the clock, so its wait is at most its own length anew, and the same as " +
				"before when the clock went back by whole windows.",
			func(p *probe) { p.everyAlgorithm(setBackGrantsNothing) },
		}, {
			"a clock set back keeps keys bounded",
			"After the clock was set back a key is untouched when its limit's own time has passed; none stays for ever.",
			func(p *probe) { p.everyAlgorithm(setBackEnds) },
		}, {
			"a test's hand moves the clock",
			"StopClock stops it there, AdvanceClock moves it, RealClock gives the real one back.",
			handMovesTheClock,
		}, {
			"the clock never runs back",
			"Whoever reads the clock, from any goroutine, reads nothing earlier than what was read before.",
			clockNeverRunsBack,
		},
	}
}

// longest is the most a key of limitOf can wait for, on any clock.
const longest = 2*time.Minute + time.Second

func setBackGrantsNothing(p *probe, a *engine.Algorithm) {
	for i, back := range []time.Duration{1, time.Second, time.Minute, time.Hour, 87_660 * time.Hour, time.Duration(start)} {
		p.store.StopClock(start)
		full, half := key(fmt.Sprint("full:", i)), key(fmt.Sprint("half:", i))
		p.grant(a, full, 10)
		p.grant(a, half, 5)
		before, left := p.refuse(a, full, 1), p.grant(a, half, 0)
		p.store.AdvanceClock(-back)
		after := p.refuse(a, full, 1)
		most := before.RetryAfter
		if back%time.Minute != 0 && (a.Kind == engine.KindFixedWindow || a.Kind == engine.KindSlidingWindow) {
			most = longest
		}
		if after.RetryAfter > most || after.RetryAfter <= 0 {
			p.Errorf("set back by %v: its wait was %v and is %v", back, before.RetryAfter, after.RetryAfter)
		}
		if now := p.grant(a, half, 0); now.Remaining > left.Remaining {
			p.Errorf("set back by %v: %d remained and %d do", back, left.Remaining, now.Remaining)
		}
		p.store.AdvanceClock(after.RetryAfter - 1)
		p.refuse(a, full, 1)
		p.store.AdvanceClock(1)
		p.grant(a, full, 1)
		p.must(p.store.Flush(p.Context(), engine.AllDatabases))
	}
}

func setBackEnds(p *probe, a *engine.Algorithm) {
	k := key("bounded")
	for _, back := range []time.Duration{1, time.Second, time.Hour, 87_660 * time.Hour} {
		p.store.StopClock(start)
		p.grant(a, k, 10)
		p.store.AdvanceClock(-back)
		if left := time.Duration(p.get(k).Deadline - p.store.Now()); left > longest {
			p.Errorf("set back by %v: it is untouched only in %v", back, left)
		}
		p.store.AdvanceClock(longest)
		p.absent(k)
	}
	// A key that was over before the clock went back stays so.
	p.store.StopClock(start)
	p.grant(a, k, 10)
	p.store.StopClock(p.get(k).Deadline)
	p.store.StopClock(start)
	p.absent(k)
}

func handMovesTheClock(p *probe) {
	if now := p.store.Now(); now != start {
		p.Errorf("stopped at %d it shows %d", start, now)
	}
	p.store.AdvanceClock(time.Hour)
	p.store.AdvanceClock(-time.Minute)
	if now, want := p.store.Now(), start+engine.Instant(59*time.Minute); now != want {
		p.Errorf("moved to %d it shows %d", want, now)
	}
	p.store.RealClock()
	if off := time.Since(time.Unix(0, int64(p.store.Now()))); off.Abs() > time.Minute {
		p.Errorf("the real clock is off by %v", off)
	}
	before := p.store.Now()
	p.store.AdvanceClock(time.Hour)
	if moved := time.Duration(p.store.Now() - before); moved < time.Hour || moved > 2*time.Hour {
		p.Errorf("a running clock moved by an hour is %v later", moved)
	}
}

func clockNeverRunsBack(p *probe) {
	p.store.RealClock()
	var mu sync.Mutex
	var latest engine.Instant
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				mu.Lock()
				floor := latest
				mu.Unlock()
				now := p.store.Now()
				if now < floor {
					p.Errorf("%d was read after %d", now, floor)
					return
				}
				mu.Lock()
				latest = max(latest, now)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
