package commands

import (
	"time"

	"sluice/engine"
)

// Persistence is what keeps the store's changes beyond the end of the process. It
// was given to the store as its journal.
type Persistence interface {
	// Commit returns once all that has been changed is kept as appendfsync says,
	// or why it can't be: an error that wraps engine.ErrUnkept.
	Commit() error
	// Save writes a snapshot and returns when it is there, or false at once if
	// one is being written already. BackgroundSave does not wait for it.
	Save() (began bool, err error)
	BackgroundSave() (began bool, err error)
	LastSave() time.Time
	// Failing is why changes are not kept now, or nil.
	Failing() error
	// Fields are the facts that INFO shows, by Redis's names.
	Fields() []engine.Field
}

// memoryOnly is the persistence of a service that has none.
type memoryOnly struct{ since time.Time }

const errMemoryOnly Error = "ERR states live in memory only: the dir option is empty"

func (memoryOnly) Commit() error                 { return nil }
func (memoryOnly) Save() (bool, error)           { return true, errMemoryOnly }
func (memoryOnly) BackgroundSave() (bool, error) { return true, errMemoryOnly }
func (m memoryOnly) LastSave() time.Time         { return m.since }

func (memoryOnly) Failing() error { return nil }

func (memoryOnly) Fields() []engine.Field {
	return []engine.Field{
		{Name: "loading"}, {Name: "async_loading"}, {Name: "rdb_bgsave_in_progress"},
		{Name: "aof_enabled"}, {Name: "aof_rewrite_in_progress"}, {Name: "aof_rewrite_scheduled"},
	}
}

// save writes a snapshot and answers when it is there. Unlike Redis's it holds up
// nobody but the caller.
func save(c *Session, _ [][]byte) (Reply, error) {
	return saved(c, OK, c.service.Persistence.Save)
}

func bgSave(c *Session, args [][]byte) (Reply, error) {
	if len(args) > 2 || len(args) == 2 && !is(args[1], "SCHEDULE") {
		return Reply{}, errSyntax
	}
	return saved(c, simple("Background saving started"), c.service.Persistence.BackgroundSave)
}

// bgRewriteAOF begins a snapshot, which ends the logs before it: that is what makes
// a log short here.
func bgRewriteAOF(c *Session, _ [][]byte) (Reply, error) {
	return saved(c, simple("Background append only file rewriting started"), c.service.Persistence.BackgroundSave)
}

func saved(c *Session, done Reply, f func() (bool, error)) (Reply, error) {
	switch began, err := f(); {
	case !began:
		return Reply{}, errorf("ERR Background save already in progress")
	case err != nil:
		if reply, known := toError(err); known {
			return Reply{}, reply
		}
		c.service.Log.Error("a snapshot failed", "error", err)
		return Reply{}, errorf("ERR %s", err)
	}
	return done, nil
}

func lastSave(c *Session, _ [][]byte) (Reply, error) {
	return integer(c.service.Persistence.LastSave().Unix()), nil
}
