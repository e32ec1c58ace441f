package httpdemo

import (
	"context"
	"fmt"

	"sluice/engine"
	"sluice/engine/memstore"
)

// A Local is a Store in the process: exact to the nanosecond, for this instance
// alone. Make one with NewLocal and end it with Close.
type Local struct{ store *memstore.Store }

var _ Store = (*Local)(nil)

// NewLocal is an empty store that takes about maxBytes of memory at most, 0 for no
// bound. At the bound it makes room by forgetting subjects, those that would soon
// be untouched anyway first.
func NewLocal(maxBytes int64) *Local {
	return &Local{memstore.NewWith(memstore.Options{
		MaxBytes: func() int64 { return maxBytes },
		Evict:    func() bool { return true },
	})}
}

// Close ends the store, which must not be used afterwards.
func (l *Local) Close() { l.store.Close() }

// Take decides a request.
func (l *Local) Take(ctx context.Context, a Ask) (Verdict, error) {
	r, err := a.resolve()
	if err != nil {
		return Verdict{}, err
	}
	if err := ctx.Err(); err != nil { // nobody waits for the answer: nothing is taken
		return Verdict{}, err
	}
	decisions, err := l.decide(ctx, r.calls)
	if err != nil {
		return Verdict{}, fmt.Errorf("httpdemo: the store in the process: %w", err)
	}
	return verdict(r.calls, decisions), nil
}

func (l *Local) decide(ctx context.Context, calls []engine.Call) (decisions []engine.Decision, err error) {
	decisions = make([]engine.Decision, len(calls))
	if len(calls) > 1 {
		return decisions, l.store.TakeAll(ctx, calls, decisions)
	}
	decisions[0], err = l.store.Take(ctx, &calls[0])
	return decisions, err
}
