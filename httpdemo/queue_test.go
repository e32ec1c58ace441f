package httpdemo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A crowd is clients of one limit, each with a number, who may hang up.
type crowd struct {
	h     http.Handler
	by    *middleware
	store *counting
	all   sync.WaitGroup
	mu    sync.Mutex
	order []int
	at    []time.Duration // of each in order
	leave []func()
}

// counting counts what is given back.
type counting struct {
	Store
	mu     sync.Mutex
	back   int
	behind time.Duration // how long giving back takes
}

func (c *counting) Take(ctx context.Context, a Ask) (Verdict, error) {
	if a.Cost < 0 {
		time.Sleep(c.behind)
		c.mu.Lock()
		c.back++
		c.mu.Unlock()
	}
	return c.Store.Take(ctx, a)
}

func tenASecond(capacity int64) []Rule {
	return []Rule{{Name: "paced", Algorithm: "token-bucket", Capacity: capacity, RefillPerSecond: 10_000_000}}
}

func newCrowd(t *testing.T, store Store, rules []Rule, budget time.Duration) *crowd {
	c := &crowd{store: &counting{Store: store}}
	began := time.Now()
	cost := func(r *http.Request) int64 {
		n, _ := strconv.ParseInt(r.URL.Query().Get("cost"), 10, 64)
		return n
	}
	var err error
	if c.by, err = newMiddleware(c.store, rules, Options{WaitBudget: budget, Cost: cost}); err != nil {
		t.Fatal(err)
	}
	c.h = c.by.around(http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			c.mu.Lock()
			defer c.mu.Unlock()
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			c.order, c.at = append(c.order, n), append(c.at, time.Since(began))
		}))
	return c
}

// come lets n more clients come, one after the other.
func (c *crowd) come(t *testing.T, n int, cost int64) {
	for range n {
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequest("GET", fmt.Sprintf("/?n=%d&cost=%d", len(c.leave), cost), nil).WithContext(ctx)
		c.leave = append(c.leave, leave)
		c.all.Go(func() { do(c.h, r) })
		synctest.Wait()
	}
}

func (c *crowd) hangUp(who ...int) {
	for _, n := range who {
		c.leave[n]()
	}
	synctest.Wait()
}

func (c *crowd) isGone(t *testing.T) {
	c.all.Wait()
	for _, leave := range c.leave {
		leave()
	}
	if len(c.by.queues.of) != 0 {
		t.Errorf("queues are left: %v", c.by.queues.of)
	}
}

func upTo(from, to int) (all []int) {
	for n := from; n < to; n++ {
		all = append(all, n)
	}
	return all
}

// isPaced checks that grants come in order and, after the first burst, spaced by gap.
func (c *crowd) isPaced(t *testing.T, burst int, gap time.Duration) {
	t.Helper()
	if !slices.IsSorted(c.order) {
		t.Errorf("out of order: %v", c.order)
	}
	for i := range c.at {
		// A turn is the bucket's to the nanosecond.
		if i >= burst && c.at[i]-c.at[i-1] < gap {
			t.Errorf("number %d at %v, the one before at %v", c.order[i], c.at[i], c.at[i-1])
		}
		for j := range i {
			if units, most := i-j+1, burst+int((c.at[i]-c.at[j])/gap); units > most {
				t.Errorf("%d grants from %v to %v, at most %d", units, c.at[j], c.at[i], most)
			}
		}
	}
}

func TestQueueMovesUpWhenClientsHangUp(t *testing.T) {
	for _, behind := range []time.Duration{0, 50 * time.Millisecond} {
		t.Run(behind.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, store *Local) {
				c := newCrowd(t, store, tenASecond(1), 10*time.Second)
				c.store.behind = behind
				c.come(t, 1+20+15, 1)
				c.hangUp(upTo(1, 21)...)
				c.come(t, 15, 1) // while the turns are on their way back, or after
				c.isGone(t)
				c.isPaced(t, 1, 100*time.Millisecond)
				if want := append([]int{0}, upTo(21, 51)...); !slices.Equal(c.order, want) {
					t.Errorf("served %v", c.order)
				}
				if last := c.at[len(c.at)-1]; last != 3*time.Second {
					t.Errorf("the last at %v: turns were lost", last)
				}
				if c.store.back != 20 {
					t.Errorf("%d given back", c.store.back)
				}
			})
		})
	}
}

