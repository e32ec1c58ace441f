package commands

import (
	"time"

	"sluice/engine"
)

func del(c *Session, args [][]byte) (Reply, error) {
	return c.countKeys(args[1:], func(k engine.Key) (bool, error) {
		existed, err := c.store.Delete(c.ctx, k)
		if existed {
			c.touched(k)
		}
		return existed, err
	})
}

// exists counts a key as often as it is named, as Redis does.
func exists(c *Session, args [][]byte) (Reply, error) {
	return c.countKeys(args[1:], func(k engine.Key) (bool, error) {
		state, err := c.store.Get(c.ctx, k)
		return state.Kind != 0, err
	})
}

// countKeys counts the keys that f says yes to. Nobody else's command comes in
// between two of them.
func (c *Session) countKeys(names [][]byte, f func(engine.Key) (bool, error)) (reply Reply, err error) {
	if len(names) == 1 {
		yes, err := f(c.key(names[0]))
		return boolean(yes), err
	}
	keys := make([]engine.Key, len(names))
	for i, name := range names {
		keys[i] = c.key(name)
	}
	c.exclusively(keys, func() {
		var n int64
		for _, k := range keys {
			var yes bool
			if yes, err = f(k); err != nil {
				return
			}
			if yes {
				n++
			}
		}
		reply = integer(n)
	})
	return reply, err
}

func keyType(c *Session, args [][]byte) (Reply, error) {
	state, err := c.store.Get(c.ctx, c.key(args[1]))
	if err != nil {
		return Reply{}, err
	}
	return simple(state.Kind.String()), nil
}

func ttl(c *Session, args [][]byte) (Reply, error) { return c.timeLeft(args[1], time.Second) }

func pttl(c *Session, args [][]byte) (Reply, error) { return c.timeLeft(args[1], time.Millisecond) }

// noKey is the time left of a key that does not exist.
const noKey = -2

// timeLeft is the time until a key is untouched. It is rounded up like every time
// we tell: waiting so long is enough.
func (c *Session) timeLeft(name []byte, unit time.Duration) (Reply, error) {
	state, err := c.store.Get(c.ctx, c.key(name))
	if err != nil {
		return Reply{}, err
	}
	left := state.Deadline - c.store.Now()
	if state.Kind == 0 || left <= 0 {
		return integer(noKey), nil
	}
	return integer(ceilDiv(int64(left), int64(unit))), nil
}

func dbSize(c *Session, _ [][]byte) (Reply, error) {
	n, err := c.store.Len(c.ctx, int(c.db.Load()))
	return integer(n), err
}

func randomKey(c *Session, _ [][]byte) (Reply, error) {
	entry, ok, err := c.store.Random(c.ctx, int(c.db.Load()))
	if err != nil || !ok {
		return null(), err
	}
	return bulkBytes(entry.Key.Name), nil
}
