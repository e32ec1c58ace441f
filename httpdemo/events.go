package httpdemo

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// An Outcome is what became of a request.
type Outcome int

// The outcomes. A store that fails open or local grants and refuses; its verdicts are
// Degraded.
const (
	Granted      Outcome = iota
	Refused              // the limit, or a wait longer than the budget
	Undecided            // the store failed
	Unidentified         // the key or the request's rules did
	Gone                 // the client left while it waited
)

func (o Outcome) String() string {
	return [...]string{"granted", "refused", "undecided", "unidentified", "gone"}[o]
}

// An Event is one decision, for logs and metrics. Under ReportOnly a refused or
// undecided request went on.
type Event struct {
	Request   *http.Request // of which nothing may be changed
	RequestID string
	Partition string // the subject's hash, as headers have it
	Subject   string // "" unless Options.RevealSubject
	Rules     []Rule
	Cost      int64
	Outcome   Outcome
	Verdict   Verdict
	Err       error         // why it is undecided, unidentified or gone
	StoreTime time.Duration // how long the store took
	Waited    time.Duration // how long the request waited for its turn
}

// outcome says what becomes of a request. A client that has left made the store's
// call fail, which says nothing about the store.
func (a *exchange) outcome(ctx context.Context) Outcome {
	switch {
	case a.unidentified:
		return Unidentified
	case a.err != nil && errors.Is(ctx.Err(), context.Canceled):
		return Gone
	case a.err != nil:
		return Undecided
	case a.verdict.Limited:
		return Refused
	}
	return Granted
}

func (m *middleware) report(a *exchange, r *http.Request, outcome Outcome) {
	switch outcome {
	case Undecided:
		m.log.sometimes("the store did not decide a request", a.err)
	case Unidentified:
		if !errors.Is(a.err, ErrNoKey) { // that one is the client's doing
			m.log.sometimes("a request's limit could not be made out", a.err)
		}
	}
	if m.o.OnDecision == nil {
		return
	}
	e := Event{
		Request: r, RequestID: a.requestID, Partition: a.partition, Rules: a.rules, Cost: a.cost,
		Outcome: outcome, Verdict: a.verdict, Err: a.err, StoreTime: a.storeTime, Waited: a.waited,
	}
	if m.o.RevealSubject {
		e.Subject = a.subject
	}
	m.o.OnDecision(e)
}

// LogDecisions is an OnDecision that writes each to a log: grants at debug, and at
// info what others are. Undecided requests are at debug too: of an outage, which may
// concern every request, a warning tells.
func LogDecisions(to *slog.Logger) func(Event) {
	return func(e Event) {
		level := slog.LevelInfo
		if e.Outcome == Granted || e.Outcome == Undecided {
			level = slog.LevelDebug
		}
		ctx := e.Request.Context()
		if !to.Enabled(ctx, level) {
			return
		}
		to.LogAttrs(ctx, level, "decision", e.attrs()...)
	}
}

func (e Event) attrs() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("request_id", e.RequestID),
		slog.String("outcome", e.Outcome.String()),
		slog.String("method", e.Request.Method),
		slog.String("path", e.Request.URL.Path),
		slog.String("partition", e.Partition),
		slog.Int64("cost", e.Cost),
		slog.Duration("store_time", e.StoreTime),
	}
	if e.Subject != "" {
		attrs = append(attrs, slog.String("subject", e.Subject))
	}
	if d := e.Verdict.Deciding; d >= 0 && d < len(e.Rules) {
		attrs = append(attrs, slog.String("rule", e.Rules[d].Name))
	}
	if e.Verdict.RetryAfter != Never && e.Err == nil {
		attrs = append(attrs, slog.Duration("retry_after", e.Verdict.RetryAfter))
	}
	if e.Waited > 0 {
		attrs = append(attrs, slog.Duration("waited", e.Waited))
	}
	if e.Verdict.Degraded {
		attrs = append(attrs, slog.Bool("degraded", true))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	return attrs
}
