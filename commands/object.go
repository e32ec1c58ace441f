package commands

import (
	"sluice/engine"
)

func objectCommands() []*Command {
	sub := func(name, summary string, f func(engine.State) (Reply, error)) *Command {
		return &Command{
			Name: name, Usage: "key", Summary: summary, Group: Generic, Since: "0.1.0",
			Arity: 3, Flags: ReadOnly, Keys: Keys{2, 2, 1}, Run: ofState(f),
		}
	}
	return []*Command{
		sub("ENCODING", "Tells how a key's state is kept.", objectEncoding),
		sub("FREQ", "Is refused: how often a key is used is not counted.", func(engine.State) (Reply, error) {
			return Reply{}, errorf("ERR An LFU maxmemory policy is not selected, access frequency not tracked.")
		}),
		sub("IDLETIME", "Is refused: when a key was used last is not kept.", func(engine.State) (Reply, error) {
			return Reply{}, errorf("ERR idle times are not kept: a key ends by itself when it is untouched")
		}),
		sub("REFCOUNT", "Tells 1 for a key that exists.", func(engine.State) (Reply, error) {
			return integer(1), nil
		}),
		helpRow(Generic),
	}
}

// ofState runs f for the state of a key, and answers null for one that does not exist.
func ofState(f func(engine.State) (Reply, error)) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		state, err := c.store.Get(c.ctx, c.key(args[2]))
		if err != nil {
			return Reply{}, err
		}
		if state.Kind == 0 {
			return null(), nil
		}
		return f(state)
	}
}

func objectEncoding(s engine.State) (Reply, error) {
	switch s.Kind {
	case engine.KindSlidingLog:
		return bulk("ring"), nil
	case engine.KindConcurrency:
		return bulk("btree"), nil
	}
	return bulk("record"), nil
}

func memoryCommands() []*Command {
	usage := &Command{
		Name: "USAGE", Usage: "key [SAMPLES count]", Summary: "Tells the bytes that a key and its state take.",
		Group: ServerSide, Since: "0.1.0", Arity: -3, Flags: ReadOnly, Keys: Keys{2, 2, 1}, Run: memoryUsage,
	}
	return []*Command{usage, helpRow(ServerSide)}
}

func memoryUsage(c *Session, args [][]byte) (Reply, error) {
	if rest := args[3:]; len(rest) > 0 {
		if len(rest) != 2 || !is(rest[0], "SAMPLES") {
			return Reply{}, errSyntax
		}
		if n, err := parseInt(rest[1]); err != nil {
			return Reply{}, err
		} else if n < 0 {
			return Reply{}, errSyntax
		}
	}
	size, err := c.store.Size(c.ctx, c.key(args[2]))
	if err != nil {
		return Reply{}, err
	}
	if size == 0 {
		return null(), nil
	}
	return integer(size), nil
}
