package storetest

import (
	"errors"
	"fmt"
	"time"

	"sluice/engine"
)

func leaseLooks(p *probe) {
	k := key("looks")
	look := func(limit uint64, token string) engine.Decision {
		p.Helper()
		d, held := p.lease(engine.LeaseCall{Key: k, Op: engine.Acquire, Limit: limit, Token: token})
		if held {
			p.Errorf("who looked holds a lease")
		}
		return d
	}
	if d := look(3, ""); d != (engine.Decision{Remaining: 3, RetryAfter: engine.Never}) {
		p.Errorf("an untouched key: %+v", d)
	}
	p.absent(k)
	p.hold(k, 3, "a", 2*time.Second)
	p.hold(k, 3, "b", time.Second)
	before := p.get(k)
	if d := look(3, ""); d != (engine.Decision{Remaining: 1, RetryAfter: engine.Never, ResetAfter: 2 * time.Second}) {
		p.Errorf("two of three: %+v", d)
	}
	if d := look(2, ""); d != (engine.Decision{Limited: true, RetryAfter: time.Second, ResetAfter: 2 * time.Second}) {
		p.Errorf("two of two: %+v", d)
	}
	if d := look(2, "a"); d != (engine.Decision{RetryAfter: engine.Never, ResetAfter: 2 * time.Second}) {
		p.Errorf("two of two, one's own: %+v", d)
	}
	if after := p.get(k); after != before {
		p.Errorf("looks changed %+v to %+v", before, after)
	}
}

func lastLeaseEndsTheKey(p *probe) {
	k := key("last")
	p.hold(k, 10, "a", time.Second)
	p.hold(k, 10, "b", 2*time.Second)
	p.hold(k, 10, "c", 3*time.Second)
	p.leases(k, 3)
	if n := p.len(0); n != 1 {
		p.Errorf("%d keys", n)
	}
	if met := p.walk(0, 10, nil); met["last"] == 0 {
		p.Errorf("Scan does not meet it")
	}
	p.store.AdvanceClock(time.Second)
	if s := p.get(k); s.Kind != engine.KindConcurrency || s.Words[0] != 2 { // nobody has used it since
		p.Errorf("when the first of three is over: %+v", s)
	}
	p.release(k, "c")
	p.leases(k, 1)
	p.release(k, "b")
	p.absent(k)
	if n := p.len(0); n != 0 {
		p.Errorf("%d keys", n)
	}
	p.hold(k, 1, "a", time.Second)
	p.store.AdvanceClock(time.Second)
	p.absent(k)
	p.hold(k, 1, "a", time.Second)
	if !p.delete(k) || p.release(k, "a") {
		p.Errorf("it did not exist, or has a lease after it was deleted")
	}
	p.hold(k, 1, "b", time.Second)
	p.must(p.store.Flush(p.Context(), 0))
	p.absent(k)
	p.hold(k, 1, "c", time.Second)
}

func leasesAreAKind(p *probe) {
	k := key("kind")
	wrong := func(name string, err error) {
		p.Helper()
		if !errors.Is(err, engine.ErrWrongKind) {
			p.Errorf("%s: error %v", name, err)
		}
	}
	for _, a := range engine.Algorithms {
		p.hold(k, 3, "a", time.Minute)
		before := p.get(k)
		for _, cost := range []int64{1, 0, -1, 11} {
			_, err := p.store.Take(p.Context(), p.call(a, k, cost))
			wrong(a.Name+" on leases", err)
		}
		if after := p.get(k); after != before {
			p.Errorf("%s changed %+v to %+v", a.Name, before, after)
		}
		p.store.AdvanceClock(time.Minute) // over, not deleted
		p.grant(a, k, 3)
		before = p.get(k)
		for _, c := range []engine.LeaseCall{
			{Op: engine.Acquire, Limit: 3, Lease: time.Minute}, {Op: engine.Acquire, Limit: 3},
			{Op: engine.Renew, Lease: time.Minute}, {Op: engine.Release},
		} {
			c.Key, c.Token = k, "a"
			_, held, err := p.store.Lease(p.Context(), &c)
			if wrong("leases on "+a.Name, err); held {
				p.Errorf("a lease is held on a key of %s", a.Name)
			}
		}
		if after := p.get(k); !same(after, before) {
			p.Errorf("leases changed %+v to %+v", before, after)
		}
		p.store.AdvanceClock(time.Duration(before.Deadline - p.store.Now()))
	}
}

func setBackKeepsLeases(p *probe) {
	for i, back := range []time.Duration{1, time.Second, time.Hour, 87_660 * time.Hour} {
		k := key(fmt.Sprint("back:", i))
		p.store.StopClock(start)
		p.hold(k, 3, "over", time.Second)
		p.hold(k, 3, "a", 11*time.Second)
		p.hold(k, 3, "b", 21*time.Second)
		p.store.AdvanceClock(time.Second)
		p.store.AdvanceClock(-back)
		p.leases(k, 2)
		if p.renew(k, "over", time.Hour) {
			p.Errorf("set back by %v: what was over can be renewed", back)
		}
		if wait := p.wait(k, 2, "c"); wait != 10*time.Second {
			p.Errorf("set back by %v: the wait is %v", back, wait)
		}
		p.store.AdvanceClock(10*time.Second - 1)
		p.wait(k, 2, "c")
		p.store.AdvanceClock(1)
		p.leases(k, 1)
		p.store.AdvanceClock(10 * time.Second)
		p.absent(k)
	}
}

func manyLeases(p *probe) {
	const many = 10_000
	k := key("many")
	token := func(i int) string { return fmt.Sprint("holder ", i) }
	// Token i ends i+1 ms from now; they come in an order that is neither up nor down.
	for j := range many {
		i := j * 7919 % many
		if d := p.hold(k, many, token(i), time.Duration(i+1)*time.Millisecond); d.Remaining != uint64(many-j-1) {
			p.Fatalf("after %d: %+v", j+1, d)
		}
	}
	for _, limit := range []uint64{1, 2, 5000, many} {
		if wait, want := p.wait(k, limit, "new"), time.Duration(many-limit+1)*time.Millisecond; wait != want {
			p.Errorf("at a limit of %d the wait is %v, not %v", limit, wait, want)
		}
	}
	for i := 0; i < many; i += 2 {
		if !p.release(k, token(i)) || p.release(k, token(i)) {
			p.Fatalf("%s could not release its lease once", token(i))
		}
	}
	for i := 1; i < many; i += 4 {
		if !p.renew(k, token(i), time.Minute) {
			p.Fatalf("%s could not renew its lease", token(i))
		}
	}
	p.store.AdvanceClock(many * time.Millisecond) // a quarter is left
	d, _ := p.lease(engine.LeaseCall{Key: k, Op: engine.Acquire, Limit: many})
	if s := p.get(k); d.Remaining != many*3/4 || s.Words[0] != many/4 {
		p.Errorf("a quarter is left: %+v, %+v", d, s)
	}
	p.store.AdvanceClock(time.Minute)
	p.absent(k)
}
