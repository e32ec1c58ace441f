package engine

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A rule is what the contract says of every algorithm. It walks a key with random
// numbers, and says what is broken, or "".
type rule struct {
	name, because string
	broken        func(a *Algorithm, s subject, d dice) string
}

var rules = []rule{
	{"sound", "every decision is within its bounds, and its state's deadline is when it resets", sound},
	{"pure", "Decide may be called twice, and leaves the request as it was", pure},
	{"retry", "waiting retry_after is enough, and one nanosecond or millisecond less never is", retryIsExact},
	{"remaining", "what remains can be taken at once, and one unit more can not", remainingIsExact},
	{"reset", "after reset_after a key is as if never used, and not a nanosecond before", resetIsExact},
	{"refusal", "a refused call changes nothing, and makes no key", refusalLeavesNoTrace},
	{"look", "a look changes nothing and tells what a cost of 1 would get", lookOnlyLooks},
	{"forget", "forgetting a state that is over, early or late, never changes an answer", forgettingChangesNothing},
	{"refund", "giving back what was just taken leads back to the earlier answers", refundUndoes},
	{"raise", "raising a limit never makes a caller worse off", raisingNeverHurts},
	{"set back", "a clock set back grants nothing, and nobody waits longer for it", setBackGrantsNothing},
	{"earlier now", "a call from before the state was written is answered within bounds, and wins nothing", earlierNowIsSound},
}

func TestRules(t *testing.T) {
	for _, a := range Algorithms {
		s := subjectOf(t, a)
		for _, rule := range rules {
			t.Run(a.Name+"/"+rule.name, rapid.MakeCheck(func(t *rapid.T) {
				if what := rule.broken(a, s, rapidDice{t}); what != "" {
					t.Fatalf("%s\nbut: %s", rule.because, what)
				}
			}))
		}
	}
}

// TestRulesAtTheEdges holds the rules for the lowest and the highest of every
// number that is allowed, in all combinations the first eleven throws can make.
func TestRulesAtTheEdges(t *testing.T) {
	for _, a := range Algorithms {
		s := subjectOf(t, a)
		for _, rule := range rules {
			t.Run(a.Name+"/"+rule.name, func(t *testing.T) {
				for bits := range uint64(1 << 11) {
					// The low bits come again above, for the throws that follow.
					d := &edges{bits | bits<<11 | bits*0x9E3779B97F4A7C15<<22}
					if what := rule.broken(a, s, d); what != "" {
						t.Fatalf("%s\nbut, with edges %#x: %s", rule.because, bits, what)
					}
				}
			})
		}
	}
}

func sound(a *Algorithm, s subject, d dice) string {
	w := newWalk(a, s, d)
	for range d.between(1, 8) {
		w.pass()
		before, r := w.state, w.request()
		if what := w.untrue(before, r, w.state, w.call(r)); what != "" {
			return what
		}
	}
	return ""
}

func pure(a *Algorithm, s subject, d dice) (what string) {
	w := newWalk(a, s, d)
	for range d.between(1, 12) {
		w.pass()
		r := w.request()
		was, before := *r, w.state.Clone()
		first, one := w.Decide(w.state, r)
		second, two := w.Decide(w.state, r)
		what += differ("twice", first, one, second, two) + unless(*r == was, "the request has changed", *r) +
			unless(w.state.Equal(before), "the state it was given has changed", before, w.state)
		w.state, w.last = second, two
	}
	return what
}

func retryIsExact(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	r := w.request()
	answer := w.callAndRestate(r)
	if !answer.Limited || answer.RetryAfter == Never || Instant(answer.RetryAfter) > MaxInstant-r.Now {
		return ""
	}
	// A call that would reserve tells the wait for its units; it is granted that
	// much earlier.
	wait := answer.RetryAfter - r.MaxWait
	ms := (wait + time.Millisecond - 1) / time.Millisecond * time.Millisecond
	return unless(!w.at(wait, *r).Limited, "refused after", wait) +
		unless(w.at(wait-1, *r).Limited, "granted one ns before", wait) +
		unless(!w.at(ms, *r).Limited, "refused after, in ms,", ms) +
		unless(w.at(ms-time.Millisecond, *r).Limited || ms-time.Millisecond < 0, "granted one ms before", ms)
}

func remainingIsExact(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	w.limit = oneOf(d, w.limits...)
	left := int64(w.at(0, *w.costing(0)).Remaining)
	return unless(left == 0 || left > MaxUnits || !w.at(0, *w.costing(left)).Limited, "can not take", left) +
		unless(left >= MaxUnits || w.at(0, *w.costing(left + 1)).Limited, "can take 1 more than", left)
}

