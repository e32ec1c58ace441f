package httpdemo

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sluice/engine"
)

// New makes a middleware that holds requests to rules, or says what is wrong with the
// way it is told to. What it asks of a store it asks before the handler runs.
func New(store Store, rules []Rule, o Options) (func(http.Handler) http.Handler, error) {
	m, err := newMiddleware(store, rules, o)
	if err != nil {
		return nil, err
	}
	return m.around, nil
}

func newMiddleware(store Store, rules []Rule, o Options) (*middleware, error) {
	if err := check(store, rules, o); err != nil {
		return nil, err
	}
	m := &middleware{
		store: store,
		rules: slices.Clone(rules),
		o:     o.withDefaults(),
	}
	m.log.to = m.o.Logger
	if m.o.TrustedProxies.everybody() {
		m.log.once(&m.log.everybody, "every address is a trusted proxy: clients choose their own address")
	}
	return m, nil
}

type middleware struct {
	store  Store
	rules  []Rule
	o      Options
	log    complaints
	queues queues
}

func (m *middleware) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.serve(next, w, r) })
}

// An exchange is what is known about one request; handlers find it in their context.
type exchange struct {
	by           *middleware
	requestID    string
	subject      string
	partition    string // the subject's hash, base64
	rules        []Rule
	cost         int64
	verdict      Verdict
	err          error
	unidentified bool // err is about who asks
	storeTime    time.Duration
	waited       time.Duration
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	a, _ := ctx.Value(exchangeKey{}).(*exchange)
	return a
}

// FromContext is what the nearest middleware around the handler was told about its
// request. It is not ok where there is none, or the store failed.
func FromContext(ctx context.Context) (verdict Verdict, ok bool) {
	a := exchangeOf(ctx)
	if a == nil || a.err != nil {
		return Verdict{Deciding: -1, RetryAfter: Never}, false
	}
	return a.verdict, true
}

// RequestID is the X-Request-Id of a handler's request, "" outside of a middleware.
func RequestID(ctx context.Context) string {
	if a := exchangeOf(ctx); a != nil {
		return a.requestID
	}
	return ""
}

func (m *middleware) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if m.o.Skip != nil && m.o.Skip(r) {
		next.ServeHTTP(w, r)
		return
	}
	a := &exchange{by: m, requestID: requestID(r), verdict: Verdict{Deciding: -1, RetryAfter: Never}}
	if a.err = m.identify(a, r); a.err == nil {
		m.ask(a, r.Context())
	} else {
		a.unidentified = true
	}
	// A copy: the handlers' request is theirs, the server's stays as it was.
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, a))
	if m.o.ReportOnly {
		m.report(a, r, a.outcome(r.Context()))
		m.handle(next, w, r, a)
		return
	}
	if a.err == nil && !a.verdict.Limited && m.mustWait(a) {
		m.await(a, r.Context())
	}
	m.tell(w.Header(), a)
	outcome := a.outcome(r.Context())
	m.report(a, r, outcome)
	switch outcome {
	case Granted:
		m.handle(next, w, r, a)
	case Refused:
		setRetryAfter(w.Header(), a.verdict.RetryAfter)
		m.o.Denied.ServeHTTP(w, r)
	case Unidentified:
		keyProblem(w, a.err)
	case Gone:
		// Nobody reads it; it is for the logs around us, in nginx's word.
		w.WriteHeader(statusClientClosedRequest)
	case Undecided:
		reducedCapacity(w, a.err)
	}
}

const statusClientClosedRequest = 499

// identify finds out who is asking, for what and under which rules.
func (m *middleware) identify(a *exchange, r *http.Request) (err error) {
	if a.subject, err = m.o.Key(r); err != nil {
		return err
	}
	m.checkRequest(a.subject, r)
	if m.o.Headers&Draft8 != 0 || m.o.OnDecision != nil {
		a.partition = m.partition(a.subject)
	}
	a.rules = m.rules
	if own := m.o.RulesFor(r); own != nil {
		if err := checkRules(own); err != nil {
			return fmt.Errorf("RulesFor: %w", err)
		}
		a.rules = own
	}
	if len(a.rules) == 0 {
		return fmt.Errorf("RulesFor has no rules for a request, and the middleware has none")
	}
	if a.cost = m.o.Cost(r); a.cost < 0 {
		// Else a caller who can move the cost could fill its own bucket.
		m.log.once(&m.log.cost, "a request's cost is below zero: 1 is taken")
		a.cost = 1
	}
	a.cost = min(a.cost, engine.MaxUnits) // more is a wrong question; this much is refused
	return nil
}

// partition is a hash that tells subjects apart and tells nothing of them.
func (m *middleware) partition(subject string) string {
	var sum [sha256.Size]byte
	if len(m.o.PartitionSecret) == 0 {
		sum = sha256.Sum256([]byte(subject))
	} else {
		mac := hmac.New(sha256.New, m.o.PartitionSecret)
		mac.Write([]byte(subject))
		mac.Sum(sum[:0])
	}
	return base64.StdEncoding.EncodeToString(sum[:12])
}

func (m *middleware) ask(a *exchange, ctx context.Context) {
	began := time.Now()
	ask := Ask{Subject: a.subject, Rules: a.rules, Cost: a.cost}
	if !m.o.ReportOnly && a.cost > 0 {
		ask.MaxWait = m.patience(ctx, began)
	}
	a.verdict, a.err = m.store.Take(ctx, ask)
	a.storeTime = time.Since(began)
}

// tell writes the headers that every response has, before anyone can send one.
func (m *middleware) tell(h http.Header, a *exchange) {
	h["X-Request-Id"] = []string{a.requestID}
	m.o.Headers.tellPolicies(h, a.rules, a.partition)
	if a.err != nil {
		return
	}
	m.o.Headers.tellLimits(h, a.rules, a.verdict)
	if a.verdict.Degraded {
		h[degradedHeader] = []string{structuredFieldsTrue}
	}
}
