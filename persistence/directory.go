package persistence

import (
	"sluice/engine"
)

// A Directory is a data directory that a store is kept in. It is the store's
// journal: Open it, give it to the store, Recover the store, and Close it at the end.
type Directory struct{}

var _ engine.Journal = (*Directory)(nil)

// Open takes a directory for this process, and makes it if it is not there. Until
// Recover has returned, Refuses refuses.
func Open(path string, o Options) (*Directory, error) { panic("not yet") }

// Recover brings a new store to the state that the directory has, and begins to
// keep it. If it fails nothing is kept, and Close is all that is left to do.
func (d *Directory) Recover(store engine.Keeper) (Recovery, error) { panic("not yet") }

// Refuses is why no change may be made now, or nil (see engine.Journal).
func (d *Directory) Refuses() error { panic("not yet") }

// Append notes changes (see engine.Journal). They are kept once Commit returns.
func (d *Directory) Append(at engine.Instant, changes []engine.Record) { panic("not yet") }

// Commit returns once all that was appended before is kept as the policy says:
// written to the kernel, and under Always fsynced as well. Call it before the
// reply goes out, once for a pipeline. An error wraps engine.ErrUnkept.
// If there is nothing to do it costs next to nothing.
func (d *Directory) Commit() error { panic("not yet") }

// Save writes a snapshot and returns when it is there. ErrSaving if one is being
// written already.
func (d *Directory) Save() error { panic("not yet") }

// BackgroundSave begins a snapshot and returns. ErrSaving if one is being written.
func (d *Directory) BackgroundSave() error { panic("not yet") }

// Status is how things are.
func (d *Directory) Status() Status { panic("not yet") }

// Tune sets options anew: change gets the present ones. Turning AppendOnly on
// writes a snapshot first, and returns when the log counts.
func (d *Directory) Tune(change func(*Options)) error { panic("not yet") }

// Close writes what is pending, with a snapshot if save is set, and lets go of the
// directory. It must not be used afterwards.
func (d *Directory) Close(save bool) error { panic("not yet") }
