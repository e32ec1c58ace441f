package commands

import "sluice/engine"

// joined is limiting commands that stand next to each other in a pipeline and will
// run together: see engine.Near.
type joined struct {
	n    int
	args [engine.MaxTogether][][]byte
	rows [engine.MaxTogether]*Command
	keys [engine.MaxTogether]engine.Key

	inside func(engine.Store) // runs them; made once, for it would be allocated
	each   func(i int)        // while they run
}

// Join has a command wait for those behind it, with which it is to run. It says
// false if it must not: then Do is to answer it, after Together. args is kept until
// Together, which must come when Joined is engine.MaxTogether.
func (c *Session) Join(args [][]byte) bool {
	if c.near == nil || c.aside || c.tx != nil || c.tracks || c.Listening() || c.service.pause.level.Load() != pauseNothing {
		return false
	}
	cmd := c.limiting(args[0])
	if cmd == nil || c.admit(cmd, args) != nil {
		return false
	}
	j := c.joined
	j.args[j.n], j.rows[j.n], j.keys[j.n] = args, cmd, c.key(args[1])
	j.n++
	return true
}

// limiting is the limiting command of a name, or nil.
func (c *Session) limiting(name []byte) *Command {
	cmd := c.lookup(name)
	if cmd == nil || cmd.limiter == nil {
		return nil
	}
	if c.joined == nil {
		c.joined = &joined{inside: c.runJoined}
	}
	return cmd
}

// Joined is how many commands wait.
func (c *Session) Joined() int {
	if c.joined == nil {
		return 0
	}
	return c.joined.n
}

// Together calls each for every command that has joined, in order. each is to call
// RunJoined, once.
func (c *Session) Together(each func(i int)) {
	j := c.joined
	j.each = each
	if j.n == 1 {
		each(0)
	} else {
		c.near.Together(j.keys[:j.n], j.inside)
	}
	clear(j.args[:j.n]) // the connection's buffer is to go
	clear(j.keys[:j.n])
	j.n = 0
}

func (c *Session) runJoined(inner engine.Store) {
	outer := c.store
	defer func() { c.store = outer }()
	c.store = inner
	for i := range c.joined.n {
		c.joined.each(i)
	}
}

// RunJoined answers a command that has joined.
func (c *Session) RunJoined(i int, reply *Reply) {
	c.runInto(reply, c.joined.rows[i], c.joined.args[i])
}
