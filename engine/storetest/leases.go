package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

func leaseRules() []rule {
	return []rule{
		{
			"no more leases than the limit",
			"64 callers who come and go hold at most limit leases of a key at any moment, and who was told that he holds " +
				"one can release it.",
			leasesAreAtomic,
		}, {
			"a lease ends on time",
			"A lease that is not released frees its place at its last instant, and not a nanosecond before.",
			leaseEnds,
		}, {
			"only who holds a lease can renew or release it",
			"Another's token, a lease that was released and one that is over are answered with not held, and nothing changes.",
			strangersChangeNothing,
		}, {
			"acquiring with a held token renews",
			"It takes no second place, is granted where the limit is used up or was lowered, and may shorten the lease.",
			acquiringAgainRenews,
		}, {
			"a lower limit waits until enough have ended",
			"Where more hold a lease than a lowered limit allows, the wait is exact: refused a nanosecond before, granted then.",
			lowerLimitWaits,
		}, {
			"an Acquire of 0 looks",
			"It tells what an Acquire would be told and takes nothing; a key that was only looked at does not exist.",
			leaseLooks,
		}, {
			"the last lease takes the key with it",
			"A key exists from its first lease to its last, whether that is released or is over, and tells how many there are.",
			lastLeaseEndsTheKey,
		}, {
			"leases are a kind of their own",
			"A limiter's call on a key with leases, and a call about leases on another key, is answered with ErrWrongKind and " +
				"changes nothing.",
			leasesAreAKind,
		}, {
			"a clock set back keeps leases",
			"When the clock is set back each lease that is not over lasts as long as it would have; none comes back to life.",
			setBackKeepsLeases,
		}, {
			"ten thousand leases on one key",
			"A key may have as many leases as its limit says; each is found, renewed, waited for and released as if alone.",
			manyLeases,
		},
	}
}

// lease makes a call about the leases of a key, which must not err.
func (p *probe) lease(c engine.LeaseCall) (engine.Decision, bool) {
	p.Helper()
	d, held, err := p.store.Lease(p.Context(), &c)
	p.must(err)
	return d, held
}

// acquire is an Acquire for a minute.
func (p *probe) acquire(k engine.Key, limit uint64, token string) (engine.Decision, bool) {
	p.Helper()
	return p.lease(engine.LeaseCall{Key: k, Op: engine.Acquire, Limit: limit, Token: token, Lease: time.Minute})
}

// hold is one that must be granted, for so long.
func (p *probe) hold(k engine.Key, limit uint64, token string, lease time.Duration) engine.Decision {
	p.Helper()
	d, held := p.lease(engine.LeaseCall{Key: k, Op: engine.Acquire, Limit: limit, Token: token, Lease: lease})
	if d.Limited || !held || d.RetryAfter != engine.Never {
		p.Fatalf("%s was refused, or does not hold its lease (%v): %+v", token, held, d)
	}
	return d
}

// wait is one that must be refused; so long.
func (p *probe) wait(k engine.Key, limit uint64, token string) time.Duration {
	p.Helper()
	d, held := p.acquire(k, limit, token)
	if !d.Limited || held || d.Remaining != 0 {
		p.Fatalf("%s was granted, or holds a lease (%v): %+v", token, held, d)
	}
	return d.RetryAfter
}

func (p *probe) release(k engine.Key, token string) bool {
	p.Helper()
	_, held := p.lease(engine.LeaseCall{Key: k, Op: engine.Release, Token: token})
	return held
}

func (p *probe) renew(k engine.Key, token string, lease time.Duration) bool {
	p.Helper()
	_, held := p.lease(engine.LeaseCall{Key: k, Op: engine.Renew, Token: token, Lease: lease})
	return held
}

// leases checks how many leases a key has now: so many of at most ten remain.
func (p *probe) leases(k engine.Key, want uint64) {
	p.Helper()
	d, _ := p.lease(engine.LeaseCall{Key: k, Op: engine.Acquire, Limit: 10})
	s := p.get(k)
	if d.Remaining != 10-want || s.Words[0] != want || time.Duration(max(0, s.Deadline-p.store.Now())) != d.ResetAfter {
		p.Errorf("%d leases of ten: a look says %+v, Get %+v", want, d, s)
	}
}

func leasesAreAtomic(p *probe) {
	const callers, limit, each = 64, 5, 50
	k := key("atomic")
	var inside, granted, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			token := fmt.Sprint("holder ", i)
			for range each {
				d, held, err := p.store.Lease(p.Context(), &engine.LeaseCall{
					Key: k, Op: engine.Acquire, Limit: limit, Token: token, Lease: time.Minute,
				})
				if err != nil || held == d.Limited || d.Remaining >= limit {
					p.Errorf("%+v, held %v (error: %v)", d, held, err)
					return
				}
				if !held {
					refused.Add(1)
					continue
				}
				granted.Add(1)
				if n := inside.Add(1); n > limit {
					p.Errorf("%d hold a lease at once", n)
				}
				inside.Add(-1)
				if !p.release(k, token) {
					p.Errorf("%s could not release what it holds", token)
				}
			}
		})
	}
	wg.Wait()
	if granted.Load()+refused.Load() != callers*each || granted.Load() < limit {
		p.Errorf("%d were granted and %d refused of %d", granted.Load(), refused.Load(), callers*each)
	}
	p.absent(k)
	granted.Store(0)
	for i := range callers { // nobody releases
		wg.Go(func() {
			if _, held := p.acquire(k, limit, fmt.Sprint("holder ", i)); held {
				granted.Add(1)
			}
		})
	}
	wg.Wait()
	if granted.Load() != limit {
		p.Errorf("%d leases of %d were granted", granted.Load(), limit)
	}
}

