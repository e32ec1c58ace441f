package memstore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sluice/engine"
)

// An op is an operation of a history; exactly one of its parts is used.
type op struct {
	key    int
	take   *engine.Call
	get    bool
	move   time.Duration
	delete bool
}

// An answer is what it gave.
type answer struct {
	decision engine.Decision
	wrong    bool // engine.ErrWrongKind
	state    engine.State
	existed  bool
}

// A moment is the model: one key's state, and the clock.
type moment struct {
	state engine.State
	now   engine.Instant
}

// step is what a store that did one thing at a time would answer.
func (m moment) step(o op) (answer, moment) {
	s := m.state.At(m.now)
	switch {
	case o.get:
		return answer{state: plain(s)}, m
	case o.delete:
		return answer{existed: s.Kind != 0}, moment{now: m.now}
	case o.move != 0:
		return answer{}, moment{m.state, m.now + engine.Instant(o.move)}
	case s.Kind != 0 && s.Kind != o.take.Algorithm.Kind:
		return answer{wrong: true}, m
	}
	r := o.take.Request
	r.Now = m.now
	next, d := o.take.Algorithm.Decide(s.Clone(), &r) // porcupine goes on from s in other directions too
	return answer{decision: d}, moment{next, m.now}
}

func model(partition bool) porcupine.Model {
	m := porcupine.Model{
		Init: func() any { return moment{now: noon} },
		Step: func(state, input, output any) (bool, any) {
			want, next := state.(moment).step(input.(op))
			got := output.(answer)
			got.state.Log, want.state.Log = nil, nil // the store's own, see Get
			return want == got, next
		},
		Equal: func(a, b any) bool {
			return a.(moment).now == b.(moment).now && a.(moment).state.Equal(b.(moment).state)
		},
	}
	if partition {
		m.Partition = func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			byKey := map[int][]porcupine.Operation{}
			for _, o := range history {
				byKey[o.Input.(op).key] = append(byKey[o.Input.(op).key], o)
			}
			for _, part := range byKey {
				parts = append(parts, part)
			}
			return parts
		}
	}
	return m
}

func (s *Store) do(t testing.TB, o op) (a answer) {
	k := engine.Key{Name: fmt.Append(nil, o.key)}
	switch {
	case o.get:
		a.state = plain(must[engine.State](t)(s.Get(t.Context(), k)))
	case o.delete:
		a.existed = must[bool](t)(s.Delete(t.Context(), k))
	case o.move != 0:
		s.AdvanceClock(o.move)
	default:
		call := *o.take
		call.Key = k
		d, err := s.Take(t.Context(), &call)
		a = answer{decision: d, wrong: err != nil}
	}
	return a
}

// record runs callers side by side and notes when each call began and ended.
func (s *Store) record(t testing.TB, callers, calls int, draw func(*rand.Rand) op) []porcupine.Operation {
	history := make([]porcupine.Operation, callers*calls)
	began := time.Now()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), uint64(began.UnixNano())))
			for i := range calls {
				o := draw(r)
				call := int64(time.Since(began))
				a := s.do(t, o)
				history[c*calls+i] = porcupine.Operation{
					ClientId: c, Input: o, Output: a, Call: call, Return: int64(time.Since(began)),
				}
			}
		})
	}
	wg.Wait()
	return history
}

func drawOp(t testing.TB, r *rand.Rand, keys int) op {
	o := op{key: r.IntN(keys)}
	switch n := r.IntN(20); {
	case n < 2:
		o.get = true
	case n < 4:
		o.delete = true
	default:
		// Mostly the key's own algorithm, so that few are of the wrong kind.
		a := engine.Algorithms[o.key%len(engine.Algorithms)]
		if n == 4 {
			a = engine.Algorithms[r.IntN(len(engine.Algorithms))]
		}
		o.take = callOf(t, a, nil, r.Int64N(5)-1)
	}
	return o
}

// Whatever callers do side by side has an order in which one alone could have
// done it.
func TestLinearizable(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keys  int
		moves bool
	}{
		{"ten keys", 10, false},
		{"three keys", 3, false},
		{"one key and a moving clock", 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 3 {
				s := open(t)
				s.StopClock(noon)
				history := s.record(t, 8, 125, func(r *rand.Rand) op {
					if tt.moves && r.IntN(20) == 0 {
						return op{move: time.Duration(r.IntN(10)+1) * time.Second}
					}
					return drawOp(t, r, tt.keys)
				})
				if got := porcupine.CheckOperationsTimeout(model(!tt.moves), history, 20*time.Second); got != porcupine.Ok {
					t.Errorf("%d operations: %s", len(history), got)
				}
			}
		})
	}
}
