package httpdemo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Transport is an http.RoundTripper that keeps one's own calls within a partner's
// limits: it holds each call back until its turn, and all calls to a host that said
// Retry-After until that time. Several processes with one Store keep the limits
// together; a Retry-After holds back the process that was told.
//
// A call waits for three things, in this order: that the host is not holding us off,
// that the subject's calls before it have been asked for, and the time the store says.
// So calls of one process for one subject go first come first served.
type Transport struct {
	// Store and Rules are the limits: per second, per minute and per day at once, say.
	Store Store
	Rules []Rule
	// Budget is how long a call may wait in all, or until its context's deadline if
	// that is sooner. With no budget a call goes at once or not at all.
	Budget time.Duration
	// Subject is whose limit a call counts against; nil is the host that is called.
	Subject func(*http.Request) string
	// Base does the calls; nil is http.DefaultTransport.
	Base http.RoundTripper

	hosts, subjects places
}

// ErrNotInTime is what errors.Is finds when a call was not made because its turn
// does not come within the budget.
var ErrNotInTime = errors.New("the call's turn does not come within its budget")

// A NotInTimeError is an ErrNotInTime that knows when to try again.
type NotInTimeError struct {
	Host       string
	RetryAfter time.Duration // at least; Never if no waiting helps
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
	host := t.hosts.enter(r.URL.Host)
	defer t.hosts.leave(host)
	if err := t.await(r, host); err != nil {
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
		if wait, ok := parseRetryAfter(res.Header, now); ok {
			t.hosts.hold(host, now.Add(wait))
		}
	}
	return res, err
}

// await returns when the call may go. It starts afresh when the host held us off
// while the call waited: those who waited must not all come at the hold's end.
func (t *Transport) await(r *http.Request, host *place) error {
	ask := Ask{Subject: "host:" + strings.ToLower(r.URL.Host), Rules: t.Rules, Cost: 1}
	if t.Subject != nil {
		ask.Subject = t.Subject(r)
	}
	subject := t.subjects.enter(ask.Subject)
	defer t.subjects.leave(subject)
	w := newPatience(r, t.Budget)
	for {
		if err := w.sleep(t.hosts.held(host)); err != nil {
			return err
		}
		ahead, err := t.reserve(w, subject, ask)
		if err != nil {
			return err
		}
		err = w.sleep(ahead)
		if err == nil && t.hosts.held(host) <= 0 {
			return nil
		}
		t.giveBack(r.Context(), ask)
		if err != nil {
			return err
		}
	}
}

// reserve takes the call's units and returns how long its turn is ahead. Who is
// refused waits with the subject's turn in hand, so that nobody overtakes.
func (t *Transport) reserve(w *patience, subject *place, ask Ask) (time.Duration, error) {
	if err := w.turn(subject, t.subjects.held); err != nil {
		return 0, err
	}
	defer subject.passOn()
	defer t.subjects.let(subject)
	for {
		ask.MaxWait = max(0, time.Until(w.until))
		v, err := t.Store.Take(w.ctx, ask)
		if err != nil {
			return 0, fmt.Errorf("asking for a call to %s: %w", w.host, err)
		}
		if !v.Limited {
			return max(0, v.RetryAfter), nil
		}
		if v.RetryAfter == Never {
			return 0, &NotInTimeError{w.host, Never}
		}
		t.subjects.hold(subject, time.Now().Add(v.RetryAfter))
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

// patience is what one call has of it.
type patience struct {
	ctx   context.Context
	host  string
	until time.Time
}

func newPatience(r *http.Request, budget time.Duration) *patience {
	p := &patience{r.Context(), r.URL.Host, time.Now().Add(budget)}
	if deadline, ok := p.ctx.Deadline(); ok && deadline.Before(p.until) {
		p.until = deadline
	}
	return p
}

// sleep waits that long, or says at once that it would take longer than there is.
func (p *patience) sleep(d time.Duration) error {
	if err := p.ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if d > time.Until(p.until) {
		return &NotInTimeError{p.host, d}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// turn waits until the subject's calls before this one have been asked for. If the
// first of them waits longer than this one can, so would this one.
func (p *patience) turn(subject *place, held func(*place) time.Duration) error {
	select { // patience of nothing is enough where nobody is before
	case subject.turn <- struct{}{}:
		return nil
	default:
	}
	left := time.Until(p.until)
	if wait := held(subject); wait > left {
		return &NotInTimeError{p.host, wait}
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case subject.turn <- struct{}{}:
		return nil
	case <-timer.C:
		return &NotInTimeError{p.host, max(0, held(subject))}
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// parseRetryAfter reads both forms of the header: seconds, and an HTTP date. A date is
// the partner's, whose clock need not be ours: it counts from the response's own Date.
func parseRetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(MaxHold/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if theirs, err := http.ParseTime(h.Get("Date")); err == nil {
		now = theirs
	}
	return min(max(0, at.Sub(now)), MaxHold), true
}
