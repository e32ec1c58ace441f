package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"sluice/engine"
)

func leaseModelRules() []rule {
	return []rule{{
		"any history of leases answers as the model",
		"After any row of calls about leases a store answers as a plain map from token to end would that is searched " +
			"from one end to the other. What is printed is the shortest history found that tells them apart.",
		leasesAnswerAsTheModel,
	}}
}

// holders is the plainest way to keep leases: who holds one, and until when.
type holders map[string]engine.Instant

func (h holders) at(now engine.Instant) holders {
	maps.DeleteFunc(h, func(_ string, until engine.Instant) bool { return until <= now })
	return h
}

// acquire is what an Acquire is told, and whether it holds a lease now.
func (h holders) acquire(c *engine.LeaseCall, now engine.Instant) (d engine.Decision, held bool) {
	_, mine := h[c.Token]
	d.RetryAfter = engine.Never
	switch {
	case !mine && uint64(len(h)) >= c.Limit:
		d.Limited = true
		left := slices.Sorted(maps.Values(h)) // as time goes by, from the first on
		for wait := 0; ; wait++ {
			if uint64(len(left)-wait) < c.Limit {
				d.RetryAfter = time.Duration(left[wait-1] - now)
				break
			}
		}
	case c.Lease > 0:
		h[c.Token] = now + engine.Instant(c.Lease)
		held = true
	}
	d.Remaining = c.Limit - min(c.Limit, uint64(len(h)))
	for _, until := range h {
		d.ResetAfter = max(d.ResetAfter, time.Duration(until-now))
	}
	return d, held
}

// A leaseHistory is one row of calls on a store and the models of its keys.
type leaseHistory struct {
	*probe
	keys map[string]holders
	now  engine.Instant
}

func leasesAnswerAsTheModel(p *probe) {
	rapid.Check(p, func(t *rapid.T) {
		p.must(p.store.Flush(p.Context(), engine.AllDatabases))
		p.store.StopClock(start)
		h := &leaseHistory{p, map[string]holders{}, start}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": h.acquire, "acquire again": h.acquire, "acquire more": h.acquire,
			"renew": h.renew, "release": h.release, "delete": h.delete,
			"many come": h.manyCome, "many go": h.manyGo,
			"move the clock": h.moveClock, "move to an end": h.moveToEnd,
		})
	})
}

// draw is a key, its holders, and a token that may be one of theirs.
func (h *leaseHistory) draw(t *rapid.T) (engine.Key, holders, string) {
	name := rapid.SampledFrom([]string{"", "a", names()[len(names())-1]}).Draw(t, "name")
	if h.keys[name] == nil {
		h.keys[name] = holders{}
	}
	token := rapid.SampledFrom([]string{"", "\x00", "one", "two", "three", "four"}).Draw(t, "token")
	return key(name), h.keys[name].at(h.now), token
}

func drawLease(t *rapid.T, least int) time.Duration {
	n := rapid.IntRange(least, 4).Draw(t, "lease")
	return []time.Duration{0, time.Millisecond, time.Second, time.Minute, engine.MaxWindow}[n]
}

func (h *leaseHistory) acquire(t *rapid.T) {
	k, model, token := h.draw(t)
	c := engine.LeaseCall{
		Key: k, Op: engine.Acquire, Token: token, Lease: drawLease(t, 0),
		Limit: rapid.SampledFrom([]uint64{1, 2, 3, 4, 20, 100, engine.MaxUnits}).Draw(t, "limit"),
	}
	h.ask(t, model, &c)
	h.compare(t, k, model)
}

// ask makes an Acquire.
func (h *leaseHistory) ask(t *rapid.T, model holders, c *engine.LeaseCall) {
	want, wantHeld := model.acquire(c, h.now)
	got, held, err := h.store.Lease(h.Context(), c)
	if got != want || held != wantHeld || err != nil {
		t.Fatalf("Acquire: %+v, held %v (error: %v), not %+v, %v", got, held, err, want, wantHeld)
	}
}

// crowd is more leases than a store may keep in the way it keeps a few.
const crowd = 50

