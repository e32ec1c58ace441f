package commands

import (
	"math"
	"time"
)

// A clientFilter says which clients are meant: those that fit all that is set.
type clientFilter struct {
	ids         map[int64]bool
	addr, laddr string
	none        bool  // a type that no client here has
	pubSub      *bool // whether it has subscribed
	skip        *Session
	olderThan   time.Duration
}

// clientKill ends connections. The old form names one by its address and may end
// the caller's own; the new one tells how many fitted.
func clientKill(c *Session, args [][]byte) (Reply, error) {
	if len(args) == 3 {
		killed, own := c.killAll(clientFilter{addr: string(args[2])})
		if killed == 0 {
			return Reply{}, errorf("ERR No such client")
		}
		return Reply{Kind: Simple, Text: "OK", Ends: own}, nil
	}
	f, err := c.parseClientKill(args[2:])
	if err != nil {
		return Reply{}, err
	}
	killed, own := c.killAll(f)
	return Reply{Kind: Integer, Number: killed, Ends: own}, nil
}

// killAll ends the clients that a filter means. The caller's own connection is
// left to end with the reply.
func (c *Session) killAll(f clientFilter) (killed int64, own bool) {
	now := time.Now()
	for _, other := range c.service.Sessions.All() {
		if !f.matches(other, now) {
			continue
		}
		killed++
		if other == c {
			own = true
		} else {
			other.peer.Kill()
		}
	}
	return killed, own
}

func (c *Session) parseClientKill(args [][]byte) (f clientFilter, err error) {
	f.skip = c
	for ; len(args) > 0; args = args[2:] {
		if len(args) == 1 {
			return f, errSyntax
		}
		if err := c.addKillFilter(&f, args[0], args[1]); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (c *Session) addKillFilter(f *clientFilter, name, value []byte) error {
	switch {
	case is(name, "ID"):
		return f.addID(value)
	case is(name, "TYPE"):
		return f.addType(value)
	case is(name, "ADDR"):
		f.addr = string(value)
	case is(name, "LADDR"):
		f.laddr = string(value)
	case is(name, "USER"):
		if string(value) != defaultUser {
			return errorf("ERR No such user '%.128s'", printable(value))
		}
	case is(name, "SKIPME"):
		return f.setSkip(c, value)
	case is(name, "MAXAGE"):
		return f.setAge(value)
	default:
		return errSyntax
	}
	return nil
}

func (f *clientFilter) addID(value []byte) error {
	id, err := parseInt(value)
	if err != nil || id < 1 {
		return errorf("ERR client-id should be greater than 0")
	}
	f.ids = map[int64]bool{id: true}
	return nil
}

// addType knows Redis's types of clients, of which some are never here.
func (f *clientFilter) addType(value []byte) error {
	pubSub := is(value, "PUBSUB")
	switch {
	case pubSub, is(value, "NORMAL"):
		f.pubSub = &pubSub
	case is(value, "MASTER"), is(value, "REPLICA"), is(value, "SLAVE"):
		f.none = true
	default:
		return errorf("ERR Unknown client type '%.128s'", printable(value))
	}
	return nil
}

func (f *clientFilter) setSkip(c *Session, value []byte) error {
	switch {
	case is(value, "YES"):
		f.skip = c
	case is(value, "NO"):
		f.skip = nil
	default:
		return errSyntax
	}
	return nil
}

func (f *clientFilter) setAge(value []byte) error {
	age, err := parseInt(value)
	if err != nil {
		return errorf("ERR maxage is not an integer or out of range")
	}
	if age < 1 {
		return errorf("ERR maxage should be greater than 0")
	}
	f.olderThan = time.Duration(min(age, math.MaxInt64/int64(time.Second))) * time.Second
	return nil
}

// matches may be asked about any session, from any goroutine.
func (f *clientFilter) matches(c *Session, now time.Time) bool {
	switch {
	case f.none, c == f.skip:
		return false
	case f.ids != nil && !f.ids[c.ID]:
		return false
	case f.pubSub != nil && *f.pubSub != (c.subs.all() > 0):
		return false
	case f.addr != "" && f.addr != c.Addr, f.laddr != "" && f.laddr != c.Laddr:
		return false
	}
	return now.Sub(c.Created) >= f.olderThan
}
