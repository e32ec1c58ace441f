package httpdemo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"sluice/engine"
)

// ErrAsk says that what was asked is against the bounds of its words: the asker's
// fault, whatever store is asked.
var ErrAsk = errors.New("httpdemo: a wrong question")

// maxRules is how many rules one request is held to at most, as RL.ALL has it.
const maxRules = 16

// An algorithm is what the stores know of one of Rule.Algorithm's names.
type algorithm struct {
	engine  *engine.Algorithm
	limit   func(Rule) (engine.Limit, error)
	command string
	args    func(Rule) []any
	// unit is what the command's times are counted in.
	unit time.Duration
	// windowed says that Limit and Window are its numbers, not Capacity and
	// RefillPerSecond.
	windowed bool
}

// algorithmOf is the row of an algorithm, false for a name that has none.
func algorithmOf(name string) (algorithm, bool) {
	switch name {
	case "token-bucket":
		return algorithm{engine.TokenBucket, bucketLimit(engine.TokenBucketLimit), "TB.TAKE", bucketArgs, time.Millisecond, false}, true
	case "leaky-bucket":
		return algorithm{engine.LeakyBucket, bucketLimit(engine.LeakyBucketLimit), "LB.ADD", bucketArgs, time.Millisecond, false}, true
	case "gcra":
		return algorithm{engine.GCRA, gcraLimit, "CL.THROTTLE", gcraArgs, time.Second, false}, true
	case "fixed-window":
		return algorithm{engine.FixedWindow, windowLimit(engine.WindowLimit), "FW.INCR", windowArgs, time.Millisecond, true}, true
	case "sliding-window":
		return algorithm{engine.SlidingWindow, windowLimit(engine.WindowLimit), "SW.HIT", windowArgs, time.Millisecond, true}, true
	case "sliding-log":
		return algorithm{engine.SlidingLog, windowLimit(engine.LogLimit), "SL.HIT", windowArgs, time.Millisecond, true}, true
	}
	return algorithm{}, false
}

// Validate is an error that names the field which is out of its bounds, or nil.
func (r Rule) Validate() error {
	_, _, err := r.resolve()
	return err
}

// resolve is the rule in the engine's words.
func (r Rule) resolve() (algorithm, engine.Limit, error) {
	if r.Name == "" || strings.ContainsFunc(r.Name, func(c rune) bool { return !nameRune(c) }) {
		return algorithm{}, engine.Limit{}, fmt.Errorf("rule %q: Name must be letters, digits, - and _", r.Name)
	}
	a, ok := algorithmOf(r.Algorithm)
	if !ok {
		return a, engine.Limit{}, fmt.Errorf("rule %s: Algorithm %q is not token-bucket, gcra, leaky-bucket, "+
			"fixed-window, sliding-window or sliding-log", r.Name, r.Algorithm)
	}
	if a.windowed && (r.Window < time.Millisecond || r.Window%time.Millisecond != 0) {
		// Below zero the engine has calendar windows, which no Rule means.
		return a, engine.Limit{}, fmt.Errorf("rule %s: Window %v is not 1 or more whole milliseconds", r.Name, r.Window)
	}
	limit, err := a.limit(r)
	if err != nil {
		return a, limit, fmt.Errorf("rule %s: %w", r.Name, inFields(err))
	}
	return a, limit, nil
}

func nameRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// inFields is an error of the engine with the rule's field in the place of the
// command's argument.
func inFields(err error) error {
	var outside engine.RangeError
	var slow engine.FillError
	switch {
	case errors.As(err, &outside):
		return engine.RangeError{Name: field(outside.Name), Low: outside.Low, High: outside.High}
	case errors.As(err, &slow):
		return engine.FillError{Name: field(slow.Name)}
	}
	return err
}

func field(argument string) string {
	switch argument {
	case "capacity":
		return "Capacity"
	case "refill_per_second", "leak_per_second":
		return "RefillPerSecond"
	case "limit":
		return "Limit"
	case "window":
		return "Window"
	}
	return argument
}

func bucketLimit(of func(int64, engine.Micros) (engine.Limit, error)) func(Rule) (engine.Limit, error) {
	return func(r Rule) (engine.Limit, error) { return of(r.Capacity, r.RefillPerSecond) }
}

func windowLimit(of func(int64, engine.Window) (engine.Limit, error)) func(Rule) (engine.Limit, error) {
	return func(r Rule) (engine.Limit, error) { return of(r.Limit, engine.Window(r.Window.Milliseconds())) }
}

