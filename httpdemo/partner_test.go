package httpdemo

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sluice/engine"
)

// A partner is the API that is called: it writes down when, and answers by a script.
type partner struct {
	mu     sync.Mutex
	start  time.Time
	at     []time.Duration
	answer func(call int) (status int, retryAfter string)
}

func (p *partner) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = append(p.at, time.Since(p.start).Truncate(time.Millisecond))
	status, after := http.StatusOK, ""
	if p.answer != nil {
		status, after = p.answer(len(p.at))
	}
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: r}
	if after != "" {
		res.Header.Set("Retry-After", after)
	}
	return res, nil
}

// A pureStore decides by the engine's pure functions, on the bubble's clock.
type pureStore struct {
	mu     sync.Mutex
	states map[string]engine.State
}

func (s *pureStore) Take(_ context.Context, a Ask) (Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make([]engine.Call, len(a.Rules))
	before := make([]engine.State, len(a.Rules))
	for i, r := range a.Rules {
		calls[i] = pureCall(r, a)
		before[i] = s.states[a.Subject+r.Name]
	}
	if s.states == nil {
		s.states = map[string]engine.State{}
	}
	after, decisions := make([]engine.State, len(calls)), make([]engine.Decision, len(calls))
	if engine.DecideAll(calls, before, after, decisions) {
		for i, r := range a.Rules {
			s.states[a.Subject+r.Name] = after[i]
		}
	}
	deciding, wait := engine.Deciding(calls, decisions)
	return Verdict{Limited: deciding >= 0, Deciding: deciding, RetryAfter: wait}, nil
}

func pureCall(r Rule, a Ask) engine.Call {
	var limit engine.Limit
	var err error
	algorithm := engine.FixedWindow
	switch r.Algorithm {
	case "token-bucket":
		algorithm = engine.TokenBucket
		limit, err = engine.TokenBucketLimit(r.Capacity, r.RefillPerSecond)
	case "leaky-bucket":
		algorithm = engine.LeakyBucket
		limit, err = engine.LeakyBucketLimit(r.Capacity, r.RefillPerSecond)
	default:
		limit, err = engine.WindowLimit(r.Limit, engine.Window(r.Window.Milliseconds()))
	}
	if err != nil {
		panic(err)
	}
	return engine.Call{Algorithm: algorithm, Request: engine.Request{
		Limit: limit, Cost: a.Cost, Now: engine.Instant(time.Now().UnixNano()), MaxWait: a.MaxWait,
	}}
}
