package engine

import (
	"testing"
	"time"
)

// A routine is a caller that does the same for ever.
type routine struct {
	name string
	call func(*regular)
}

// routines end where they began, but for the time: a key half used.
var routines = []routine{
	{"granted", func(c *regular) { c.r.Now += Instant(time.Second); c.ask(1) }},
	{"refused", func(c *regular) { c.ask(int64(c.r.Limit.Max)) }},
	{"look", func(c *regular) { c.ask(0) }},
	{"refund", func(c *regular) { c.ask(1); c.ask(-1) }},
}

// A regular asks with one request, as a store does: nothing is made for a call.
type regular struct {
	*Algorithm
	state State
	r     Request
	last  Decision
}

func (c *regular) ask(cost int64) {
	c.r.Cost = cost
	c.state, c.last = c.Decide(c.state, &c.r)
}

// newRegular has a key, somewhere in time, that is half used.
func newRegular(t testing.TB, a *Algorithm) *regular {
	limit := numbersOf(t, a.Kind, subjectOf(t, a).example)
	c := &regular{Algorithm: a, r: Request{Limit: limit, Now: 1_700_000_000e9}}
	for range limit.Max / 2 {
		c.r.Now += Instant(time.Second)
		c.ask(1)
	}
	return c
}

func BenchmarkDecide(b *testing.B) {
	for _, a := range Algorithms {
		for _, routine := range routines {
			b.Run(a.Name+"/"+routine.name, func(b *testing.B) {
				c := newRegular(b, a)
				b.ReportAllocs()
				for b.Loop() {
					routine.call(c)
				}
			})
		}
	}
}

func TestDecideAllocatesNothing(t *testing.T) {
	for _, a := range Algorithms {
		for _, routine := range routines {
			t.Run(a.Name+"/"+routine.name, func(t *testing.T) {
				c := newRegular(t, a)
				if n := testing.AllocsPerRun(1000, func() { routine.call(c) }); n != 0 {
					t.Errorf("%v allocations a call", n)
				}
				if limited := routine.name == "refused"; c.last.Limited != limited {
					t.Errorf("limited is %v", c.last.Limited)
				}
			})
		}
	}
}
