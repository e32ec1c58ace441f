package persistence

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

// A Directory is a data directory that a store is kept in. It is the store's
// journal: Open it, give it to the store, Recover the store, and Close it at the end.
type Directory struct {
	path string
	disk Disk
	lock io.Closer
	log  *slog.Logger
	now  func() time.Time

	options atomic.Pointer[Options]
	tuning  sync.Mutex
	store   engine.Keeper

	pending pending
	writer  writer
	health  health
	saves   saves

	opening  sync.Mutex // held by Recover and Close
	loading  atomic.Bool
	ready    atomic.Bool // Recover has returned, Close was not called
	stopping atomic.Bool
	found    Recovery

	stop     chan struct{}
	work     sync.WaitGroup
	syncedAt atomic.Int64 // when the background fsync that is under way began; 0 if none is
	delayed  atomic.Int64
}

var _ engine.Journal = (*Directory)(nil)

// Open takes a directory for this process, and makes it if it is not there. Until
// Recover has returned, Refuses refuses.
func Open(path string, o Options) (*Directory, error) {
	if o.Disk == nil {
		disk, err := OSDisk(path)
		if err != nil {
			return nil, fmt.Errorf("the data directory: %w", err)
		}
		o.Disk = disk
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Directory{path: path, disk: o.Disk, log: o.Logger, now: o.Now, stop: make(chan struct{})}
	d.options.Store(&o)
	d.writer.given.L = &d.writer.progress
	d.pending.hot.seed = maphash.MakeSeed()
	d.pending.empty(nil) // slots of epoch 0 are empty, too
	note := fmt.Sprintf("process %d, since %s", os.Getpid(), o.Now().UTC().Format(time.RFC3339))
	lock, err := o.Disk.Lock(note)
	if err != nil {
		return nil, err
	}
	d.lock = lock
	return d, nil
}

// Tune sets options anew: change gets the present ones. Turning AppendOnly on
// writes a snapshot first, and returns when the log counts. It waits for one that is
// being written.
func (d *Directory) Tune(change func(*Options)) error {
	d.tuning.Lock()
	defer d.tuning.Unlock()
	old := d.options.Load()
	o := *old
	change(&o)
	o.Logger, o.Disk, o.Now = old.Logger, old.Disk, old.Now
	o.still, o.ahead = old.still, old.ahead
	if d.ready.Load() && o.AppendOnly != old.AppendOnly {
		if err := d.turnLog(o.AppendOnly); err != nil {
			return err
		}
	}
	d.options.Store(&o)
	if o.OnError == MemoryOnly {
		d.giveUp()
	}
	return nil
}

// turnLog begins a log, or ends it.
func (d *Directory) turnLog(on bool) error {
	for errors.Is(d.beginSave(), ErrSaving) {
		time.Sleep(time.Millisecond)
	}
	if on {
		err := d.beginAfresh()
		if err != nil {
			d.abandonLog()
		}
		return d.endSave(err)
	}
	if err := d.settle(); err != nil {
		d.log.Warn("the end of the log is missing", "reason", err.Error())
	}
	d.abandonLog()
	d.saves.mu.Lock()
	defer d.saves.mu.Unlock()
	d.saves.running = false
	return nil
}

// abandonLog ends the log: so there is nothing to write, and nothing broken.
func (d *Directory) abandonLog() {
	d.closeLog()
	d.health.whole()
	d.heal()
}

// closeLog stops noting changes and closes the log.
func (d *Directory) closeLog() {
	w := &d.writer
	w.takeRole()
	defer w.giveRole()
	w.syncing.Lock()
	defer w.syncing.Unlock()
	appends := d.pending.closeEmpty()
	w.progress.Lock()
	defer w.progress.Unlock()
	for _, t := range []tail{w.tail, w.sealed} {
		t.close()
	}
	w.tail, w.sealed, w.out, w.lost = tail{}, tail{}, nil, false
	w.written.Store(appends)
	w.synced.Store(appends)
}

// Close writes what is pending, with a snapshot if save is set, and lets go of the
// directory. It must not be used afterwards.
func (d *Directory) Close(save bool) error {
	d.stopping.Store(true) // ends Recover, and a snapshot that is being written
	d.opening.Lock()
	defer d.opening.Unlock()
	if !d.ready.Swap(false) {
		return d.lock.Close()
	}
	close(d.stop)
	d.work.Wait()
	d.stopping.Store(false)
	if d.broken() != nil {
		d.health.hurry()
		d.mend()
	}
	var err error
	if save {
		err = d.snapshot()
	}
	if ended := d.endLog(); err == nil {
		err = ended
	}
	d.closeLog()
	if unlocked := d.lock.Close(); err == nil {
		err = unlocked
	}
	return err
}

// endLog writes the last of the log, and that it is the last: what is missing of it
// from then on is damage, not a crash.
func (d *Directory) endLog() error {
	if err := d.settle(); err != nil || !d.logOn() {
		return err
	}
	w := &d.writer
	w.takeRole()
	w.appendMarks()
	sealFrames(w.out, w.salt)
	err := d.write()
	w.trimTail()
	w.giveRole()
	if err != nil {
		return err
	}
	return d.sync()
}
