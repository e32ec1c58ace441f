package commands

import (
	"time"

	"sluice/engine"
)

// maxTokenBytes bounds a token that a client brings.
const maxTokenBytes = 256

// ccAcquire answers CC.ACQUIRE key limit lease [TOKEN token]: the five integers and
// the lease's token, null if it was refused or only looked.
func ccAcquire(c *Session, args [][]byte) (reply Reply, err error) {
	err = c.acquire(args, &reply)
	return reply, err
}

// acquire is ccAcquire into a zero reply.
func (c *Session) acquire(args [][]byte, reply *Reply) error {
	limit, err := parseInt(args[2])
	if err != nil {
		return err
	}
	call := &c.lease
	if call.Limit, err = engine.LeaseLimit(limit); err != nil {
		return err
	}
	if call.Lease, err = parseLease(args[3], 0); err != nil {
		return err
	}
	switch rest := args[4:]; {
	case len(rest) == 2 && is(rest[0], "TOKEN"):
		if call.Token, err = parseToken(rest[1]); err != nil {
			return err
		}
	case len(rest) > 0:
		return errSyntax
	case call.Lease > 0:
		call.Token = c.tokens.next()
	default:
		call.Token = ""
	}
	call.Op = engine.Acquire
	decision, held, err := c.leases(args[1])
	if err != nil {
		return err
	}
	c.countDecision(engine.KindConcurrency, decision.Limited)
	reply.limit(call.Limit, &decision, int64(time.Millisecond))
	reply.Kind = Leasing
	if held {
		reply.Text = call.Token
	}
	return nil
}

// ccRenew answers CC.RENEW key token lease: 1, or 0 where the lease is not held.
func ccRenew(c *Session, args [][]byte) (reply Reply, err error) {
	if c.lease.Lease, err = parseLease(args[3], 1); err != nil {
		return Reply{}, err
	}
	return c.holds(engine.Renew, args)
}

// ccRelease answers CC.RELEASE key token: 1, or 0 where the lease is not held.
func ccRelease(c *Session, args [][]byte) (Reply, error) {
	return c.holds(engine.Release, args)
}

func (c *Session) holds(op engine.LeaseOp, args [][]byte) (reply Reply, err error) {
	if c.lease.Token, err = parseToken(args[2]); err != nil {
		return Reply{}, err
	}
	c.lease.Op = op
	_, held, err := c.leases(args[1])
	if err != nil {
		return Reply{}, err
	}
	return boolean(held), nil
}

// leases has the store carry out the call about a key's leases that the session has
// made. (A local one would be allocated.)
func (c *Session) leases(key []byte) (d engine.Decision, held bool, err error) {
	c.lease.Key = c.key(key)
	d, held, err = c.store.Lease(c.ctx, &c.lease)
	c.lease.Key.Name = nil // it lies in the connection's buffer, which is to go
	if held {
		c.touched(c.key(key))
	}
	return d, held, err
}

// parseLease reads the time of a lease, of so many milliseconds at least.
func parseLease(arg []byte, least engine.Window) (time.Duration, error) {
	lease, ok := engine.ParseWindow(arg)
	if !ok {
		return 0, errDuration
	}
	if lease < least || lease > engine.Window(engine.MaxWindow/time.Millisecond) {
		return 0, errorf("ERR lease must be between %dms and 366d", least)
	}
	return time.Duration(lease) * time.Millisecond, nil
}

func parseToken(arg []byte) (string, error) {
	if len(arg) == 0 || len(arg) > maxTokenBytes {
		return "", errorf("ERR token must be 1 to %d bytes long", maxTokenBytes)
	}
	return string(arg), nil
}
