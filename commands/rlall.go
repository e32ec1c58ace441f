package commands

import (
	"bytes"
	"strconv"
	"time"

	"sluice/engine"
)

// RL.ALL takes between these numbers of parts.
const minParts, maxParts = 2, engine.MaxParts

// parts is what an RL.ALL is answered with. A session uses it again for the next, in
// which each part is likely to be what it was, but for its key.
type parts struct {
	n         int // of the RL.ALL under way; the rest has as many as there ever were
	rows      []*Command
	habits    []habit
	calls     []engine.Call
	decisions []engine.Decision
	items     []Reply
}

// rlAll answers RL.ALL key command arguments AND key command arguments …: all of
// the calls are granted, or nothing is taken from any.
func rlAll(c *Session, args [][]byte) (reply Reply, err error) {
	err = c.answerAll(args, &reply)
	return reply, err
}

// answerAll is rlAll into a zero reply.
func (c *Session) answerAll(args [][]byte, reply *Reply) error {
	if c.parts == nil {
		c.parts = &parts{items: []Reply{{Kind: Integer}, {}, {Kind: Integer}}}
	}
	p := c.parts
	defer p.empty()
	if err := c.parseParts(p, args[1:]); err != nil {
		return err
	}
	calls, decisions := p.calls[:p.n], p.decisions[:p.n]
	if err := c.store.TakeAll(c.ctx, calls, decisions); err != nil {
		return err
	}
	deciding, wait := engine.Deciding(calls, decisions)
	for i := range calls {
		c.countDecision(calls[i].Algorithm.Kind, decisions[i].Limited)
		if deciding < 0 && calls[i].Cost != 0 {
			c.touched(calls[i].Key)
		}
	}
	p.reply(deciding, wait, reply)
	return nil
}

// empty lets the keys go: they lie in the connection's buffer, which is to go.
func (p *parts) empty() {
	for i := range p.calls[:p.n] {
		p.calls[i].Key.Name = nil
	}
}

// reply is [limited, deciding, retry_after, then each part's own reply].
func (p *parts) reply(deciding int, wait time.Duration, reply *Reply) {
	items := p.items[:3+p.n]
	items[0].Number, items[1].Kind, items[2].Number = 0, Null, -1
	if deciding >= 0 {
		items[0].Number, items[1].Kind, items[1].Text = 1, Bulk, strconv.Itoa(deciding+1)
	}
	if wait >= 0 {
		items[2].Number = ceilDiv(int64(wait), int64(time.Millisecond))
	}
	for i := range p.n {
		items[3+i].limit(p.calls[i].Limit.Max, &p.decisions[i], int64(p.rows[i].limiter.unit))
	}
	reply.Kind, reply.Items = Array, items
}

// parseParts reads the parts of an RL.ALL.
func (c *Session) parseParts(p *parts, args [][]byte) error {
	p.n = 0
	for len(args) > 0 && p.n < maxParts {
		end := partEnd(args)
		if err := c.parsePart(p, args[:end]); err != nil {
			return err
		}
		if p.names(args[0]) > 1 {
			return Error("ERR no two parts may name the same key")
		}
		if end == len(args)-1 {
			return errSyntax // nothing behind the last AND
		}
		args = args[min(end+1, len(args)):]
	}
	if len(args) > 0 || p.n < minParts {
		return errorf("ERR RL.ALL takes %d to %d parts", minParts, maxParts)
	}
	return nil
}

// names is how many parts name a key.
func (p *parts) names(key []byte) (n int) {
	for i := range p.calls[:p.n] {
		if bytes.Equal(p.calls[i].Key.Name, key) {
			n++
		}
	}
	return n
}

// partKeys finds the keys of an RL.ALL: the first word of each part.
func partKeys(args [][]byte, f func(key []byte) error) error {
	for rest := args[1:]; len(rest) > 0; {
		if err := f(rest[0]); err != nil {
			return err
		}
		rest = rest[min(partEnd(rest)+1, len(rest)):]
	}
	return nil
}

// partEnd is the index of the AND behind the first part, or the number of words.
// A key may be called AND: the first word of a part is its key.
func partEnd(args [][]byte) int {
	for i := 1; i < len(args); i++ {
		if len(args[i]) == len("AND") && is(args[i], "AND") {
			return i
		}
	}
	return len(args)
}

// parsePart reads the next part.
func (c *Session) parsePart(p *parts, words [][]byte) error {
	if len(words) < 2 {
		return errSyntax
	}
	i := p.n
	if i == len(p.calls) {
		p.grow()
	}
	row := p.rows[i]
	if row == nil || !is(words[1], row.Name) {
		row = c.service.Table.Lookup(words[1])
	}
	if row == nil || row.limiter == nil {
		return errorf("ERR '%.128s' is not a command that RL.ALL can hold", printable(words[1]))
	}
	if !row.takes(len(words)) {
		return errArity(row)
	}
	if err := p.habits[i].read(row.limiter, words[2:], &p.calls[i]); err != nil {
		return err
	}
	p.rows[i] = row
	p.calls[i].Key = c.key(words[0])
	p.n++
	return nil
}

// grow makes room for one part more than there ever were.
func (p *parts) grow() {
	p.rows = append(p.rows, nil)
	p.habits = append(p.habits, habit{})
	p.calls = append(p.calls, engine.Call{})
	p.decisions = append(p.decisions, engine.Decision{})
	p.items = append(p.items, Reply{})
}
