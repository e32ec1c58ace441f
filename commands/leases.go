package commands

import (
	"time"

	"sluice/engine"
)

// maxTokenBytes bounds a token that a client brings.
const maxTokenBytes = 256

// ccAcquire answers CC.ACQUIRE key limit lease [TOKEN token]: the five integers and
// the lease's token, null if it was refused or only looked.
func ccAcquire(c *Session, args [][]byte) (Reply, error) {
	limit, err := parseInt(args[2])
	if err != nil {
		return Reply{}, err
	}
	call := engine.LeaseCall{Key: c.key(args[1]), Op: engine.Acquire}
	if call.Limit, err = engine.LeaseLimit(limit); err != nil {
		return Reply{}, err
	}
	if call.Lease, err = parseLease(args[3], 0); err != nil {
		return Reply{}, err
	}
	switch rest := args[4:]; {
	case len(rest) == 2 && is(rest[0], "TOKEN"):
		if call.Token, err = parseToken(rest[1]); err != nil {
			return Reply{}, err
		}
	case len(rest) > 0:
		return Reply{}, errSyntax
	case call.Lease > 0:
		call.Token = c.tokens.next()
	}
	decision, held, err := c.leases(call)
	if err != nil {
		return Reply{}, err
	}
	c.countDecision(engine.KindConcurrency, decision.Limited)
	reply := limiting(call.Limit, &decision, int64(time.Millisecond))
	reply.Kind = Leasing
	if held {
		reply.Text = call.Token
	}
	return reply, nil
}

// ccRenew answers CC.RENEW key token lease: 1, or 0 where the lease is not held.
func ccRenew(c *Session, args [][]byte) (Reply, error) {
	lease, err := parseLease(args[3], 1)
	if err != nil {
		return Reply{}, err
	}
	return c.holds(engine.LeaseCall{Op: engine.Renew, Lease: lease}, args)
}

// ccRelease answers CC.RELEASE key token: 1, or 0 where the lease is not held.
func ccRelease(c *Session, args [][]byte) (Reply, error) {
	return c.holds(engine.LeaseCall{Op: engine.Release}, args)
}

func (c *Session) holds(call engine.LeaseCall, args [][]byte) (Reply, error) {
	var err error
	if call.Token, err = parseToken(args[2]); err != nil {
		return Reply{}, err
	}
	call.Key = c.key(args[1])
	_, held, err := c.leases(call)
	if err != nil {
		return Reply{}, err
	}
	return boolean(held), nil
}

// leases has the store carry a call out.
func (c *Session) leases(call engine.LeaseCall) (d engine.Decision, held bool, err error) {
	c.lease = call // a local one would be allocated
	d, held, err = c.store.Lease(c.ctx, &c.lease)
	c.lease = engine.LeaseCall{} // its key lies in the connection's buffer, which is to go
	if held {
		c.touched(call.Key)
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
