package httpdemo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// ErrBreakerOpen says that the store has failed just now and was not asked again.
var ErrBreakerOpen = errors.New("httpdemo: the store is given a rest after its failures")

// A BreakerState is what a Breaker does with calls.
type BreakerState int

// The states of a breaker.
const (
	BreakerClosed   BreakerState = iota // all calls go to the store
	BreakerOpen                         // none does
	BreakerHalfOpen                     // one does, to see whether the store is back
)

func (s BreakerState) String() string {
	return [...]string{"closed", "open", "half-open"}[s]
}

// BreakerOptions change how a Breaker judges. The zero options are the defaults.
type BreakerOptions struct {
	Failures int           // in a row open it; 5 if 0
	Rest     time.Duration // before one call tries again: Rest to twice that, evenly; 250 ms if 0
	Now      func() time.Time
}

// A Breaker is a Store that stops asking another one which fails: then calls fail
// at once, and one at a time, after a rest of random length, sees whether the store
// is back. So a dead store costs nothing, and one that returns is not run over.
type Breaker struct {
	store Store
	o     BreakerOptions

	mu       sync.Mutex
	state    BreakerState
	failures int       // in a row, while closed
	until    time.Time // of the rest, while open
	// epoch counts the states. How a call ended that began in an earlier one says
	// nothing about this one.
	epoch int
	err   error // of every call while open
}

var _ Store = (*Breaker)(nil)

// NewBreaker is a closed breaker before a store.
func NewBreaker(store Store, o BreakerOptions) *Breaker {
	if o.Failures <= 0 {
		o.Failures = 5
	}
	if o.Rest <= 0 {
		o.Rest = 250 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Breaker{store: store, o: o}
}

// State is what the breaker does with calls now.
func (b *Breaker) State() BreakerState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Take asks the store, or fails with ErrBreakerOpen.
func (b *Breaker) Take(ctx context.Context, a Ask) (Verdict, error) {
	epoch, err := b.enter()
	if err != nil {
		return Verdict{}, err
	}
	ended := false
	defer func() {
		if !ended { // a panic: nothing is known, and the next one must be let in
			b.leave(epoch, unknown, nil)
		}
	}()
	v, err := b.store.Take(ctx, a)
	ended = true
	b.leave(epoch, sign(ctx, err), err)
	return v, err
}

// A health is what the end of a call says about the store.
type health int

const (
	unknown health = iota
	alive
	failed
)

// sign reads the end of a call. Who is refused by a rule, or is told that his
// question is wrong, was answered.
func sign(ctx context.Context, err error) health {
	switch {
	case err == nil, errors.Is(err, ErrMisconfigured):
		return alive
	case errors.Is(err, ErrAsk), given(ctx, err):
		return unknown
	}
	return failed
}

// enter lets a call through to the store, or is the error in its place.
func (b *Breaker) enter() (epoch int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == BreakerClosed:
		return b.epoch, nil
	case b.state == BreakerHalfOpen, b.o.Now().Before(b.until):
		return 0, b.err
	}
	b.become(BreakerHalfOpen)
	return b.epoch, nil
}

func (b *Breaker) leave(epoch int, h health, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if epoch != b.epoch {
		return
	}
	switch {
	case h == unknown && b.state == BreakerHalfOpen: // the next call finds out
		b.become(BreakerOpen)
	case h == unknown:
	case h == alive && b.state == BreakerClosed:
		b.failures = 0
	case h == alive:
		b.become(BreakerClosed)
	default:
		if b.failures++; b.state == BreakerHalfOpen || b.failures >= b.o.Failures {
			b.rest(err)
		}
	}
}

// rest opens the breaker for a while.
func (b *Breaker) rest(err error) {
	b.become(BreakerOpen)
	b.until = b.o.Now().Add(b.o.Rest + rand.N(b.o.Rest+1))
	b.err = fmt.Errorf("%w: %w", ErrBreakerOpen, err)
}

func (b *Breaker) become(s BreakerState) {
	b.state, b.failures = s, 0
	b.epoch++
}
