package commands

import (
	"bytes"
	"slices"

	"sluice/commands/config"
	"sluice/engine"
)

func transactionCommands() []*Command {
	row := func(name, usage, summary string, arity int, flags Flags, keys Keys, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: Transactions, Since: "0.1.0",
			Arity: arity, Flags: flags | NoScript | Loading | Stale | AllowBusy, Keys: keys, Run: f,
		}
	}
	return []*Command{
		row("MULTI", "", "Begins a transaction: commands are queued until EXEC.", 1, Fast|Immediate, Keys{}, multi),
		row("EXEC", "", "Runs the queued commands; nobody else's come in between.", 1, Immediate, Keys{}, exec),
		row("DISCARD", "", "Forgets the queued commands.", 1, Fast|Immediate, Keys{}, discard),
		row("WATCH", "key [key ...]", "Has EXEC run nothing if one of the keys has changed by then.", -2, Fast|Immediate, allKeys, watch),
		row("UNWATCH", "", "Forgets what WATCH was told.", 1, Fast, Keys{}, unwatch),
	}
}

// A transaction is what a session has queued since MULTI.
type transaction struct {
	queued []queuedCommand
	bytes  int
	broken bool // a command was refused: EXEC will refuse all
}

type queuedCommand struct {
	command *Command
	args    [][]byte
}

// A watchedKey is a key that can be the key of a map.
type watchedKey struct {
	db   int
	name string
}

func (k watchedKey) key() engine.Key { return engine.Key{DB: k.db, Name: []byte(k.name)} }

func multi(c *Session, _ [][]byte) (Reply, error) {
	if c.tx != nil {
		return Reply{}, errNested
	}
	c.tx = &transaction{}
	c.noteQueued()
	return OK, nil
}

func discard(c *Session, _ [][]byte) (Reply, error) {
	if c.tx == nil {
		return Reply{}, errNoDiscard
	}
	c.endTransaction()
	return OK, nil
}

// endTransaction forgets what is queued and what is watched.
func (c *Session) endTransaction() {
	c.tx, c.watched = nil, nil
	c.noteQueued()
}

// noteQueued tells CLIENT LIST how many commands are queued, -1 without MULTI.
func (c *Session) noteQueued() {
	n := int32(-1)
	if c.tx != nil {
		n = int32(len(c.tx.queued))
	}
	c.queued.Store(n)
}

// enqueue keeps a command for EXEC. A queue is bounded as one command is.
func (c *Session) enqueue(cmd *Command, args [][]byte) Reply {
	if cmd.Flags&NoMulti != 0 {
		return c.reject(cmd, errNoMulti)
	}
	const overhead = 64 // about what an argument takes beside its bytes
	own := make([][]byte, len(args))
	for i, arg := range args {
		own[i] = bytes.Clone(arg)
		c.tx.bytes += len(arg) + overhead
	}
	if most := c.service.Config.Number(config.QueryBufferLimit); int64(c.tx.bytes) > most {
		c.tx.queued = nil
		return c.reject(cmd, errorf("ERR transaction is longer than %d bytes", most))
	}
	c.tx.queued = append(c.tx.queued, queuedCommand{cmd, own})
	c.noteQueued()
	return simple("QUEUED")
}

// exec answers EXEC: an array of the commands' replies, or a null array if a
// watched key has changed. Nobody else touches the keys meanwhile.
func exec(c *Session, _ [][]byte) (reply Reply, err error) {
	tx, watched := c.tx, c.watched
	if tx == nil {
		return Reply{}, errNoExec
	}
	c.endTransaction()
	if tx.broken {
		return Reply{}, errExecAbort
	}
	if err := tx.checkSlots(c); err != nil {
		return Reply{}, err
	}
	c.exclusively(tx.keys(c, watched), func() {
		var changed bool
		if changed, err = c.changed(watched); err != nil || changed {
			reply = Reply{Kind: NullArray}
			return
		}
		reply = Reply{Kind: Array, Items: make([]Reply, 0, len(tx.queued))}
		for _, q := range tx.queued {
			item := c.run(q.command, q.args)
			item.Items = slices.Clone(item.Items) // or the next one might write over them
			reply.Items = append(reply.Items, item)
			reply.Ends, reply.Kept = reply.Ends || item.Ends, reply.Kept || item.Kept
		}
	})
	return reply, err
}

// exclusively runs f while c.store shuts all others out from the keys, from every
// key if there are none.
func (c *Session) exclusively(keys []engine.Key, f func()) {
	outer := c.store
	defer func() { c.store = outer }()
	outer.Exclusively(keys, func(inner engine.Store) {
		c.store = inner
		f()
	})
}

// keys is every key that a transaction touches, or none for all of them: if it
// holds a command that names none, for that one may look at any, or choose another
// database for those behind it.
func (tx *transaction) keys(c *Session, watched map[watchedKey]engine.State) (keys []engine.Key) {
	for k := range watched {
		keys = append(keys, k.key())
	}
	for _, q := range tx.queued {
		named := len(keys)
		_ = q.command.eachKey(q.args, func(key []byte) error {
			keys = append(keys, c.key(key))
			return nil
		})
		if len(keys) == named {
			return nil
		}
	}
	return keys
}

// checkSlots is an error in cluster mode if not all keys are in one slot.
func (tx *transaction) checkSlots(c *Session) error {
	if !c.service.cluster {
		return nil
	}
	var all oneSlot
	for _, q := range tx.queued {
		if err := q.command.eachKey(q.args, all.check); err != nil {
			return err
		}
	}
	return nil
}

func watch(c *Session, args [][]byte) (Reply, error) {
	if c.tx != nil {
		return Reply{}, errLateWatch
	}
	for _, name := range args[1:] {
		k := watchedKey{int(c.db.Load()), string(name)}
		if _, already := c.watched[k]; already {
			continue
		}
		state, err := c.store.Get(c.ctx, k.key())
		if err != nil {
			return Reply{}, err
		}
		if c.watched == nil {
			c.watched = map[watchedKey]engine.State{}
		}
		c.watched[k] = state
	}
	return OK, nil
}

func unwatch(c *Session, _ [][]byte) (Reply, error) {
	c.watched = nil
	return OK, nil
}

// changed says whether a watched key is in another state than it was. One that is
// over by now has only ended: that is no change.
func (c *Session) changed(watched map[watchedKey]engine.State) (bool, error) {
	for k, before := range watched {
		now, err := c.store.Get(c.ctx, k.key())
		if err != nil {
			return false, err
		}
		if now != before.At(c.store.Now()) {
			return true, nil
		}
	}
	return false, nil
}
