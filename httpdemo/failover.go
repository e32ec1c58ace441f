package httpdemo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"sluice/engine"
)

// OnFailure says what becomes of a request when the store fails.
type OnFailure int

// What a Failover can do with a request that nobody decides.
const (
	FailOpen   OnFailure = iota // let it through
	FailClosed                  // ErrUnavailable
	FailLocal                   // ask a store in the process, for this instance's share
)

// ParseOnFailure reads open, closed or local.
func ParseOnFailure(text string) (OnFailure, error) {
	for f := FailOpen; f <= FailLocal; f++ {
		if f.String() == text {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%q is not open, closed or local", text)
}

func (f OnFailure) String() string { return [...]string{"open", "closed", "local"}[f] }

// ErrUnavailable says that nobody could decide: a 503, not a 429. It comes as an
// *UnavailableError.
var ErrUnavailable = errors.New("httpdemo: the rate limiter is unavailable")

// An UnavailableError is ErrUnavailable with its reason.
type UnavailableError struct {
	RetryAfter time.Duration // when it is worth another try
	Err        error
}

func (e *UnavailableError) Error() string { return ErrUnavailable.Error() + ": " + e.Err.Error() }

// Unwrap has ErrUnavailable and the reason.
func (e *UnavailableError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }

// FailoverOptions change how a Failover reports. The zero options are the defaults.
type FailoverOptions struct {
	Log        *slog.Logger  // slog.Default if nil
	RetryAfter time.Duration // of an UnavailableError; 1 s if 0, in which a Breaker notices the return
	Now        func() time.Time
}

// Stats is what a Failover has done since it was made.
type Stats struct {
	Calls    uint64       // all of them
	Failures uint64       // of the store that is meant; refusals and clients that left are none
	Degraded uint64       // answered all the same, by another than that store
	Breaker  BreakerState // of several servers', the worst
}

// A Failover is a Store that has an answer when another one fails.
type Failover struct {
	main, local Store
	onFailure   OnFailure
	share       int64
	o           FailoverOptions

	calls, failures, degraded atomic.Uint64
	// unsaid is how many failures no warning has counted yet; silent is until when
	// no other is to be given, in Unix nanoseconds.
	unsaid, silent atomic.Int64
}

var _ Store = (*Failover)(nil)

// quiet is the time between two warnings.
const quiet = time.Minute

// NewFailover asks main and, where that fails, does as onFailure says. local is for
// FailLocal alone, as is share: the number of instances, among which each rule's
// numbers are divided (see Rule.Share).
func NewFailover(main Store, onFailure OnFailure, local Store, share int, o FailoverOptions) *Failover {
	if onFailure == FailLocal && local == nil {
		panic("httpdemo: FailLocal needs a store to fall back on")
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	o.RetryAfter = cmp.Or(o.RetryAfter, time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Failover{main: main, local: local, onFailure: onFailure, share: int64(max(share, 1)), o: o}
}

// Stats is what the store has done.
func (f *Failover) Stats() Stats {
	s := Stats{Calls: f.calls.Load(), Failures: f.failures.Load(), Degraded: f.degraded.Load()}
	if b, ok := f.main.(interface{ State() BreakerState }); ok {
		s.Breaker = b.State()
	}
	return s
}

// Take decides a request; its error is an ErrUnavailable, an ErrAsk, or the end of
// ctx. Units that one store has granted may be given back to the other: it is
// never more than untouched for it.
func (f *Failover) Take(ctx context.Context, a Ask) (Verdict, error) {
	f.calls.Add(1)
	v, err := f.main.Take(ctx, a)
	switch {
	case err == nil, errors.Is(err, ErrAsk):
		return v, err
	case given(ctx, err):
		return Verdict{}, ctx.Err()
	}
	f.failures.Add(1)
	f.warn(ctx, err)
	switch f.onFailure {
	case FailOpen:
		v = granted()
	case FailLocal:
		if v, err = f.local.Take(ctx, shared(a, f.share)); given(ctx, err) {
			return Verdict{}, ctx.Err()
		} else if err != nil {
			return Verdict{}, &UnavailableError{f.o.RetryAfter, err}
		}
	default:
		return Verdict{}, &UnavailableError{f.o.RetryAfter, err}
	}
	f.degraded.Add(1)
	v.Degraded = true
	return v, nil
}

// warn tells of failures once a minute, with how many there were.
func (f *Failover) warn(ctx context.Context, err error) {
	f.unsaid.Add(1)
	now, silent := f.o.Now(), f.silent.Load()
	if now.UnixNano() < silent || !f.silent.CompareAndSwap(silent, now.Add(quiet).UnixNano()) {
		return
	}
	f.o.Log.WarnContext(ctx, "the rate limit store fails",
		"failures", f.unsaid.Swap(0), "on_failure", f.onFailure.String(), "error", err)
}

// granted is the verdict about a request that nobody decides. Nobody has counted
// either: it has no Decisions, and so no numbers for headers to tell.
func granted() Verdict { return Verdict{Deciding: -1, RetryAfter: Never} }

// most is how many units the rule ever grants at once.
func (r Rule) most() int64 {
	switch alg, _ := algorithmOf(r.Algorithm); {
	case alg.windowed:
		return r.Limit
	case r.Algorithm == "leaky-bucket":
		return r.Capacity + 1
	}
	return r.Capacity
}

func shared(a Ask, n int64) Ask {
	rules := make([]Rule, len(a.Rules))
	for i, r := range a.Rules {
		rules[i] = r.Share(n)
	}
	a.Rules = rules
	return a
}

// Share is one of n equal shares of the rule: what it grants at once and what comes
// back, divided by n and rounded down, but at least 1 (a millionth a second, for a
// rate). So n shares together grant no more than the rule, unless it grants less
// than n: then each has 1. A request whose cost is above the share is never
// granted by it.
func (r Rule) Share(n int64) Rule {
	if n <= 1 {
		return r
	}
	most := max(r.most()/n, 1)
	if alg, _ := algorithmOf(r.Algorithm); alg.windowed {
		r.Limit = most
		return r
	}
	r.Capacity = most
	if r.Algorithm == "leaky-bucket" {
		r.Capacity-- // one is served, the rest waits
	}
	r.RefillPerSecond = max(r.RefillPerSecond/engine.Micros(n), 1)
	return r
}
