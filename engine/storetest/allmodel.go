package storetest

import (
	"errors"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"sluice/engine"
)

// takeAll makes the calls one by one on a copy, and keeps that if all were granted.
func (m *model) takeAll(places []place, calls []engine.Call) ([]engine.Decision, error) {
	trial := &model{maps.Clone(m.states), m.now}
	decisions := make([]engine.Decision, len(calls))
	limited, wrong := false, error(nil)
	for i, k := range places {
		// With a log of its own: what the trial writes must not be seen if it is dropped.
		trial.states[k] = m.states[k].Clone()
		d, err := trial.take(k, calls[i])
		if err != nil {
			wrong = err
		} else if calls[i].Cost == 0 {
			one := calls[i]
			one.Cost, one.Now = 1, m.now
			_, unit := one.Algorithm.Decide(m.state(k).Clone(), &one.Request)
			d.Limited, d.RetryAfter = unit.Limited, unit.RetryAfter
		}
		decisions[i] = d
		limited = limited || d.Limited
	}
	if wrong != nil {
		return nil, wrong
	}
	if !limited {
		m.states = trial.states
		return decisions, nil
	}
	for i, k := range places {
		if !decisions[i].Limited {
			look := calls[i]
			look.Cost = 0
			look.Now = m.now
			_, decisions[i] = look.Algorithm.Decide(m.state(k).Clone(), &look.Request)
		}
	}
	return decisions, nil
}

func (h *history) takeAll(t *rapid.T) {
	places := rapid.SliceOfNDistinct(rapid.Custom(drawPlace), 1, 5, rapid.ID[place]).Draw(t, "places")
	calls := make([]engine.Call, len(places))
	for i, k := range places {
		calls[i] = drawCall(t, k)
		// Mostly the key's own algorithm, so that few are of the wrong kind.
		if a := h.model.state(k).Kind.Algorithm(); a != nil && rapid.IntRange(0, 9).Draw(t, "own") > 0 {
			l, err := limitOf(a, int64(calls[i].Limit.Max), drawPeriod(t))
			if err != nil {
				t.Fatal(err)
			}
			calls[i].Algorithm, calls[i].Limit = a, l
		}
	}
	want, wantErr := h.model.takeAll(places, calls)
	got := make([]engine.Decision, len(calls))
	err := h.store.TakeAll(h.Context(), calls, got)
	if err == nil && !slices.Equal(got, want) || !errors.Is(err, wantErr) {
		t.Fatalf("TakeAll: %+v (error: %v), not %+v (error: %v)", got, err, want, wantErr)
	}
	for _, k := range places {
		h.compare(t, k)
	}
}
