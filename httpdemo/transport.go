package httpdemo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A Transport is an http.RoundTripper that keeps one's own calls within a partner's
// limits: it holds each call back until its turn, and all calls to a host that said
// Retry-After until that time. Several processes with one Store keep the limits
// together; a Retry-After holds back the process that was told.
//
// A call waits for three things, in this order: that the host is not holding us off,
// that the calls before it have been asked for, and the time the store says. Calls of
// one process to one host go first come first served.
type Transport struct {
	// Store and Rules are the limits: per second, per minute and per day at once, say.
	Store Store
	Rules []Rule
	// Budget is how long a call may wait in all; the request's context may end it
	// sooner. With no budget a call goes at once or not at all.
	Budget time.Duration
	// Subject is whose limit a call counts against; nil is the host that is called.
	Subject func(*http.Request) string
	// Base does the calls; nil is http.DefaultTransport.
	Base http.RoundTripper

	hosts hosts
}

// ErrNotInTime is what errors.Is finds when a call was not made because its turn
// does not come within the budget.
var ErrNotInTime = errors.New("the call's turn does not come within its budget")

// A NotInTimeError is an ErrNotInTime that knows when to try again.
type NotInTimeError struct {
	Host       string
	RetryAfter time.Duration // Never if no waiting helps
}

func (e *NotInTimeError) Error() string {
	if e.RetryAfter == Never {
		return fmt.Sprintf("%s: %v, nor ever", e.Host, ErrNotInTime)
	}
	return fmt.Sprintf("%s: %v: try again in %v", e.Host, ErrNotInTime, e.RetryAfter)
}

// Unwrap makes errors.Is find ErrNotInTime.
func (e *NotInTimeError) Unwrap() error { return ErrNotInTime }

// refundTimeout bounds giving back what a cancelled call had reserved: its context
// is over, and the units must go back all the same.
const refundTimeout = time.Second

// RoundTrip makes the call when its turn has come.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	h := t.hosts.enter(r.URL.Host)
	defer t.hosts.leave(h)
	if err := t.await(r, h); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it also when it makes no call
		}
		return nil, err
	}
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(r)
	if err == nil && (res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable) {
		now := time.Now()
		if wait, ok := parseRetryAfter(res.Header.Get("Retry-After"), now); ok {
			t.hosts.hold(h, now.Add(wait))
		}
	}
	return res, err
}

// await returns when the call may go. It starts afresh when the host held us off
// while the call waited: those who waited must not all come at the hold's end.
func (t *Transport) await(r *http.Request, h *host) error {
	ask := Ask{Subject: r.URL.Host, Rules: t.Rules, Cost: 1}
	if t.Subject != nil {
		ask.Subject = t.Subject(r)
	}
	w := wait{ctx: r.Context(), host: h.name, until: time.Now().Add(t.Budget)}
	for {
		if err := w.sleep(time.Until(t.hosts.heldUntil(h))); err != nil {
			return err
		}
		ahead, err := t.reserve(&w, h, ask)
		if err != nil {
			return err
		}
		err = w.sleep(ahead)
		if err == nil && !t.hosts.heldUntil(h).After(time.Now()) {
			return nil
		}
		t.giveBack(r.Context(), ask)
		if err != nil {
			return err
		}
	}
}

// reserve takes the call's units and returns how long its turn is ahead. Who is
// refused waits with the host's turn in hand, so that nobody overtakes.
func (t *Transport) reserve(w *wait, h *host, ask Ask) (time.Duration, error) {
	if err := w.turn(h); err != nil {
		return 0, err
	}
	defer h.passOn()
	for {
		ask.MaxWait = max(0, time.Until(w.until))
		v, err := t.Store.Take(w.ctx, ask)
		if err != nil {
			return 0, fmt.Errorf("asking for a call to %s: %w", h.name, err)
		}
		if !v.Limited {
			return max(0, v.RetryAfter), nil
		}
		if v.RetryAfter == Never {
			return 0, &NotInTimeError{h.name, Never}
		}
		if err := w.sleep(v.RetryAfter); err != nil {
			return 0, err
		}
	}
}

// giveBack returns the units of a call that is not made. (A window that has ended
// since lets one more through in the next: the store can't know which it was.)
func (t *Transport) giveBack(ctx context.Context, ask Ask) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTimeout)
	defer cancel()
	ask.Cost, ask.MaxWait = -ask.Cost, 0
	// Nothing is lost for good by a refund that fails: the units come back by the rules.
	_, _ = t.Store.Take(ctx, ask)
}

// A wait is what is left of one call's patience.
type wait struct {
	ctx   context.Context
	host  string
	until time.Time
}

// sleep waits that long, or says at once that it would take longer than the budget.
func (w *wait) sleep(d time.Duration) error {
	if err := w.ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if d > time.Until(w.until) {
		return &NotInTimeError{w.host, d}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// turn waits until the calls before this one have been asked for.
func (w *wait) turn(h *host) error {
	select { // a budget of nothing is enough where nobody is before
	case h.turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(time.Until(w.until))
	defer timer.Stop()
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-timer.C:
		return &NotInTimeError{w.host, time.Second}
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// parseRetryAfter reads both forms of the header: seconds, and an HTTP date.
func parseRetryAfter(text string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(MaxHold/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(0, at.Sub(now)), MaxHold), true
}
