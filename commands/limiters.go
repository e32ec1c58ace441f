package commands

import (
	"time"

	"sluice/engine"
)

func limiterCommands() []*Command {
	limiter := func(name, usage, summary string, arity int, parse parseLimiter, unit time.Duration) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: RateLimit, Since: "0.1.0",
			Arity: arity, Flags: Write | DenyOOM | Fast, Keys: oneKey,
			Run: func(c *Session, args [][]byte) (Reply, error) { return c.take(parse, args, unit) },
		}
	}
	return []*Command{
		limiter("CL.THROTTLE", "key max_burst count period [quantity]",
			"Takes from a GCRA limiter as redis-cell does; times are in seconds.", -5, parseThrottle, time.Second),
		limiter("TB.TAKE", "key capacity refill_per_second [cost] [MAXWAIT ms]",
			"Takes tokens from a bucket, or reserves them for later.", -4, parseTokenBucket, time.Millisecond),
		limiter("FW.INCR", "key limit window [cost]",
			"Counts in a fixed window of the clock.", -4, parseFixedWindow, time.Millisecond),
		limiter("SW.HIT", "key limit window [cost]",
			"Counts in a sliding window made of two counters.", -4, parseSlidingWindow, time.Millisecond),
		limiter("LB.ADD", "key capacity leak_per_second [cost]",
			"Joins a queue that leaks at a steady pace; tells the time until one's turn.", -4, parseLeakyBucket, time.Millisecond),
		limiter("GCRA", "key max_burst tokens_per_period period [TOKENS count]",
			"CL.THROTTLE in the form of the Redis 8.8 previews.", -5, parseGCRA, time.Second),
	}
}

// A parseLimiter reads the arguments behind a limiting command's key into a call.
type parseLimiter func(args [][]byte, call *engine.Call) error

// take runs a limiting command.
func (c *Session) take(parse parseLimiter, args [][]byte, unit time.Duration) (Reply, error) {
	c.call.Request = engine.Request{}
	c.call.Key = c.key(args[1])
	if err := parse(args[2:], &c.call); err != nil {
		return Reply{}, err
	}
	decision, err := c.service.Store.Take(c.ctx, &c.call)
	if err != nil {
		return Reply{}, err
	}
	c.countDecision(c.call.Algorithm.Kind, decision.Limited)
	return limiting(c.call.Limit.Max, decision, int64(unit)), nil
}
