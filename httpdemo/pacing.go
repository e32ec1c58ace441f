package httpdemo

import (
	"context"
	"slices"
	"time"
)

// giveBackTime bounds what is done after a client left or was answered.
const giveBackTime = time.Second

// patience is how long a request is ready to wait: the budget, and never past its own
// deadline, when nobody would be there for the answer.
func (m *middleware) patience(ctx context.Context, now time.Time) time.Duration {
	deadline, ok := ctx.Deadline()
	if m.o.WaitBudget == 0 || !ok {
		return m.o.WaitBudget
	}
	return max(0, min(m.o.WaitBudget, deadline.Sub(now)))
}

// mustWait says whether a granted request's turn lies ahead. A look takes no turn.
func (m *middleware) mustWait(a *exchange) bool {
	return m.o.WaitBudget > 0 && a.cost > 0 && a.verdict.RetryAfter > 0
}

// await lets a request's turn come. The reservation is the store's, in the order in
// which it was asked; when others leave before, the turn comes earlier.
func (m *middleware) await(a *exchange, ctx context.Context) {
	began := time.Now()
	ahead := a.verdict.RetryAfter
	p := m.queues.enter(queueFor(a), began.Add(ahead))
	if ahead > m.patience(ctx, began) {
		// A leaky bucket knows no MAXWAIT: it took a place in the queue, however long.
		m.leave(p, a, ctx)
		a.refuse()
		return
	}
	select {
	case <-p.timer.C:
		p.pass()
		a.arrive(time.Since(began))
	case <-ctx.Done():
		a.waited = time.Since(began)
		a.err = ctx.Err()
		m.leave(p, a, ctx)
	}
}

// leave gives up a request's spot, and gives back the turn that nobody has then.
func (m *middleware) leave(p spot, a *exchange, ctx context.Context) {
	if p.leave() {
		defer p.freed() // also if the store panics
		m.giveBack(a, ctx)
	}
}

// arrive brings the verdict to the present: the wait is over.
func (a *exchange) arrive(waited time.Duration) {
	a.waited = waited
	a.verdict.RetryAfter = Never
	a.verdict.Decisions = slices.Clone(a.verdict.Decisions)
	for i := range a.verdict.Decisions {
		d := &a.verdict.Decisions[i]
		d.RetryAfter = Never
		d.ResetAfter = max(0, d.ResetAfter-waited)
	}
}

// refuse turns a grant that was given back into a refusal by the rule with the longest
// queue. Its time to wait is the one in which it would go on at once, as a token bucket
// that refuses has it. What the others took is theirs again.
func (a *exchange) refuse() {
	v := &a.verdict
	v.Limited, v.Decisions = true, slices.Clone(v.Decisions)
	for i := range v.Decisions {
		d := &v.Decisions[i]
		d.Remaining = min(d.Limit, max(d.Remaining, 0)+a.cost)
		if d.RetryAfter == v.RetryAfter && v.Deciding < 0 {
			v.Deciding, d.Limited, d.Remaining = i, true, 0
			continue
		}
		d.RetryAfter = Never
	}
}

// giveBack undoes a take. The request may be over or cancelled: it has its own time.
func (m *middleware) giveBack(a *exchange, ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
	defer cancel()
	_, err := m.store.Take(ctx, Ask{Subject: a.subject, Rules: a.rules, Cost: -a.cost})
	if err != nil {
		m.log.sometimes("a request's cost could not be given back", err)
	}
}