// gcraLimit holds a gcra to a token bucket's bounds, which are the fields' own: at
// a steady rate both mean the same.
func gcraLimit(r Rule) (engine.Limit, error) {
	if _, err := engine.TokenBucketLimit(r.Capacity, r.RefillPerSecond); err != nil {
		return engine.Limit{}, err
	}
	count, period := ratio(r.RefillPerSecond)
	if count > engine.MaxUnits {
		return engine.Limit{}, errors.New("RefillPerSecond of a gcra must be whole above 1000000")
	}
	return engine.GCRALimit(r.Capacity-1, count, time.Duration(period)*time.Second)
}

// ratio is a rate as count units in period whole seconds: exact, in lowest terms.
func ratio(m engine.Micros) (count, period int64) {
	a, b := int64(m), int64(1_000_000)
	for b != 0 {
		a, b = b, a%b
	}
	return int64(m) / a, 1_000_000 / a
}

// resolved are an ask's rules in the engine's words.
type resolved struct {
	algorithms []algorithm
	calls      []engine.Call
}

// resolve is the ask in the engine's words, or an ErrAsk.
func (a Ask) resolve() (resolved, error) {
	if len(a.Rules) < 1 || len(a.Rules) > maxRules {
		return resolved{}, fmt.Errorf("%w: %d rules, not 1 to %d", ErrAsk, len(a.Rules), maxRules)
	}
	if a.Cost < -engine.MaxUnits || a.Cost > engine.MaxUnits {
		return resolved{}, fmt.Errorf("%w: Cost must be between -%d and %[2]d", ErrAsk, int64(engine.MaxUnits))
	}
	r := resolved{make([]algorithm, len(a.Rules)), make([]engine.Call, len(a.Rules))}
	tag := tagOf(a.Subject)
	for i, rule := range a.Rules {
		alg, limit, err := rule.resolve()
		if err != nil {
			return resolved{}, fmt.Errorf("%w: %w", ErrAsk, err)
		}
		for _, other := range a.Rules[:i] {
			if other.Name == rule.Name {
				return resolved{}, fmt.Errorf("%w: two rules have the Name %s", ErrAsk, rule.Name)
			}
		}
		r.algorithms[i] = alg
		r.calls[i] = engine.Call{
			Key:       engine.Key{Name: []byte(tag + rule.Name + ":" + rule.Algorithm)},
			Algorithm: alg.engine,
			Request:   engine.Request{Limit: limit, Cost: a.Cost, MaxWait: a.maxWait()},
		}
	}
	return r, nil
}

// maxWait is MaxWait in the whole milliseconds that all stores know: never longer
// than the caller is ready to wait.
func (a Ask) maxWait() time.Duration {
	return min(max(a.MaxWait, 0), engine.MaxWindow).Truncate(time.Millisecond)
}

// maxTag is how long a subject may be in a key. A longer one is hashed: it is
// often chosen by a client, and must not be refused, or kept, for its length.
const maxTag = 512

// tagOf is the beginning of a subject's keys: the subject in braces, so that all
// rules of a subject are on one server, and then the rule's name and algorithm
// behind it, neither of which holds a colon. Escaped, so that no subject can end
// the braces and be mistaken for another.
func tagOf(subject string) string {
	escaped := escapes.Replace(subject)
	switch {
	case escaped == "": // {} would be no tag
		escaped = "%"
	case len(escaped) > maxTag: // no escaped text has %#
		escaped = fmt.Sprintf("%%#%x", sha256.Sum256([]byte(subject)))
	}
	return "{" + escaped + "}:"
}

var escapes = strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D")

// verdict is the answer to an ask, from the decisions about its calls.
func verdict(calls []engine.Call, decisions []engine.Decision) Verdict {
	v := Verdict{Decisions: make([]Decision, len(calls))}
	for i, d := range decisions {
		v.Decisions[i] = Decision{
			Limited: d.Limited, Limit: int64(calls[i].Limit.Max), Remaining: int64(min(d.Remaining, math.MaxInt64)),
			RetryAfter: d.RetryAfter, ResetAfter: d.ResetAfter,
		}
	}
	v.Deciding, v.RetryAfter = engine.Deciding(calls, decisions)
	v.Limited = v.Deciding >= 0
	return v
}

// given says whether an error is no more than the end of the caller's own context:
// then nothing is known about the store.
func given(ctx context.Context, err error) bool { return err != nil && ctx.Err() != nil }
