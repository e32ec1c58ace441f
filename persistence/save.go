package persistence

import (
	"errors"
	"sync"
	"time"
)

// saves is what is known of snapshots.
type saves struct {
	mu       sync.Mutex
	running  bool
	started  time.Time // the one that runs
	tried    time.Time // the last attempt ended
	last     time.Time // the last good one was begun
	took     time.Duration
	err      error // of the last attempt
	failures int   // in a row
	made     int64

	bytes int64 // of the last good one

	// These are of who is saving.
	number     uint64 // the last that a file was made with
	base       uint64 // the last good snapshot; 0 if there is none
	previous   uint64 // the good one before it
	unfinished uint64 // of a log that was begun afresh and has no snapshot; 0 if there is none
}

// published notes that there is a new snapshot.
func (s *saves) published(number uint64, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base, s.previous, s.bytes = number, s.base, size
}

// Save writes a snapshot and returns when it is there. ErrSaving if one is being
// written already.
func (d *Directory) Save() error {
	if !d.ready.Load() {
		return ErrClosed
	}
	if err := d.beginSave(); err != nil {
		return err
	}
	return d.endSave(d.snapshot())
}

// BackgroundSave begins a snapshot and returns. ErrSaving if one is being written.
func (d *Directory) BackgroundSave() error {
	if !d.ready.Load() {
		return ErrClosed
	}
	if err := d.beginSave(); err != nil {
		return err
	}
	d.work.Go(func() {
		if err := d.endSave(d.snapshot()); err != nil {
			d.log.Error("no snapshot was made", "reason", err.Error())
		}
	})
	return nil
}

func (d *Directory) beginSave() error {
	s := &d.saves
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return ErrSaving
	}
	s.running, s.started = true, d.now()
	return nil
}

func (d *Directory) endSave(err error) error {
	s := &d.saves
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.tried, s.err = false, d.now(), err
	s.took = s.tried.Sub(s.started)
	s.failures++
	if err == nil {
		s.last, s.failures = s.started, 0
		s.made++
	}
	return err
}

// snapshot writes a snapshot. Its log, that of its number, is begun before it: so
// what changes while it is written, or was told to it too early, is in there.
func (d *Directory) snapshot() error {
	if err := d.broken(); err != nil {
		return err
	}
	changes := d.pending.unsaved()
	number, flags := d.saves.number+1, uint32(0)
	if d.logOn() {
		if err := d.rotate(number); err != nil {
			return err
		}
		flags = logged
	}
	d.saves.number = number // rotate has noted it when there is a log
	if err := d.writeSnapshot(number, flags); err != nil {
		return err
	}
	d.pending.noteSaved(changes)
	d.tidy()
	return nil
}

// tidy removes what recovery can do without: it keeps the last snapshot and the one
// before it, and the logs from that one's number on.
func (d *Directory) tidy() {
	l, err := list(d.disk)
	s := &d.saves
	var remove []name
	for _, n := range l.logs {
		if n < s.previous {
			remove = append(remove, name{logFile, n})
		}
	}
	for _, n := range l.snapshots {
		if n < s.base && n != s.previous {
			remove = append(remove, name{snapshotFile, n})
		}
	}
	for _, n := range remove {
		err = errors.Join(err, d.disk.Remove(n.String()))
	}
	if len(remove) > 0 {
		err = errors.Join(err, d.disk.Sync())
	}
	if err != nil {
		d.log.Warn("old files are left", "reason", err.Error())
	}
}