func leaseEnds(p *probe) {
	k := key("ends")
	if d := p.hold(k, 2, "long", 3*time.Second); d.Remaining != 1 || d.ResetAfter != 3*time.Second {
		p.Errorf("the first of two: %+v", d)
	}
	if d := p.hold(k, 2, "short", time.Millisecond); d.Remaining != 0 || d.ResetAfter != 3*time.Second {
		p.Errorf("the second of two: %+v", d)
	}
	if wait := p.wait(k, 2, "next"); wait != time.Millisecond {
		p.Errorf("the first place is free in %v", wait)
	}
	p.store.AdvanceClock(time.Millisecond - 1)
	if wait := p.wait(k, 2, "next"); wait != 1 {
		p.Errorf("a nanosecond before: %v", wait)
	}
	p.store.AdvanceClock(1)
	p.leases(k, 1)
	p.hold(k, 2, "next", time.Hour)
	if wait := p.wait(k, 2, "last"); wait != 3*time.Second-time.Millisecond {
		p.Errorf("the second place is free in %v", wait)
	}
}

func strangersChangeNothing(p *probe) {
	k := key("strangers")
	nothing := func(token, what string) {
		p.Helper()
		before := p.get(k)
		if p.release(k, token) || p.renew(k, token, time.Hour) {
			p.Errorf("%s: it could be renewed or released", what)
		}
		if after := p.get(k); after.Deadline != before.Deadline || after.Words[0] != before.Words[0] {
			p.Errorf("%s: the state was %+v and is %+v", what, before, after)
		}
	}
	nothing("a", "a key never used")
	p.absent(k)
	p.hold(k, 10, "a", 2*time.Second)
	p.hold(k, 10, "b", time.Minute)
	nothing("c", "another's token")
	nothing("", "no token")
	if !p.release(k, "a") {
		p.Errorf("a could not release its lease")
	}
	nothing("a", "released")
	p.leases(k, 1)
	p.hold(k, 10, "a", 2*time.Second)
	p.store.AdvanceClock(2*time.Second - 1)
	if !p.renew(k, "a", time.Second) {
		p.Errorf("a nanosecond before its end a lease could not be renewed")
	}
	p.store.AdvanceClock(time.Second)
	nothing("a", "over")
	p.leases(k, 1)
	p.store.AdvanceClock(time.Minute)
	nothing("b", "all over")
	p.absent(k)
}

func acquiringAgainRenews(p *probe) {
	k := key("again")
	p.hold(k, 2, "a", time.Minute)
	p.hold(k, 2, "b", 2*time.Minute)
	for _, tt := range []struct {
		name         string
		limit        uint64
		lease, reset time.Duration
	}{
		{"longer", 2, 3 * time.Minute, 3 * time.Minute},
		{"the same", 2, 3 * time.Minute, 3 * time.Minute},
		{"under a lowered limit", 1, 4 * time.Minute, 4 * time.Minute},
		{"shorter", 2, time.Second, 2 * time.Minute},
	} {
		if d := p.hold(k, tt.limit, "a", tt.lease); d.Remaining != 0 || d.ResetAfter != tt.reset {
			p.Errorf("%s: %+v", tt.name, d)
		}
		p.leases(k, 2)
	}
	p.store.AdvanceClock(time.Second)
	p.leases(k, 1)
	p.store.AdvanceClock(2*time.Minute - time.Second)
	p.absent(k)
}

func lowerLimitWaits(p *probe) {
	const held = 6
	for limit := range uint64(held) {
		k := key(fmt.Sprint("lower:", limit))
		p.store.StopClock(start)
		for _, n := range []int{3, 1, 6, 2, 5, 4} { // token n ends n seconds from now
			p.hold(k, held, fmt.Sprint(n), time.Duration(n)*time.Second)
		}
		limit++
		// One of limit must be left over: held − limit + 1 have to end.
		want := time.Duration(held-limit+1) * time.Second
		wait := p.wait(k, limit, "new")
		if wait != want {
			p.Errorf("at a limit of %d the wait is %v, not %v", limit, wait, want)
		}
		p.store.AdvanceClock(wait - 1)
		if again := p.wait(k, limit, "new"); again != 1 {
			p.Errorf("at a limit of %d a nanosecond is missing: %v", limit, again)
		}
		p.store.AdvanceClock(1)
		p.hold(k, limit, "new", time.Second)
	}
}