// manyCome is a row of holders, whose leases end in another order.
func (h *leaseHistory) manyCome(t *rapid.T) {
	k, model, _ := h.draw(t)
	step := rapid.IntRange(0, crowd).Draw(t, "step")
	for i := range rapid.IntRange(1, crowd).Draw(t, "come") {
		lease := time.Duration(1+i*step%crowd) * time.Second
		h.ask(t, model, &engine.LeaseCall{
			Key: k, Op: engine.Acquire, Token: fmt.Sprint("one of ", i), Lease: lease, Limit: crowd,
		})
	}
	h.compare(t, k, model)
}

// manyGo is some of them who leave, one after the other.
func (h *leaseHistory) manyGo(t *rapid.T) {
	k, model, _ := h.draw(t)
	for i := range rapid.IntRange(1, crowd).Draw(t, "go") {
		h.leave(t, k, model, fmt.Sprint("one of ", i))
	}
	h.compare(t, k, model)
}

func (h *leaseHistory) renew(t *rapid.T) {
	k, model, token := h.draw(t)
	_, want := model[token]
	c := engine.LeaseCall{Key: k, Op: engine.Renew, Token: token, Lease: drawLease(t, 1)}
	if want {
		model[token] = h.now + engine.Instant(c.Lease)
	}
	if _, got, err := h.store.Lease(h.Context(), &c); got != want || err != nil {
		t.Fatalf("Renew: held %v (error: %v), not %v", got, err, want)
	}
	h.compare(t, k, model)
}

func (h *leaseHistory) release(t *rapid.T) {
	k, model, token := h.draw(t)
	h.leave(t, k, model, token)
	h.compare(t, k, model)
}

// leave makes a Release.
func (h *leaseHistory) leave(t *rapid.T, k engine.Key, model holders, token string) {
	_, want := model[token]
	delete(model, token)
	c := engine.LeaseCall{Key: k, Op: engine.Release, Token: token}
	if _, got, err := h.store.Lease(h.Context(), &c); got != want || err != nil {
		t.Fatalf("Release: held %v (error: %v), not %v", got, err, want)
	}
}

func (h *leaseHistory) delete(t *rapid.T) {
	k, model, _ := h.draw(t)
	want := len(model) > 0
	clear(model)
	if got, err := h.store.Delete(h.Context(), k); got != want || err != nil {
		t.Fatalf("Delete: %v (error: %v), not %v", got, err, want)
	}
}

// compare is after each change: as many leases, the last of them as late, and
// another kind's calls are told so.
func (h *leaseHistory) compare(t *rapid.T, k engine.Key, model holders) {
	s, err := h.store.Get(h.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	var want engine.State
	for _, until := range model {
		want.Kind, want.Deadline = engine.KindConcurrency, max(want.Deadline, until)
	}
	if s.Kind != want.Kind || s.Deadline != want.Deadline || s.Words[0] != uint64(len(model)) {
		t.Fatalf("Get: %+v for %v", s, model)
	}
	_, err = h.store.Take(h.Context(), h.call(engine.GCRA, k, 0))
	if (len(model) > 0) != errors.Is(err, engine.ErrWrongKind) {
		t.Fatalf("a limiter's look: error %v", err)
	}
}

func (h *leaseHistory) moveTo(to engine.Instant) {
	for _, model := range h.keys {
		for token, until := range model.at(h.now) {
			model[token] = until + min(0, to-h.now)
		}
	}
	h.now = to
	h.store.StopClock(to)
}

func (h *leaseHistory) moveClock(t *rapid.T) {
	by := rapid.Int64Range(-int64(time.Minute), int64(time.Minute)).Draw(t, "by")
	h.moveTo(h.now + engine.Instant(by))
}

// moveToEnd goes to where a lease ends, or just before.
func (h *leaseHistory) moveToEnd(t *rapid.T) {
	k, model, token := h.draw(t)
	if until, held := model[token]; held && until <= engine.MaxInstant {
		h.moveTo(until - engine.Instant(rapid.IntRange(0, 1).Draw(t, "early")))
		h.compare(t, k, model.at(h.now))
	}
}
