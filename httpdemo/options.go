package httpdemo

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Options is how a middleware meets HTTP. The zero value limits by the connection's
// address, one unit a request, and tells clients in the headers of BothHeaders.
type Options struct {
	// Key says who is limited; nil is ByIP(TrustedProxies, 32, 64). An error that is
	// ErrNoKey is answered 400, any other 500.
	Key Key
	// TrustedProxies are whose X-Forwarded-For and Forwarded the default Key believes.
	TrustedProxies Proxies
	// Cost is how many units a request takes, 1 if nil. 0 only looks. Below zero is
	// misuse and takes 1.
	Cost func(*http.Request) int64
	// RulesFor gives a request rules of its own (the caller's plan); nil from it means
	// the middleware's. They are checked as they come: wrong ones are answered 500.
	RulesFor func(*http.Request) []Rule
	// Skip lets a request through unasked, uncounted and without any header.
	Skip func(*http.Request) bool
	// RefundIf gives a request's cost back after its response: FailuresOnly counts
	// failed logins alone. It is done before the response ends, so that the client's
	// next request knows of it, and costs a call of the store. A degraded answer is not
	// given back: the store that would get it took nothing.
	RefundIf func(status int, r *http.Request) bool
	// Denied answers refused requests in the place of 429 problem+json. The headers
	// are set, FromContext has the verdict; the status is the handler's business.
	Denied http.Handler
	// ReportOnly asks, counts and reports, and changes nothing that a client could see.
	ReportOnly bool
	// Headers is the dialects that responses tell limits in, BothHeaders if zero.
	Headers Dialect
	// WaitBudget is how long a request may be held until its turn instead of refused.
	// It needs a token-bucket or leaky-bucket rule. At 0 nothing waits: a leaky bucket
	// is then a meter only.
	WaitBudget time.Duration
	// PartitionSecret keys the hash that stands for a subject in headers and events.
	// Without it the hash is plain, and who guesses a subject can confirm it. Instances
	// of one service should share it.
	PartitionSecret []byte
	// OnDecision hears of every answer, before the handler runs; see LogDecisions.
	OnDecision func(Event)
	// RevealSubject puts the raw subject into events, which have its hash alone.
	RevealSubject bool
	// Logger gets misuse, once each, and store failures, at most one a minute.
	// Nil is slog.Default.
	Logger *slog.Logger
}

// FailuresOnly is a RefundIf that counts requests answered 400 and above alone.
func FailuresOnly(status int, _ *http.Request) bool { return status < 400 }

// SuccessesOnly is a RefundIf that counts requests answered below 400 alone.
func SuccessesOnly(status int, _ *http.Request) bool { return status >= 400 }

func (o Options) withDefaults() Options {
	if o.Key == nil {
		o.Key = ByIP(o.TrustedProxies, 32, 64)
	}
	if o.Cost == nil {
		o.Cost = func(*http.Request) int64 { return 1 }
	}
	if o.RulesFor == nil {
		o.RulesFor = func(*http.Request) []Rule { return nil }
	}
	if o.Headers == 0 {
		o.Headers = BothHeaders
	}
	if o.Denied == nil {
		o.Denied = http.HandlerFunc(quotaExceeded)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// check refuses what can not work, before the first request meets it.
func check(store Store, rules []Rule, o Options) error {
	if store == nil {
		return errors.New("httpdemo: no store")
	}
	if len(rules) == 0 && o.RulesFor == nil {
		return errors.New("httpdemo: no rules")
	}
	if len(rules) > 0 {
		if err := checkRules(rules); err != nil {
			return err
		}
	}
	if o.WaitBudget < 0 {
		return errors.New("httpdemo: WaitBudget is below zero")
	}
	if o.WaitBudget > 0 && len(rules) > 0 && !anyQueues(rules) {
		return errors.New("httpdemo: WaitBudget needs a token-bucket or leaky-bucket rule")
	}
	return o.Headers.check()
}

func anyQueues(rules []Rule) bool {
	for _, r := range rules {
		if r.Algorithm == "token-bucket" || r.Algorithm == "leaky-bucket" {
			return true
		}
	}
	return false
}

func checkRules(rules []Rule) error {
	if len(rules) == 0 || len(rules) > maxRules {
		return fmt.Errorf("httpdemo: %d rules, 1 to %d can be asked at once", len(rules), maxRules)
	}
	for i, r := range rules {
		if err := r.Validate(); err != nil {
			return fmt.Errorf("httpdemo: %w", err)
		}
		for _, before := range rules[:i] {
			if before.Name == r.Name {
				return fmt.Errorf("httpdemo: two rules are named %q", r.Name)
			}
		}
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
