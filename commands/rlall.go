package commands

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"sluice/engine"
)

// RL.ALL takes between these numbers of parts.
const minParts, maxParts = 2, engine.MaxParts

// parts is what an RL.ALL is answered with. A session uses it again for the next.
type parts struct {
	rows      []*Command // what stood here, and is likely to stand here again
	calls     []engine.Call
	decisions []engine.Decision
	items     []Reply
}

// rlAll answers RL.ALL key command arguments AND key command arguments …: all of
// the calls are granted, or nothing is taken from any.
func rlAll(c *Session, args [][]byte) (Reply, error) {
	if c.parts == nil {
		c.parts = &parts{}
	}
	p := c.parts
	defer func() { clear(p.calls) }() // their keys lie in the connection's buffer, which is to go
	if err := c.parseParts(p, args[1:]); err != nil {
		return Reply{}, err
	}
	n := len(p.calls)
	p.decisions = slices.Grow(p.decisions[:0], n)[:n]
	if err := c.store.TakeAll(c.ctx, p.calls, p.decisions); err != nil {
		return Reply{}, err
	}
	deciding, wait := engine.Deciding(p.calls, p.decisions)
	for i := range p.calls {
		call := &p.calls[i]
		c.countDecision(call.Algorithm.Kind, p.decisions[i].Limited)
		if deciding < 0 && call.Cost != 0 {
			c.touched(call.Key)
		}
	}
	return p.reply(deciding, wait), nil
}

// reply is [limited, deciding, retry_after, then each part's own reply].
func (p *parts) reply(deciding int, wait time.Duration) Reply {
	p.items = append(p.items[:0], boolean(deciding >= 0), null(), integer(-1))
	if deciding >= 0 {
		p.items[1] = bulk(strconv.Itoa(deciding + 1))
	}
	if wait >= 0 {
		p.items[2] = integer(ceilDiv(int64(wait), int64(time.Millisecond)))
	}
	for i := range p.decisions {
		p.items = append(p.items, limiting(p.calls[i].Limit.Max, &p.decisions[i], int64(p.rows[i].limiter.unit)))
	}
	return array(p.items...)
}

// parseParts reads the parts of an RL.ALL.
func (c *Session) parseParts(p *parts, args [][]byte) error {
	p.calls = p.calls[:0]
	for len(args) > 0 && len(p.calls) < maxParts {
		end := partEnd(args)
		if err := c.parsePart(p, args[:end]); err != nil {
			return err
		}
		last := len(p.calls) - 1
		for i := range last {
			if bytes.Equal(p.calls[i].Key.Name, p.calls[last].Key.Name) {
				return Error("ERR no two parts may name the same key")
			}
		}
		if end == len(args)-1 {
			return errSyntax // nothing behind the last AND
		}
		args = args[min(end+1, len(args)):]
	}
	if len(args) > 0 || len(p.calls) < minParts {
		return errorf("ERR RL.ALL takes %d to %d parts", minParts, maxParts)
	}
	return nil
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
		if is(args[i], "AND") {
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
	row := c.partCommand(p, words[1])
	if row == nil {
		return errorf("ERR '%.128s' is not a command that RL.ALL can hold", printable(words[1]))
	}
	if !row.takes(len(words)) {
		return errArity(row)
	}
	p.calls = append(p.calls, engine.Call{Key: c.key(words[0])})
	return row.limiter.parse(words[2:], &p.calls[len(p.calls)-1])
}

// partCommand is the limiting command that the next part names, or nil.
func (c *Session) partCommand(p *parts, name []byte) *Command {
	i := len(p.calls)
	if i < len(p.rows) && is(name, p.rows[i].Name) {
		return p.rows[i]
	}
	row := c.service.Table.Lookup(name)
	if row == nil || row.limiter == nil {
		return nil
	}
	p.rows = append(p.rows[:i], row)
	return row
}
