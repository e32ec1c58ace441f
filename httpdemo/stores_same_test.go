package httpdemo

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// What a Remote says is what a Local says, with times rounded up to what travels.
func TestLocalAndRemoteAlike(t *testing.T) {
	for _, r := range rulesOfAll {
		t.Run(r.Algorithm, func(t *testing.T) { walkBoth(t, []Rule{r}) })
	}
	t.Run("all at once", func(t *testing.T) { walkBoth(t, rulesOfAll) })
	t.Run("two buckets", func(t *testing.T) {
		walkBoth(t, []Rule{rulesOfAll[0], {Name: "day", Algorithm: "token-bucket", Capacity: 9, RefillPerSecond: 50_000}})
	})
}

// walkBoth asks both stores the same, at the same stopped time.
func walkBoth(t *testing.T, rules []Rule) {
	s, l := startSluice(t), testLocal(t)
	s.store.StopClock(noon)
	r := testRemote(t, RemoteOptions{Addrs: []string{s.addr}})
	dice := rand.New(rand.NewPCG(1, uint64(len(rules))))
	refused, waits := 0, 0
	for step := range 150 {
		a := Ask{
			Subject: fmt.Sprint("user}", dice.IntN(2)), Rules: rules,
			Cost: int64(dice.IntN(8) - 2), MaxWait: time.Duration(dice.IntN(3)) * 1700 * time.Millisecond,
		}
		got, err := r.Take(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		want, err := l.Take(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if want = travelled(want, rules); !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d, %+v:\nremote %+v\nlocal  %+v", step, a, got, want)
		}
		if got.Limited {
			refused++
		} else if got.RetryAfter != Never {
			waits++
		}
		by := time.Duration(dice.IntN(900)) * time.Millisecond
		s.store.AdvanceClock(by)
		l.store.AdvanceClock(by)
	}
	if refused == 0 || refused == 150 {
		t.Errorf("%d of 150 are refused: this shows nothing", refused)
	}
	if waits == 0 && (rules[0].Algorithm == "token-bucket" || rules[0].Algorithm == "leaky-bucket") {
		t.Error("nobody has a turn ahead: this shows nothing")
	}
}

// travelled is a verdict with its times as a reply has them.
func travelled(v Verdict, rules []Rule) Verdict {
	up := func(d *time.Duration, unit time.Duration) {
		if *d > 0 {
			*d = (*d + unit - 1).Truncate(unit)
		}
	}
	for i := range v.Decisions {
		alg, _ := algorithmOf(rules[i].Algorithm)
		up(&v.Decisions[i].RetryAfter, alg.unit)
		up(&v.Decisions[i].ResetAfter, alg.unit)
		if len(rules) == 1 {
			up(&v.RetryAfter, alg.unit)
		}
	}
	up(&v.RetryAfter, time.Millisecond)
	return v
}

// Who waits as told is granted, and who gives back what was granted is as before.
func TestWaitingAndGivingBack(t *testing.T) {
	for _, r := range rulesOfAll {
		t.Run(r.Algorithm, func(t *testing.T) {
			l := testLocal(t)
			take := func(cost int64) Verdict {
				t.Helper()
				v, err := l.Take(t.Context(), Ask{Subject: "s", Rules: []Rule{r}, Cost: cost})
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if v := take(3); v.Limited || v.Deciding != -1 || v.Decisions[0].Remaining != 0 || v.Decisions[0].Limit != 3 {
				t.Fatalf("three at once: %+v", v)
			}
			v := take(1)
			if !v.Limited || v.Deciding != 0 || v.RetryAfter <= 0 {
				t.Fatalf("a fourth: %+v", v)
			}
			l.store.AdvanceClock(v.RetryAfter - 1)
			if v := take(1); !v.Limited || v.RetryAfter != 1 {
				t.Errorf("a nanosecond early: %+v", v)
			}
			l.store.AdvanceClock(1)
			if v := take(1); v.Limited {
				t.Errorf("after waiting as told: %+v", v)
			}
			if v := take(-3); v.Limited || v.Decisions[0].Remaining < 2 {
				t.Errorf("giving back: %+v", v)
			}
			if v := take(-100); v.Decisions[0].Remaining != 3 || v.Decisions[0].ResetAfter != 0 {
				t.Errorf("giving back more than was taken: %+v", v)
			}
			if v := take(4); !v.Limited || v.RetryAfter != Never {
				t.Errorf("more than can ever be: %+v", v)
			}
		})
	}
}

// A refusal by one rule takes nothing from another, and subjects and rules of other
// names keep states of their own.
func TestAllOrNothing(t *testing.T) {
	l := testLocal(t)
	small, large := rulesOfAll[0], rulesOfAll[4]
	large.Limit = 100
	ask := func(subject string, cost int64, rules ...Rule) Verdict {
		t.Helper()
		v, err := l.Take(t.Context(), Ask{Subject: subject, Rules: rules, Cost: cost})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ask("s", 3, large, small)
	if v := ask("s", 1, large, small); !v.Limited || v.Deciding != 1 || v.Decisions[0].Limited || v.Decisions[0].Remaining != 97 {
		t.Errorf("%+v", v)
	}
	other := small
	other.Name = "other"
	changed := small
	changed.Algorithm = "gcra"
	for _, v := range []Verdict{ask("t", 3, small), ask("s", 3, other), ask("s", 3, changed)} {
		if v.Limited {
			t.Errorf("shares a state: %+v", v)
		}
	}
}

// However many subjects there are, a Local stays within its bound.
func TestLocalIsBounded(t *testing.T) {
	const most = 2 << 20
	l := NewLocal(most)
	defer l.Close()
	for i := range 60_000 {
		if _, err := l.Take(t.Context(), askOne(fmt.Sprint("subject ", i))); err != nil {
			t.Fatal(err)
		}
	}
	if u := l.store.Usage(); u.Bytes > most+most/8 || u.Evicted == 0 {
		t.Errorf("%+v", u)
	}
}
