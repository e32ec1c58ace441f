package persistence

import (
	"cmp"
	"errors"
	"sync"
	"sync/atomic"
)

// A writer is the log that is being written. Whoever has its role writes; others
// that wait find their changes written with his when he is done (group commit).
//
// Locks, outer first: saving, role, syncing, progress, pending.mu.
type writer struct {
	progress sync.Mutex // of what is below, down to the next lock
	given    sync.Cond  // the role was given back
	taken    bool       // somebody has the role
	tail     tail       // the log, as far as it is written
	sealed   tail       // the one before it, until it is synced
	// marks are what was synced and is not yet noted in the log: of the sealed log
	// and of this one.
	marks [2]mark

	syncedBytes int64 // of the tail's log
	olderBytes  int64 // of the logs between the last snapshot and this log
	lost        bool  // an fsync failed: nobody knows what of the log is on the disk
	careful     bool  // one did once: no more is written than must be

	syncing sync.Mutex // one fsync at a time

	// These are the role's.
	out     []byte // was pending, and is not written
	appends uint64 // until then
	salt    uint32

	written, synced atomic.Uint64 // appends that are
}

// A tail is how far a log is written.
type tail struct {
	file    File // nil if there is no log
	number  uint64
	bytes   int64
	appends uint64
	room    int64 // where the file ends: zeros may be written ahead
	ahead   bool  // they are
}

func (t tail) name() string { return name{logFile, t.number}.String() }

// kept is how many appends are kept as the policy says.
func (d *Directory) kept() uint64 {
	if d.options.Load().Policy == Always {
		return d.writer.synced.Load()
	}
	return d.writer.written.Load()
}

// Commit returns once all that was appended before is kept as the policy says:
// written to the kernel, and under Always fsynced as well. Call it before the
// reply goes out, once for a pipeline. An error wraps engine.ErrUnkept.
// If there is nothing to do it costs next to nothing.
func (d *Directory) Commit() error {
	if target := d.pending.appended.Load(); d.kept() < target {
		return d.commit(target)
	}
	return nil
}

func (d *Directory) commit(target uint64) error {
	w := &d.writer
	w.progress.Lock()
	defer w.progress.Unlock()
	for d.kept() < target {
		if done, err := d.excused(); done {
			return err
		}
		if w.taken {
			w.given.Wait()
			continue
		}
		w.taken = true
		w.progress.Unlock()
		d.flush() // fail has noted what went wrong; so there is an excuse
		w.progress.Lock()
		w.taken = false
		w.given.Broadcast()
	}
	return nil
}

// takeRole waits for the role of the writer.
func (w *writer) takeRole() {
	w.progress.Lock()
	defer w.progress.Unlock()
	for w.taken {
		w.given.Wait()
	}
	w.taken = true
}

func (w *writer) giveRole() {
	w.progress.Lock()
	defer w.progress.Unlock()
	w.taken = false
	w.given.Broadcast()
}

// flush writes what is pending, and syncs it under Always. The caller has the role.
func (d *Directory) flush() error {
	w := &d.writer
	if err := d.write(); err != nil { // what could not be written the last time
		return err
	}
	w.out, w.appends = d.pending.take(w.out)
	if len(w.out) > 0 {
		w.appendMarks()
		sealFrames(w.out, w.salt)
	}
	if err := d.write(); err != nil {
		return err
	}
	w.written.Store(w.appends)
	if d.options.Load().Policy == Always {
		return d.sync()
	}
	return nil
}

// write writes what was taken. If that fails it stays, for another time.
func (d *Directory) write() error {
	w := &d.writer
	w.progress.Lock()
	t := w.tail
	w.progress.Unlock()
	if len(w.out) > 0 {
		if _, err := writeAt(t.file, w.out, t.bytes); err != nil {
			return d.fail(breakage{op: "write", file: t.name(), err: err})
		}
		t.bytes += int64(len(w.out))
		t.room, t.ahead = d.writeAhead(t)
	}
	t.appends = w.appends
	w.progress.Lock()
	w.tail = t
	w.progress.Unlock()
	w.out = w.out[:0]
	return nil
}

// appendMarks appends what has been synced and was not noted yet.
func (w *writer) appendMarks() {
	w.progress.Lock()
	defer w.progress.Unlock()
	for i, m := range w.marks {
		if m.bytes > 0 {
			w.out = appendMark(w.out, m)
		}
		w.marks[i] = mark{}
	}
}

var errLost = errors.New("an fsync of the log has failed")

// sync brings what is written to the disk: first the end of the log before this
// one, so that no log is there without what it follows.
func (d *Directory) sync() error {
	w := &d.writer
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.progress.Lock()
	t, sealed, lost := w.tail, w.sealed, w.lost
	done := t.bytes == w.syncedBytes
	w.progress.Unlock()
	if lost {
		return cmp.Or(d.broken(), errLost) // another fsync might well say that all is good
	}
	if sealed.file != nil {
		sealed.trim()
		if err := d.syncFile(sealed); err != nil {
			return err
		}
		sealed.file.Close() // its bytes are safe whatever this says
		w.progress.Lock()
		w.sealed, w.marks[0] = tail{}, mark{sealed.number, sealed.bytes}
		w.progress.Unlock()
	}
	if t.file != nil && !done {
		if err := d.syncFile(t); err != nil {
			return err
		}
		w.noteSynced(t)
	}
	w.synced.Store(t.appends)
	return nil
}

func (d *Directory) syncFile(t tail) error {
	if err := t.file.Sync(); err != nil {
		return d.fail(breakage{op: "fsync", file: t.name(), err: err, lost: true})
	}
	return nil
}

func (w *writer) noteSynced(t tail) {
	w.progress.Lock()
	defer w.progress.Unlock()
	if t.number == w.tail.number { // else it is sealed by now, and its end is to be synced
		w.syncedBytes, w.marks[1] = t.bytes, mark{t.number, t.bytes}
	}
}

// switchTo makes another log the one that is written, from a number of appends on.
// The caller has the role.
func (w *writer) switchTo(l newLog, appends uint64) {
	w.progress.Lock()
	defer w.progress.Unlock()
	w.sealed = w.tail
	w.tail = tail{file: l.file, number: l.number, bytes: headerBytes, appends: appends, room: headerBytes, ahead: l.ahead}
	w.olderBytes += w.sealed.bytes
	w.syncedBytes, w.salt = headerBytes, l.salt
	w.marks[1] = mark{}
}

// trimTail cuts off what was written ahead of the log. The caller has the role.
func (w *writer) trimTail() {
	w.progress.Lock()
	defer w.progress.Unlock()
	w.tail.trim()
	w.tail.room = w.tail.bytes
}
