package persistence

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"sluice/engine"
)

// A newLog is a log with nothing but its header.
type newLog struct {
	file   File
	number uint64
	salt   uint32
	ahead  bool
}

// createLog makes a log. It is on the disk with its header and its name before
// anything is written to it: so a log whose header is not whole is damaged.
func (d *Directory) createLog(number uint64, flags uint32) (newLog, error) {
	flags = flags&^ahead | d.aheadFlag()
	h := header{version: version, flags: flags, number: number, created: d.store.Now(), salt: newSalt()}
	if w := &d.writer; flags&afresh == 0 {
		w.progress.Lock()
		h.trusted = w.syncedBytes
		w.progress.Unlock()
	}
	n := name{logFile, number}.String()
	f, err := d.disk.Create(n + temporary)
	if err != nil {
		return newLog{}, fmt.Errorf("create %s: %w", n+temporary, err)
	}
	if _, err = writeAt(f, h.encode(logFile), 0); err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		d.disk.Remove(n + temporary)
		return newLog{}, fmt.Errorf("write %s: %w", n+temporary, err)
	}
	if err := d.rename(n); err != nil {
		f.Close()
		return newLog{}, err
	}
	return newLog{f, number, h.salt, flags&ahead != 0}, nil
}

// rename gives a file its name for good.
func (d *Directory) rename(n string) error {
	if err := d.disk.Rename(n+temporary, n); err != nil {
		d.disk.Remove(n + temporary) // or the next start does
		return fmt.Errorf("rename %s: %w", n+temporary, err)
	}
	if err := d.disk.Sync(); err != nil {
		return fmt.Errorf("fsync of the directory for %s: %w", n, err)
	}
	return nil
}

func newSalt() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint32(b[:])
}

// rotate begins the log of a number.
func (d *Directory) rotate(number uint64) error {
	w := &d.writer
	if err := d.sync(); err != nil { // the log before this one, and most of this one
		return err
	}
	l, err := d.createLog(number, 0)
	if err != nil {
		return err
	}
	w.takeRole()
	if err = d.flush(); err == nil {
		w.switchTo(l, w.appends)
		d.saves.number = number
	}
	w.giveRole()
	if err != nil {
		l.file.Close()
		return err
	}
	return d.sync()
}

// beginAfresh gives up the log that is written, if any, for one that does not go
// on from it, and writes the snapshot that it counts on top of. What is pending is
// dropped: it is in memory, and so it will be in the snapshot.
func (d *Directory) beginAfresh() error {
	s := &d.saves
	if s.unfinished != 0 {
		d.disk.Remove(name{logFile, s.unfinished}.String()) // recovery does not read it either way
	}
	s.number++
	l, err := d.createLog(s.number, afresh)
	if err != nil {
		return err
	}
	s.unfinished = s.number
	changes := d.pending.unsaved()
	d.abandonFor(l)
	if err := d.writeSnapshot(s.number, logged); err != nil {
		return err
	}
	s.unfinished = 0
	d.pending.noteSaved(changes)
	d.pending.notePublished()
	d.tidy()
	return nil
}

// abandonFor closes the log that is written, and opens another.
func (d *Directory) abandonFor(l newLog) {
	w := &d.writer
	w.takeRole()
	defer w.giveRole()
	w.syncing.Lock()
	defer w.syncing.Unlock()
	d.health.whole() // what broke until now was the other log
	w.out, w.appends = nil, d.pending.openEmpty()
	w.switchTo(l, w.appends)
	w.progress.Lock()
	defer w.progress.Unlock()
	w.sealed.close()
	w.sealed, w.lost, w.marks = tail{}, false, [2]mark{}
}

var errStopping = errors.New("the server stops")

// writeSnapshot writes the snapshot of a number. It gets its name once it is on the
// disk, and so is the log up to its end: else, after a power loss, it could know of
// changes that no log has, or of a half of those that were made as one.
func (d *Directory) writeSnapshot(number uint64, flags uint32) error {
	n := name{snapshotFile, number}.String()
	f, err := d.disk.Create(n + temporary)
	if err != nil {
		return fmt.Errorf("create %s: %w", n+temporary, err)
	}
	size, err := d.dump(f, header{version: version, flags: flags, number: number, created: d.store.Now(), salt: newSalt()})
	f.Close() // it is synced, or of no use
	if err == nil {
		err = d.settle()
	}
	if err != nil {
		d.disk.Remove(n + temporary) // or the next start does
		return fmt.Errorf("write %s: %w", n+temporary, err)
	}
	if err := d.rename(n); err != nil {
		return err
	}
	d.saves.published(number, size)
	w := &d.writer
	w.progress.Lock()
	defer w.progress.Unlock()
	w.olderBytes = 0
	return nil
}

func (d *Directory) dump(f File, h header) (int64, error) {
	w := newSnapshotWriter(f, h)
	err := d.store.Dump(func(records []engine.Record) error {
		if d.stopping.Load() {
			return errStopping
		}
		return w.add(records)
	})
	if err != nil {
		w.end()
		return 0, err
	}
	return w.finish(d.store.Now())
}

// settle brings all that was appended to the disk.
func (d *Directory) settle() error {
	if !d.logOn() {
		return nil
	}
	d.writer.takeRole()
	err := d.flush()
	d.writer.giveRole()
	if err == nil {
		err = d.sync()
	}
	if err == nil {
		err = d.brokenAgain()
	}
	return err
}

func (d *Directory) logOn() bool {
	w := &d.writer
	w.progress.Lock()
	defer w.progress.Unlock()
	return w.tail.file != nil
}
