package engine

import (
	"fmt"
	"testing"
	"time"
)

// A walk is one key under a random caller: the state it is in, and the numbers,
// the instant and the decision of the last call.
type walk struct {
	*Algorithm
	subject
	dice   dice
	limits []Limit // what the caller changes between
	limit  Limit
	now    Instant
	state  State
	last   Decision
}

// subjectOf fails loudly for a row of Algorithms the tests have no numbers for.
func subjectOf(t testing.TB, a *Algorithm) subject {
	s, ok := subjects[a.Kind]
	if !ok {
		t.Fatalf("%s is a row of Algorithms without a row in subjects (subjects_test.go): the rules can not test it", a.Name)
	}
	return s
}

// newWalk is an untouched key, somewhere in time.
func newWalk(a *Algorithm, s subject, d dice) *walk {
	w := &walk{Algorithm: a, subject: s, dice: d}
	share := d.between(1, 3)
	for range share {
		w.limits = append(w.limits, s.limit(d, share))
	}
	w.limit = w.limits[0]
	w.now = Instant(oneOf(d, spread(d, 0, int64(MaxInstant)), d.between(0, int64(MaxInstant)), 1_700_000_000e9))
	return w
}

// walked is a key after some calls.
func walked(a *Algorithm, s subject, d dice) *walk {
	w := newWalk(a, s, d)
	for range d.between(0, 8) {
		w.pass()
		w.call(w.request())
	}
	w.pass()
	return w
}

// settled is a key after some calls, the last with the numbers of now: a bucket
// has been restated, and a window of another length is forgotten or untouched.
func settled(a *Algorithm, s subject, d dice) *walk {
	w := walked(a, s, d)
	w.restate()
	return w
}

// restate makes a call that is refused with the numbers of the last one.
func (w *walk) restate() { w.call(w.costing(int64(w.limit.Max) + 1)) }

// callAndRestate makes a call. A look at a bucket answers at its own rate, but
// only a cost keeps to it: it is followed by one that is refused.
func (w *walk) callAndRestate(r *Request) Decision {
	d := w.call(r)
	if r.Cost == 0 {
		w.restate()
	}
	return d
}

// pass lets time pass, often to where something is about to happen.
func (w *walk) pass() {
	d := w.dice
	by := oneOf(d, 0, 1, int64(w.last.RetryAfter), int64(w.last.ResetAfter),
		int64(w.last.RetryAfter)-1, int64(w.last.ResetAfter)-1,
		int64(time.Millisecond)*spread(d, 0, 100_000), spread(d, 0, int64(time.Hour)), spread(d, 0, int64(MaxFill)))
	w.now += min(Instant(max(0, by)), MaxInstant-w.now)
}

// request is a random call with numbers that it may have changed.
func (w *walk) request() *Request {
	w.limit = oneOf(w.dice, w.limits...)
	r := w.costing(w.cost())
	if w.maxWait && w.dice.between(0, 3) == 0 {
		r.MaxWait = time.Millisecond * time.Duration(spread(w.dice, 0, int64(MaxWindow/time.Millisecond)))
	}
	return r
}

// cost is often the most that is left, or one more.
func (w *walk) cost() int64 {
	d, most := w.dice, int64(w.limit.Max)
	return min(MaxUnits, oneOf(d, 0, 1, 1, 1, most, most+1, int64(w.last.Remaining), int64(w.last.Remaining)+1,
		spread(d, 1, most), spread(d, 1, most), -1, -spread(d, 1, most), -MaxUnits))
}

func (w *walk) costing(n int64) *Request { return &Request{Limit: w.limit, Cost: n, Now: w.now} }

// call makes a call and keeps what comes of it.
func (w *walk) call(r *Request) Decision {
	w.state, w.last = w.Decide(w.state, r)
	return w.last
}

// at is the decision of a call some time from now; nothing is kept.
func (w *walk) at(after time.Duration, r Request) Decision {
	r.Now += Instant(after)
	_, d := w.Decide(w.state, &r)
	return d
}

// untrue is what is wrong with a decision and its state by themselves, or "".
func (w *walk) untrue(before State, r *Request, after State, d Decision) string {
	cost := uint64(max(r.Cost, 0))
	possible := d.Limited && d.RetryAfter != Never
	ahead := r.MaxWait > 0 || w.grantsAhead
	for _, rule := range []struct {
		broken bool
		what   string
	}{
		{d.Remaining > r.Limit.Max, "remaining > limit"},
		{d.RetryAfter < Never || d.RetryAfter == 0, "retry_after is neither a time nor Never"},
		{d.ResetAfter < 0, "reset_after < 0"},
		{possible && r.Cost != 0 && d.RetryAfter > d.ResetAfter, "retry_after > reset_after"},
		{d.Limited && r.Cost < 0, "a refund is refused"},
		{d.Limited && r.Cost > 0 && d.Remaining >= cost, "refused what remains"},
		{d.Limited && r.Cost > 0 && possible != (cost <= r.Limit.Max), "Never means that the cost is over the limit"},
		{!d.Limited && d.Remaining+cost > r.Limit.Max && !ahead, "granted what did not remain"},
		{!d.Limited && d.RetryAfter != Never && !ahead, "granted with a wait"},
		{d.ResetAfter == 0 && d.Remaining != r.Limit.Max, "untouched, yet not all remains"},
		{after.Kind != 0 && after.Kind != w.Kind, "a state of another kind"},
		{after.Kind == 0 && after != State{}, "no kind, yet a state"},
		{after != before && after.Kind != 0 && after.Deadline != forever && after.Deadline != r.Now+Instant(d.ResetAfter), "reset_after is not the new state's deadline"},
	} {
		if rule.broken {
			return fmt.Sprintf("%s\nbefore %+v\ncall   %+v\nafter  %+v\nanswer %+v", rule.what, before, *r, after, d)
		}
	}
	return ""
}
