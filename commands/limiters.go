package commands

import (
	"time"

	"sluice/engine"
)

// A limiter is what a limiting command's row adds: how its arguments are read, and
// the unit of the times in its reply.
type limiter struct {
	parse parseLimiter
	unit  time.Duration
}

// A parseLimiter reads the arguments behind a limiting command's key into a call.
type parseLimiter func(args [][]byte, call *engine.Call) error

func limiterCommands() []*Command {
	row := func(name, usage, summary string, arity int, flags Flags, run run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: RateLimit, Since: "0.1.0",
			Arity: arity, Flags: flags | Fast, Keys: oneKey, Run: run, joins: flags&Write != 0,
		}
	}
	limit := func(name, usage, summary string, arity int, parse parseLimiter, unit time.Duration) *Command {
		l := &limiter{parse, unit}
		c := row(name, usage, summary, arity, Write|DenyOOM, l.run)
		c.limiter = l
		return c
	}
	all := row("RL.ALL", "key command <AND key command ...>",
		"Takes from 2 to 16 limiters, each a command without its key, or from none of them.", -6, Write|DenyOOM|MovableKeys, rlAll)
	all.keysOf, all.parted = partKeys, true
	acquire := row("CC.ACQUIRE", "key limit lease [TOKEN token]",
		"Takes a lease, if fewer than limit are held; its sixth element is the token.", -4, Write|DenyOOM, ccAcquire)
	acquire.leasing = true
	return []*Command{
		limit("CL.THROTTLE", "key max_burst count period [quantity]",
			"Takes from a GCRA limiter as redis-cell does; times are in seconds.", -5, parseThrottle, time.Second),
		limit("GCRA", "key max_burst tokens_per_period period [TOKENS count]",
			"CL.THROTTLE in the form of the Redis 8.8 previews.", -5, parseGCRA, time.Second),
		limit("TB.TAKE", "key capacity refill_per_second [cost] [MAXWAIT ms]",
			"Takes tokens from a bucket, or reserves them for later.", -4, parseTokenBucket, time.Millisecond),
		limit("FW.INCR", "key limit window [cost]",
			"Counts in a fixed window of the clock.", -4, parseFixedWindow, time.Millisecond),
		limit("SW.HIT", "key limit window [cost]",
			"Counts in a sliding window made of two counters.", -4, parseSlidingWindow, time.Millisecond),
		limit("SL.HIT", "key limit window [cost]",
			"Counts exactly, in a log of every unit.", -4, parseSlidingLog, time.Millisecond),
		limit("LB.ADD", "key capacity leak_per_second [cost]",
			"Joins a queue that leaks at a steady pace; tells the time until one's turn.", -4, parseLeakyBucket, time.Millisecond),
		acquire,
		row("CC.RENEW", "key token lease",
			"Lets a lease that is held last from now on.", 4, Write, ccRenew),
		row("CC.RELEASE", "key token",
			"Gives a lease back.", 3, Write, ccRelease),
		all,
		row("RL.INSPECT", "key",
			"Tells the state of a key in words.", 2, ReadOnly, rlInspect),
	}
}

// run answers a limiting command.
func (l *limiter) run(c *Session, args [][]byte) (reply Reply, err error) {
	err = l.answer(c, args, &reply)
	return reply, err
}

// answer is run into a zero reply.
func (l *limiter) answer(c *Session, args [][]byte, reply *Reply) error {
	if err := c.habit.read(l, args[2:], &c.call); err != nil {
		return err
	}
	c.call.Key = c.key(args[1])
	decision, err := c.store.Take(c.ctx, &c.call)
	c.call.Key.Name = nil // it lies in the connection's buffer, which is to go
	if err != nil {
		return err
	}
	c.countDecision(c.call.Algorithm.Kind, decision.Limited)
	if !decision.Limited && c.call.Cost != 0 {
		c.touched(c.key(args[1]))
	}
	reply.limit(c.call.Limit.Max, &decision, int64(l.unit))
	return nil
}
