package commands

// repliesMode says which replies a client wishes to have.
type repliesMode uint8

const (
	repliesOn       repliesMode = iota
	repliesOff                  // none
	repliesSkip                 // not the next one
	repliesSkipping             // not that of the command under way
)

// clientReply answers CLIENT REPLY, or does not: OFF and SKIP have no reply.
func clientReply(c *Session, args [][]byte) (Reply, error) {
	switch {
	case is(args[2], "ON"):
		c.replies = repliesOn
		return OK, nil
	case is(args[2], "OFF"):
		c.replies = repliesOff
	case is(args[2], "SKIP"):
		if c.replies != repliesOff {
			c.replies = repliesSkip
		}
	default:
		return Reply{}, errSyntax
	}
	c.aside = true
	return Reply{}, nil
}

// doAside is Do for a client that does not want all replies or has said CLIENT
// CACHING.
func (c *Session) doAside(args [][]byte) Reply {
	if c.replies == repliesSkip {
		c.replies = repliesSkipping
	}
	c.aside = false
	reply := c.Do(args)
	switch c.replies {
	case repliesOff:
		reply = muted(reply)
	case repliesSkipping:
		reply = muted(reply)
		c.replies = repliesOn
	}
	if c.caching && c.tx == nil && !is(args[0], "CLIENT") {
		c.caching = false
	}
	c.aside = c.caching || c.replies != repliesOn
	return reply
}

// muted is nothing in a reply's place, or the reply if it is a push, as those that
// confirm a subscription are.
func muted(r Reply) Reply {
	if r.Kind == Push || r.Kind == Sequence {
		return r
	}
	return Reply{Ends: r.Ends, Late: r.Late}
}
