package commands

import "sluice/engine"

func flushDB(c *Session, args [][]byte) (Reply, error) { return c.flush(args, int(c.db.Load())) }

func flushAll(c *Session, args [][]byte) (Reply, error) { return c.flush(args, engine.AllDatabases) }

// flush forgets keys at once, whether it is asked to hurry or not: by the reply
// they are gone.
func (c *Session) flush(args [][]byte, db int) (Reply, error) {
	if len(args) > 2 || len(args) == 2 && !is(args[1], "ASYNC") && !is(args[1], "SYNC") {
		return Reply{}, errSyntax
	}
	if err := c.store.Flush(c.ctx, db); err != nil {
		return Reply{}, err
	}
	c.touchedAll()
	return OK, nil
}
