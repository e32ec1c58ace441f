package persistence

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"sluice/engine"
)

// Recover brings a new store to the state that the directory has, and begins to
// keep it. If it fails nothing is kept, and Close is all that is left to do.
func (d *Directory) Recover(store engine.Keeper) (Recovery, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	d.store = store
	d.loading.Store(true)
	defer d.loading.Store(false)
	began := d.now()
	r := reading{dir: d.path, disk: d.disk, cut: true, load: d.loadInto(store), expect: store.Expect}
	if err := d.read(&r); err != nil {
		return r.Recovery, err
	}
	for db := range engine.MaxDatabases {
		n, err := store.Len(context.Background(), db)
		if err != nil {
			return r.Recovery, err
		}
		r.Keys += n
	}
	r.Took = d.now().Sub(began)
	d.found = r.Recovery
	d.saves.last = began
	d.saves.took = -1
	d.ready.Store(true)
	d.begin()
	return r.Recovery, nil
}

func (d *Directory) loadInto(store engine.Keeper) func([]engine.Record) error {
	return func(records []engine.Record) error {
		if d.stopping.Load() {
			return errStopping
		}
		return store.Load(records)
	}
}

// read reads the files into the store and begins the log.
func (d *Directory) read(r *reading) (err error) {
	if r.listing, err = list(d.disk); err != nil {
		return fmt.Errorf("the data directory: %w", err)
	}
	for _, n := range r.temporary { // of a snapshot or log that a crash has left unfinished
		if err := d.disk.Remove(n); err != nil {
			return fmt.Errorf("the data directory: %w", err)
		}
	}
	if err := r.run(); err != nil {
		return err
	}
	for _, w := range r.Warnings {
		d.log.Warn(w)
	}
	r.SetBack = d.store.Now() < r.Newest
	d.store.Loaded(r.Newest)
	d.saves.base, d.saves.bytes = r.base, r.baseBytes
	for _, n := range r.snapshots {
		if n < r.base {
			d.saves.previous = n
		}
	}
	if err := d.beginLog(r); err != nil {
		return err
	}
	if err := d.disk.Sync(); err != nil { // what was read is there to stay, before older files go
		return fmt.Errorf("fsync of the directory: %w", err)
	}
	d.tidy()
	return nil
}

// beginLog begins the log behind those that were read. On a full disk it is left to
// mend, which begins one afresh: until then it is as if the disk had just become full.
func (d *Directory) beginLog(r *reading) error {
	s := &d.saves
	s.number = r.last()
	if !d.options.Load().AppendOnly {
		return nil
	}
	number, flags := r.next()
	s.number = number
	before := max(number, r.base+1) - 1
	var err error
	if r.SetBack {
		// The files tell of instants that are yet to come. Together with what comes now
		// they would make no sense.
		s.number = before
		err = d.beginAfresh()
	} else if err = d.goOn(r, number, flags); noRoom(err) {
		s.number = before
	}
	if noRoom(err) {
		d.fail(breakage{op: "begin", file: name{logFile, number}.String(), err: err, lost: true})
		return nil
	}
	return err
}

// noRoom says whether a call to the disk failed only because that is full.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// goOn begins a log that goes on from those that were read.
func (d *Directory) goOn(r *reading, number uint64, flags uint32) error {
	w := &d.writer
	w.olderBytes, w.syncedBytes = r.logBytes, r.lastBytes
	l, err := d.createLog(number, flags)
	if err != nil {
		return err
	}
	w.switchTo(l, d.pending.openEmpty())
	w.sealed = tail{}
	if flags&afresh != 0 {
		d.pending.notePublished()
	}
	return nil
}