func resetIsExact(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	answer := w.callAndRestate(w.request())
	if Instant(answer.ResetAfter) > MaxInstant-w.now {
		return ""
	}
	look := *w.costing(0)
	fresh := Decision{Limited: false, Remaining: w.limit.Max, RetryAfter: Never}
	after := w.at(answer.ResetAfter, look)
	if after != fresh {
		return fmt.Sprintf("%+v and later %+v: not untouched", answer, after)
	}
	if answer.ResetAfter == 0 {
		return ""
	}
	before := w.at(answer.ResetAfter-1, look)
	return unless(before.Remaining < w.limit.Max && before.ResetAfter == 1, "untouched a ns before", answer, before)
}

func refusalLeavesNoTrace(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	before, r := w.state.At(w.now), w.request()
	w.state = before
	left := w.at(0, *w.costing(0)).Remaining
	if !w.call(r).Limited || w.state == before {
		return ""
	}
	if !w.restates {
		return fmt.Sprintf("%+v became %+v by %+v", before, w.state, *r)
	}
	// Restated: as much is used, and the same call again finds nothing to restate.
	restated := w.state
	w.call(r)
	return unless(w.last.Remaining == left, "remained before", left, w.last) +
		unless(w.state == restated, "restated twice", restated, w.state) +
		unless(before.Kind != 0, "a refused call made the key", w.state)
}

func lookOnlyLooks(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	before, look := w.state, w.request()
	look.Cost = 0
	answer := w.call(look)
	one := *look
	one.Cost = 1
	taken := w.at(0, one)
	same := answer.Limited == taken.Limited && answer.RetryAfter == taken.RetryAfter
	return unless(w.state == before, "the state has changed", before, w.state) +
		unless(same || w.looksAlone, "a look", answer, "a cost of 1", taken)
}

func forgettingChangesNothing(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	r := w.request()
	late, one := w.Decide(w.state, r)
	early, two := w.Decide(w.state.At(r.Now), r)
	return differ("late and early", late.At(r.Now), one, early.At(r.Now), two)
}

func refundUndoes(a *Algorithm, s subject, d dice) string {
	w := settled(a, s, d)
	before := w.state.Clone() // goes on from here in two directions
	take := w.costing(max(1, w.cost()))
	if w.call(take).Limited {
		return ""
	}
	w.call(w.costing(-take.Cost))
	after := w.state
	for range 4 { // some calls later
		r := w.costing(w.cost())
		var one, two Decision
		before, one = w.Decide(before, r)
		after, two = w.Decide(after, r)
		if one != two {
			return fmt.Sprintf("%+v: %+v without and %+v with taking and giving back", *r, one, two)
		}
		w.pass()
	}
	return ""
}

func raisingNeverHurts(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	r := w.request()
	raised := *r
	raised.Limit = w.raise(d, r.Limit)
	old, new := w.at(0, *r), w.at(0, raised)
	worse := new.Limited && !old.Limited || new.Limited == old.Limited && new.Remaining < old.Remaining ||
		new.Limited && old.RetryAfter != Never && new.RetryAfter > old.RetryAfter
	return unless(!worse, *r, "gets", old, "but with", raised.Limit, new)
}

func setBackGrantsNothing(a *Algorithm, s subject, d dice) string {
	w := settled(a, s, d)
	r := *w.costing(max(1, w.cost()))
	before, there := w.at(0, r), w.at(0, *w.costing(0))
	from := w.now
	w.now = Instant(oneOf(d, d.between(0, int64(from)), int64(max(0, from-1)), int64(from)-spread(d, 0, int64(from))))
	if w.state = w.state.At(from); w.state.Kind != 0 {
		w.state = w.SetBack(w.state, from, w.now)
	}
	r.Now = w.now
	after, now := w.at(0, r), w.at(0, *w.costing(0))
	longest := max(before.RetryAfter, 0)
	if w.onTheClock {
		_, full := w.Decide(State{}, w.costing(int64(w.limit.Max)))
		longest = max(longest, full.ResetAfter)
	}
	moved := fmt.Sprintf("%d to %d: %+v, then %+v; %+v", from, w.now, before, after, r)
	return unless(now.Remaining <= there.Remaining, "granted by", moved) +
		unless(!before.Limited || after.Limited, "granted by", moved) +
		unless(!before.Limited || after.RetryAfter <= longest, "waits longer by", moved) +
		unless(w.state.Kind == 0 || w.state.Deadline > w.now, "over by", moved)
}

func earlierNowIsSound(a *Algorithm, s subject, d dice) string {
	w := walked(a, s, d)
	there := w.at(0, *w.costing(0))
	w.now = Instant(oneOf(d, d.between(0, int64(w.now)), int64(w.now)-spread(d, 0, int64(w.now))))
	now := w.at(0, *w.costing(0))
	wins := unless(now.Remaining <= there.Remaining || w.setBackOnly, "remained", there, "earlier", now)
	before, r := w.state, w.request()
	return wins + w.untrue(before, r, w.state, w.call(r))
}

func unless(holds bool, what ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprintf("%+v\n", what)
}

// differ tells two outcomes apart.
func differ(what string, first State, one Decision, second State, two Decision) string {
	return unless(first.Equal(second) && one == two, what, first, one, second, two)
}
