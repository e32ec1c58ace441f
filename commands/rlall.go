package commands

import (
	"bytes"
	"strconv"
	"time"

	"sluice/engine"
)

// RL.ALL takes between these numbers of parts.
const minParts, maxParts = 2, 16

// rlAll answers RL.ALL key command arguments AND key command arguments …: all of
// the calls are granted, or nothing is taken from any.
func rlAll(c *Session, args [][]byte) (Reply, error) {
	calls, units, err := c.parseParts(args[1:])
	if err != nil {
		return Reply{}, err
	}
	decisions := make([]engine.Decision, len(calls))
	if err := c.store.TakeAll(c.ctx, calls, decisions); err != nil {
		return Reply{}, err
	}
	items := make([]Reply, 3, 3+len(calls))
	for i, d := range decisions {
		c.countDecision(calls[i].Algorithm.Kind, d.Limited)
		items = append(items, limiting(calls[i].Limit.Max, d, int64(units[i])))
	}
	deciding, wait := engine.Deciding(calls, decisions)
	for i := range calls {
		if deciding < 0 && calls[i].Cost != 0 {
			c.touched(calls[i].Key)
		}
	}
	items[0], items[1], items[2] = boolean(deciding >= 0), null(), integer(-1)
	if deciding >= 0 {
		items[1] = bulk(strconv.Itoa(deciding + 1))
	}
	if wait >= 0 {
		items[2] = integer(ceilDiv(int64(wait), int64(time.Millisecond)))
	}
	return array(items...), nil
}

// parseParts reads the parts of an RL.ALL.
func (c *Session) parseParts(args [][]byte) (calls []engine.Call, units []time.Duration, err error) {
	for len(args) > 0 {
		end := partEnd(args)
		call, unit, err := c.parsePart(args[:end])
		if err != nil {
			return nil, nil, err
		}
		for i := range calls {
			if bytes.Equal(calls[i].Key.Name, call.Key.Name) {
				return nil, nil, Error("ERR no two parts may name the same key")
			}
		}
		calls, units = append(calls, call), append(units, unit)
		if end == len(args)-1 {
			return nil, nil, errSyntax // nothing behind the last AND
		}
		args = args[min(end+1, len(args)):]
	}
	if len(calls) < minParts || len(calls) > maxParts {
		return nil, nil, errorf("ERR RL.ALL takes %d to %d parts", minParts, maxParts)
	}
	return calls, units, nil
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

func (c *Session) parsePart(words [][]byte) (call engine.Call, unit time.Duration, err error) {
	if len(words) < 2 {
		return call, 0, errSyntax
	}
	cmd := c.service.Table.Lookup(words[1])
	if cmd == nil || cmd.limiter == nil {
		return call, 0, errorf("ERR '%.128s' is not a command that RL.ALL can hold", printable(words[1]))
	}
	if !cmd.takes(len(words)) {
		return call, 0, errArity(cmd)
	}
	call.Key = c.key(words[0])
	return call, cmd.limiter.unit, cmd.limiter.parse(words[2:], &call)
}
