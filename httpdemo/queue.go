package httpdemo

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// A queueKey tells queues apart: only turns that are alike can be passed on.
type queueKey struct {
	subject, rules string
	cost           int64
	degraded       bool // the turns are those of another store
}

// A queue is the turns that the store reserved for requests of this instance which now
// wait. A bucket takes back from its end alone, whoever leaves. So the others move up
// first, and what goes back is the last turn, which is the one the next to ask is told.
//
// Those who wait at other instances, or in queues of another cost, are out of reach:
// who leaves here may give back what is, in the store, behind one of them.
type queue struct {
	waiting []*time.Timer // the i-th goes off at the i-th turn
	// turns are in order. Those beyond the last who waits are on their way back to the
	// store: until they are there, who comes is told a later turn and takes one of them.
	turns []time.Time
}

// queues are those of a middleware in which somebody waits.
type queues struct {
	mu sync.Mutex
	of map[queueKey]*queue
}

// A spot is one request's in its queue.
type spot struct {
	in    *queues
	key   queueKey
	timer *time.Timer // goes off when its turn comes
}

func queueFor(a *exchange) queueKey {
	return queueKey{a.subject, fmt.Sprintf("%#v", a.rules), a.cost, a.verdict.Degraded}
}

// enter takes a spot for a turn that the store reserved, or one before it.
func (qs *queues) enter(key queueKey, turn time.Time) spot {
	p := spot{in: qs, key: key}
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	q := p.in.of[key]
	if q == nil {
		if q = new(queue); p.in.of == nil {
			p.in.of = make(map[queueKey]*queue)
		}
		p.in.of[key] = q
	}
	// Requests that asked at once may come here in another order than to the store.
	i := len(q.turns)
	for i > 0 && q.turns[i-1].After(turn) {
		i--
	}
	q.turns = slices.Insert(q.turns, i, turn)
	i = min(i, len(q.waiting))
	p.timer = time.NewTimer(time.Until(q.turns[i]))
	q.waiting = slices.Insert(q.waiting, i, p.timer)
	return p
}

// pass ends a spot whose turn has come.
func (p spot) pass() {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	q := p.in.of[p.key]
	i := slices.Index(q.waiting, p.timer)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	p.remove(q, i)
}

// leave ends a spot early, and those behind it move up. The last turn of the queue is
// then to be given back, after which freed must be called: unless the turn of the
// spot has come, which is lost.
func (p spot) leave() (giveBack bool) {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	p.timer.Stop()
	q := p.in.of[p.key]
	i := slices.Index(q.waiting, p.timer)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if time.Until(q.turns[i]) <= 0 {
		p.remove(q, i)
		return false
	}
	for ; i < len(q.waiting); i++ {
		q.waiting[i].Reset(time.Until(q.turns[i]))
	}
	return true
}

// freed forgets the last turn: the store has it again.
func (p spot) freed() {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	q := p.in.of[p.key]
	p.remove(q, len(q.turns)-1)
}

func (p spot) remove(q *queue, turn int) {
	if q.turns = slices.Delete(q.turns, turn, turn+1); len(q.turns) == 0 {
		delete(p.in.of, p.key)
	}
}
