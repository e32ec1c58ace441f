package persistence

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

// A health is whether changes can be kept, and what is done about it if not.
//
// A write that failed is made undone (the log is cut to where it was whole) and
// done again. An fsync that failed is not: the kernel may have dropped what it could
// not write and say that all is good the next time. Then the log is left as it is
// and a new one begun afresh, which counts once a snapshot of all that is in memory
// lies beside it. So it is too when changes were dropped.
type health struct {
	failing atomic.Pointer[failure]

	mu       sync.Mutex
	afresh   bool // mending takes a log afresh
	broke    bool // something did since mending has begun
	failures int64
	tries    int // to mend, since it is failing
	next     time.Time
}

// A failure is why changes are not kept.
type failure struct {
	breakage
	since time.Time
}

// A breakage is a call to the disk that failed.
type breakage struct {
	op, file string
	err      error
	lost     bool // what was written before may be lost with it
}

func (b breakage) Error() string {
	reason := b.err
	var path *fs.PathError
	if errors.As(reason, &path) {
		reason = path.Err // its path is the one that the file was made under
	}
	return fmt.Sprintf("%s %s: %v", b.op, b.file, reason)
}

func (f *failure) Error() string { return fmt.Sprintf("%v (%s)", engine.ErrUnkept, f.breakage) }

func (f *failure) Unwrap() []error { return []error{engine.ErrUnkept, f.err} }

const (
	mendEvery   = 200 * time.Millisecond
	mendAtLeast = time.Second // often; attempts that write a snapshot are not cheap
)

// Refuses is why no change may be made now, or nil (see engine.Journal).
func (d *Directory) Refuses() error {
	switch f := d.health.failing.Load(); {
	case f != nil && d.options.Load().OnError == Refuse:
		return f
	case !d.ready.Load():
		return errNotOpen
	}
	return nil
}

var errNotOpen = fmt.Errorf("%w: %w", engine.ErrUnkept, ErrClosed)

// excused says whether Commit is over without its changes kept, and with what.
func (d *Directory) excused() (bool, error) {
	switch f := d.health.failing.Load(); {
	case f == nil:
		return false, nil
	case d.options.Load().OnError == Refuse:
		return true, f
	}
	d.pending.mu.Lock()
	defer d.pending.mu.Unlock()
	return d.pending.drop, nil // else a log is being written afresh
}

// broken is why the log is not to be trusted.
func (d *Directory) broken() error {
	if f := d.health.failing.Load(); f != nil {
		return f
	}
	return nil
}

// brokenAgain is broken if something has broken since mending has begun.
func (d *Directory) brokenAgain() error {
	h := &d.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.broke {
		return nil
	}
	return d.broken()
}

// fail notes a breakage, and returns the error of it.
func (d *Directory) fail(b breakage) error {
	h := &d.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if b.lost {
		h.afresh = true
		d.writer.lose()
	}
	f := h.failing.Load()
	if f == nil {
		f = &failure{b, d.now()}
		h.failing.Store(f)
		h.failures++
		h.tries, h.next = 0, f.since.Add(mendEvery)
		d.log.Error("changes can not be kept", "reason", b.Error(), "then", d.options.Load().OnError.String())
	}
	h.broke = true
	if d.options.Load().OnError == MemoryOnly {
		h.afresh = true
		d.pending.dropAll()
	}
	return f
}

func (w *writer) lose() {
	w.progress.Lock()
	defer w.progress.Unlock()
	w.lost, w.careful = true, true
}

// giveUp has changes dropped until a log is begun afresh, if they can't be kept.
func (d *Directory) giveUp() {
	h := &d.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failing.Load() != nil {
		h.afresh, h.broke = true, true
		d.pending.dropAll()
	}
}

// hurry has the next mend try at once.
func (h *health) hurry() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = time.Time{}
}

// heal notes that changes are kept again, unless something else broke meanwhile.
func (d *Directory) heal() bool {
	h := &d.health
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.failing.Load()
	if h.broke || f == nil {
		return f == nil
	}
	h.afresh = false
	h.failing.Store(nil)
	d.log.Info("changes are kept again", "after", d.now().Sub(f.since).String())
	return true
}

// whole begins to watch whether anything breaks.
func (h *health) whole() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broke = false
}

// mend tries to keep changes again, if it is time to. When that fails it tries
// again later.
func (d *Directory) mend() {
	h := &d.health
	h.mu.Lock()
	now := d.now()
	if h.failing.Load() == nil || now.Before(h.next) {
		h.mu.Unlock()
		return
	}
	afresh := h.afresh
	h.broke = false
	h.mu.Unlock()
	var err error
	if afresh {
		err = d.mendAfresh()
	} else {
		err = d.mendTail()
	}
	if err == nil && d.heal() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tries++
	h.next = d.now().Add(min(mendEvery<<min(h.tries, 10), mendAtLeast))
}

// mendTail cuts off what was not written whole, and writes it again.
func (d *Directory) mendTail() error {
	w := &d.writer
	w.takeRole()
	defer w.giveRole()
	w.progress.Lock()
	t := w.tail
	w.progress.Unlock()
	if err := t.file.Truncate(t.bytes); err != nil {
		return d.fail(breakage{op: "truncate", file: t.name(), err: err, lost: true})
	}
	w.progress.Lock()
	w.tail.room = t.bytes
	w.progress.Unlock()
	if err := d.flush(); err != nil {
		return err
	}
	return d.sync()
}

// mendAfresh begins a log that does not go on from the broken one.
func (d *Directory) mendAfresh() error {
	if err := d.beginSave(); err != nil {
		return err
	}
	err := d.endSave(d.beginAfresh())
	if err != nil && d.options.Load().OnError == MemoryOnly {
		d.pending.dropAll()
	}
	return err
}