func TestQueueHangUpsAnywhere(t *testing.T) {
	for name, who := range map[string][]int{
		"head": {1}, "middle": {3}, "tail": {5}, "head and tail": {5, 1}, "all but one": {1, 2, 4, 5}, "all": {3, 1, 5, 2, 4},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, store *Local) {
				c := newCrowd(t, store, tenASecond(1), 10*time.Second)
				c.come(t, 6, 1)
				time.Sleep(30 * time.Millisecond)
				c.hangUp(who...)
				c.come(t, 3, 1)
				c.isGone(t)
				c.isPaced(t, 1, 100*time.Millisecond)
				if len(c.order) != 9-len(who) || c.store.back != len(who) {
					t.Errorf("%d served, %d given back", len(c.order), c.store.back)
				}
				if last, due := c.at[len(c.at)-1], time.Duration(8-len(who))*100*time.Millisecond; last != due {
					t.Errorf("the last at %v, due at %v", last, due)
				}
			})
		})
	}
}

func TestQueueAnyHistoryKeepsOrderAndRate(t *testing.T) {
	for seed := range uint64(200) {
		inBubble(t, func(t *testing.T, store *Local) {
			dice := rand.New(rand.NewPCG(seed, 1))
			capacity := 1 + dice.IntN(3)
			c := newCrowd(t, store, tenASecond(int64(capacity)), 5*time.Second)
			c.come(t, capacity, 1)
			for range 60 {
				switch dice.IntN(4) {
				case 0, 1:
					c.come(t, dice.IntN(4), 1)
				case 2:
					for range dice.IntN(4) {
						c.hangUp(dice.IntN(len(c.leave)))
					}
				case 3:
					time.Sleep(time.Duration(dice.IntN(150)) * time.Millisecond)
				}
			}
			c.isGone(t)
			if !slices.IsSorted(c.order) {
				t.Errorf("out of order: %v", c.order)
			}
			for i := range c.at {
				for j := range i {
					if most := capacity + int((c.at[i]-c.at[j])/(100*time.Millisecond)); i-j+1 > most {
						t.Fatalf("seed %d: %d grants from %v to %v, at most %d", seed, i-j+1, c.at[j], c.at[i], most)
					}
				}
			}
			if capacity == 1 {
				c.isPaced(t, 1, 100*time.Millisecond)
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A turn of one unit is no turn for two: those who ask for another cost stay put.
func TestQueueIsOfOneCost(t *testing.T) {
	inBubble(t, func(t *testing.T, store *Local) {
		c := newCrowd(t, store, tenASecond(2), 10*time.Second)
		c.come(t, 1, 2) // 0 at once
		c.come(t, 1, 1) // 1 at 100 ms
		c.come(t, 1, 2) // 2 at 300 ms
		c.come(t, 1, 1) // 3 at 400 ms
		c.hangUp(1)
		c.isGone(t)
		if want := []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond}; !slices.Equal(c.order, []int{0, 3, 2}) || !slices.Equal(c.at, want) {
			t.Errorf("%v at %v", c.order, c.at)
		}
	})
}

func TestQueueKeepsATurnThatHasCome(t *testing.T) {
	key := queueKey{subject: t.Name()}
	synctest.Test(t, func(t *testing.T) {
		var qs queues
		p := qs.enter(key, time.Now().Add(time.Second))
		behind := qs.enter(key, time.Now().Add(2*time.Second))
		began := time.Now()
		time.Sleep(time.Second)
		if p.leave() {
			t.Error("a turn that has come is given back")
		}
		<-behind.timer.C
		behind.pass()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the next one went after %v", took)
		}
		if len(p.in.of) != 0 {
			t.Error("the queue is left")
		}
	})
}

// Whoever comes here first, the store's order counts.
func TestQueueIsInTheOrderOfTheStore(t *testing.T) {
	key := queueKey{subject: t.Name()}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var qs queues
		second := qs.enter(key, began.Add(2*time.Second))
		first := qs.enter(key, began.Add(time.Second))
		if !first.leave() {
			t.Error("nothing is given back")
		}
		third := qs.enter(key, began.Add(3*time.Second)) // asked before the turn was back
		first.freed()
		for i, p := range []spot{second, third} {
			<-p.timer.C
			p.pass()
			if at := time.Since(began); at != time.Duration(i+1)*time.Second {
				t.Errorf("turn %d at %v", i, at)
			}
		}
		if len(first.in.of) != 0 {
			t.Error("the queue is left")
		}
	})
}
