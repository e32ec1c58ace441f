package httpdemo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func oneASecond() []Rule {
	return []Rule{{Name: "paced", Algorithm: "token-bucket", Capacity: 1, RefillPerSecond: 1_000_000}}
}

// inBubble runs f with a store in the process, on a clock that moves by itself.
func inBubble(t *testing.T, f func(t *testing.T, store *Local)) {
	synctest.Test(t, func(t *testing.T) {
		store := NewLocal(1 << 20)
		defer store.Close()
		f(t, store)
	})
}

func TestFiftyBehindOneAddressAreServedInOrderAtTheRate(t *testing.T) {
	inBubble(t, func(t *testing.T, store *Local) {
		rules := []Rule{{Name: "paced", Algorithm: "token-bucket", Capacity: 1, RefillPerSecond: 10_000_000}}
		var mu sync.Mutex
		var served []int
		began := time.Now()
		h := limit(t, store, rules, Options{WaitBudget: 10 * time.Second})(http.HandlerFunc(
			func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				n, _ := strconv.Atoi(r.URL.Query().Get("n"))
				if at, due := time.Since(began), time.Duration(len(served))*100*time.Millisecond; at < due || at > due+5*time.Millisecond {
					t.Errorf("number %d at %v, due at %v", n, at, due)
				}
				served = append(served, n)
			}))
		var all sync.WaitGroup
		for n := range 50 {
			all.Go(func() {
				if res := do(h, httptest.NewRequest("GET", "/?n="+strconv.Itoa(n), nil)); res.StatusCode != 200 {
					t.Errorf("number %d: %d", n, res.StatusCode)
				}
			})
			synctest.Wait() // it has asked: the order is known
		}
		all.Wait()
		if len(served) != 50 || !slices.IsSorted(served) {
			t.Errorf("served in the order %v", served)
		}
	})
}

func TestLongerThanTheBudgetIsRefused(t *testing.T) {
	for _, algorithm := range []string{"token-bucket", "leaky-bucket"} {
		t.Run(algorithm, func(t *testing.T) {
			inBubble(t, func(t *testing.T, store *Local) {
				rules := []Rule{{Name: "paced", Algorithm: algorithm, Capacity: 1, RefillPerSecond: 500_000}}
				if algorithm == "leaky-bucket" {
					rules[0].Capacity = 5
				}
				h := limit(t, store, rules, Options{WaitBudget: 3 * time.Second})(http.HandlerFunc(saysOK))
				var all sync.WaitGroup
				all.Go(func() { do(h, from("192.0.2.7:1")) })
				synctest.Wait()
				all.Go(func() { do(h, from("192.0.2.7:1")) }) // its turn is in 2 s
				synctest.Wait()
				res := do(h, from("192.0.2.7:1")) // its turn would be in 4 s
				if res.StatusCode != 429 || res.Header.Get("Retry-After") != "4" {
					t.Errorf("%d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
				}
				if r := members(t, res.Header.Values("RateLimit"))["paced"]["r"]; r != int64(0) {
					t.Errorf("refused with r=%v", r)
				}
				all.Wait()
				time.Sleep(2 * time.Second)
				began := time.Now()
				if res := do(h, from("192.0.2.7:1")); res.StatusCode != 200 || time.Since(began) != 0 {
					t.Errorf("%d and %v more after the wait it was told", res.StatusCode, time.Since(began))
				}
			})
		})
	}
}

func TestWhoLeavesGivesItsPlaceBack(t *testing.T) {
	inBubble(t, func(t *testing.T, store *Local) {
		var events []Event
		h := limit(t, store, oneASecond(), Options{WaitBudget: time.Minute, OnDecision: func(e Event) { events = append(events, e) }})(
			http.HandlerFunc(saysOK))
		do(h, from("192.0.2.7:1"))
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if res := do(h, from("192.0.2.7:1").WithContext(ctx)); res.StatusCode != statusClientClosedRequest {
				t.Errorf("%d", res.StatusCode)
			}
		})
		synctest.Wait()
		time.Sleep(500 * time.Millisecond)
		leave()
		all.Wait()
		if e := events[1]; e.Outcome != Gone || e.Waited != 500*time.Millisecond {
			t.Errorf("%v after %v", e.Outcome, e.Waited)
		}
		began := time.Now()
		do(h, from("192.0.2.7:1"))
		if took := time.Since(began); took > 501*time.Millisecond {
			t.Errorf("the next one waited %v, as if the place was not given back", took)
		}
	})
}

func TestGivingBackHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var givenBack bool
		store := takes(func(ctx context.Context, a Ask) (Verdict, error) {
			if a.Cost > 0 {
				return Verdict{Deciding: -1, RetryAfter: time.Hour}, nil
			}
			deadline, ok := ctx.Deadline()
			givenBack = a.Cost == -1 && ctx.Err() == nil && ok && time.Until(deadline) == giveBackTime
			return Verdict{}, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		do(limit(t, store, oneASecond(), Options{WaitBudget: time.Hour})(http.HandlerFunc(saysOK)), from("192.0.2.7:1").WithContext(ctx))
		if !givenBack {
			t.Error("the reservation was not given back, or in the cancelled context")
		}
	})
}

type takes func(context.Context, Ask) (Verdict, error)

func (f takes) Take(ctx context.Context, a Ask) (Verdict, error) { return f(ctx, a) }

func TestNobodyWaitsPastItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, store *Local) {
		h := limit(t, store, oneASecond(), Options{WaitBudget: time.Minute})(http.HandlerFunc(saysOK))
		do(h, from("192.0.2.7:1"))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		began := time.Now()
		res := do(h, from("192.0.2.7:1").WithContext(ctx))
		if res.StatusCode != 429 || time.Since(began) != 0 {
			t.Errorf("%d after %v", res.StatusCode, time.Since(began))
		}
	})
}

func TestLookDoesNotWait(t *testing.T) {
	s := grants()
	s.verdict.RetryAfter = time.Hour
	h := limit(t, s, twoRules, Options{WaitBudget: 2 * time.Hour, Cost: func(*http.Request) int64 { return 0 }})
	if res := do(h(http.HandlerFunc(saysOK)), from("192.0.2.7:1")); res.StatusCode != 200 || s.asks[0].MaxWait != 0 {
		t.Errorf("%d, asked %+v", res.StatusCode, s.asks)
	}
}

// One client alone, which waits as told: never refused twice in a row.
func TestObeyingRetryAfterGetsThrough(t *testing.T) {
	for _, rule := range rulesOfAll {
		t.Run(rule.Algorithm, func(t *testing.T) {
			inBubble(t, func(t *testing.T, store *Local) {
				cost := int64(1)
				h := limit(t, store, []Rule{rule}, Options{Cost: func(*http.Request) int64 { return cost }})(http.HandlerFunc(saysOK))
				refused := false
				refusals := 0
				for i := range 300 {
					if !refused {
						cost = 1 + int64(i%2)
					}
					res := do(h, from("192.0.2.7:1"))
					if res.StatusCode == 200 {
						refused = false
						continue
					}
					seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
					if refused || err != nil || seconds < 1 {
						t.Fatalf("call %d: refused twice %v, Retry-After %q", i, refused, res.Header.Get("Retry-After"))
					}
					refused = true
					refusals++
					time.Sleep(time.Duration(seconds) * time.Second)
				}
				if refusals == 0 {
					t.Error("nothing was refused: nothing is shown")
				}
			})
		})
	}
}

func TestStoreCallOfAClientThatLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := takes(func(ctx context.Context, _ Ask) (Verdict, error) {
		cancel()
		return Verdict{}, ctx.Err()
	})
	var got Event
	h := limit(t, store, twoRules, Options{OnDecision: func(e Event) { got = e }})(http.HandlerFunc(saysOK))
	do(h, from("192.0.2.7:1").WithContext(ctx))
	if got.Outcome != Gone || !errors.Is(got.Err, context.Canceled) {
		t.Errorf("%v: %v", got.Outcome, got.Err)
	}
}
