package server

import (
	"github.com/tidwall/redcon"

	"sluice/commands"
)

// A reply to a command that has changed something waits in c.out until the change is
// kept; here is what becomes of it if that fails. Replies of a batch wait together,
// so keeping costs one write a batch, or less.

// note remembers where a reply that tells of a change stands: from c.start on.
func (c *conn) note(r *commands.Reply) {
	if r.Kept && len(c.out) > c.start && c.out[c.start] != '-' {
		c.unkept = append(c.unkept, span{c.start, len(c.out)})
	}
}

// keep returns once what the replies tell of is kept. If it can't be, each of those
// that tell of a change becomes an error: nobody is promised what a crash would take
// back. Others see what is in memory, as they would a moment later.
func (c *conn) keep() {
	if err := c.server.service.Persistence.Commit(); err != nil {
		c.retract("MISCONF " + err.Error())
	}
	c.unkept = c.unkept[:0]
}

func (c *conn) retract(text string) {
	out := make([]byte, 0, len(c.out))
	at := 0
	for _, reply := range c.unkept {
		out = append(out, c.out[at:reply.from]...)
		out = redcon.AppendError(out, text)
		at = reply.to
	}
	c.out = append(out, c.out[at:]...)
}
