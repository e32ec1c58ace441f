// Package httpdemo is rate limiting for net/http: a middleware that asks a Store,
// in the process or on Sluice servers, whether a request may go on, and the handlers
// of the demo that is made of it. It knows HTTP and Redis clients; what a limit means
// is the engine's business.
package httpdemo

import (
	"context"
	"time"

	"sluice/engine"
)

// A Rule is one limit that requests are held to.
type Rule struct {
	// Name is what clients read of it in headers and problems: letters, digits, - and _.
	Name string
	// Algorithm is token-bucket, gcra, leaky-bucket, fixed-window, sliding-window
	// or sliding-log.
	Algorithm string
	// Capacity and RefillPerSecond are the numbers of the first three. gcra allows
	// Capacity at once; leaky-bucket serves one and lets Capacity wait.
	Capacity        int64
	RefillPerSecond engine.Micros // millionths of a unit a second
	// Limit and Window are the numbers of the other three.
	Limit  int64
	Window time.Duration
}

// An Ask is what a store is asked for one request.
type Ask struct {
	// Subject is who is limited: each rule keeps a state of its own for it.
	Subject string
	Rules   []Rule // 1 to 16
	// Cost is how many units the request takes of each rule; below zero gives back.
	Cost int64
	// MaxWait is how long the request is ready to wait for units that are reserved
	// now (token-bucket only).
	MaxWait time.Duration
}

// A Decision is a store's answer about one rule. Times are at least as long as told.
type Decision struct {
	Limited    bool
	Limit      int64
	Remaining  int64
	RetryAfter time.Duration // Never if no waiting helps, or none is needed
	ResetAfter time.Duration
}

// Never, as a RetryAfter, says that no waiting can help or that none is needed.
const Never = engine.Never

// A Verdict is a store's answer about a request: all rules grant it, or nothing is
// taken from any.
type Verdict struct {
	Limited bool
	// Deciding is the number of the rule that refuses for the longest, or -1.
	Deciding int
	// RetryAfter is that rule's, or when granted the longest wait ahead, or Never.
	RetryAfter time.Duration
	Decisions  []Decision // one a rule, in the order of Ask.Rules; none if nobody counted
	// Degraded says that the store that was meant did not decide this.
	Degraded bool
}

// A Store decides requests. A refusal is a Verdict; an error means that nobody
// knows. It is safe for concurrent use.
type Store interface {
	Take(context.Context, Ask) (Verdict, error)
}
