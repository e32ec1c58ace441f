package persistence

import "time"

// begin starts the goroutines that fsync, save and mend.
func (d *Directory) begin() {
	if d.options.Load().still {
		return
	}
	d.each(time.Second, d.everySecond)
	d.each(mendEvery/2, d.housekeep)
}

// each calls f all the time.
func (d *Directory) each(interval time.Duration, f func()) {
	d.work.Go(func() {
		ticks := time.NewTicker(interval)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				f()
			case <-d.stop:
				return
			}
		}
	})
}

// everySecond syncs the log if that is the policy. It also writes what was appended
// and has nobody who waits for it.
func (d *Directory) everySecond() {
	if d.Commit() != nil || d.options.Load().Policy != EverySecond || d.broken() != nil {
		return // fail has told
	}
	began := d.now()
	d.syncedAt.Store(began.UnixNano())
	d.sync() // likewise
	d.syncedAt.Store(0)
	d.delayed.Add(int64(d.now().Sub(began) / time.Second))
}

// housekeep does what has become due.
func (d *Directory) housekeep() {
	if d.broken() != nil {
		d.mend()
		return
	}
	if reason := due(d.need()); reason != "" && d.BackgroundSave() == nil {
		d.log.Info("a snapshot is being written", "reason", reason)
	}
}

func (d *Directory) need() need {
	o, s, w, now := d.options.Load(), &d.saves, &d.writer, d.now()
	n := need{rules: o.Save, growth: o.Growth, changes: d.pending.unsaved()}
	w.progress.Lock()
	if w.tail.file != nil {
		n.logBytes = w.olderBytes + w.tail.bytes - headerBytes
	}
	w.progress.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	n.baseBytes, n.failures = s.bytes, s.failures
	n.sinceSave, n.sinceTry = now.Sub(s.last), now.Sub(s.tried)
	return n
}

// Status is how things are.
func (d *Directory) Status() Status {
	o := d.options.Load()
	t := Status{Loading: d.loading.Load(), Policy: o.Policy, OnError: o.OnError}
	if !d.ready.Load() {
		return t
	}
	t.Recovered = d.found
	t.Changes = d.pending.unsaved()
	d.logStatus(&t)
	d.saveStatus(&t)
	d.healthStatus(&t)
	return t
}

func (d *Directory) logStatus(t *Status) {
	w, p := &d.writer, &d.pending
	w.progress.Lock()
	t.LogEnabled = w.tail.file != nil
	t.LogBytes = w.olderBytes + w.tail.bytes
	w.progress.Unlock()
	p.mu.Lock()
	t.PendingBytes = int64(len(p.frames))
	p.mu.Unlock()
	t.FsyncPending = d.syncedAt.Load() != 0
	t.FsyncDelayed = d.delayed.Load()
}

func (d *Directory) saveStatus(t *Status) {
	s := &d.saves
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Saving = s.running
	if s.running {
		t.SavingFor = d.now().Sub(s.started)
	}
	t.LastSave, t.LastSaveError, t.LastSaveTook = s.last, s.err, s.took
	t.Saves, t.BaseBytes = s.made, s.bytes
}

func (d *Directory) healthStatus(t *Status) {
	h := &d.health
	h.mu.Lock()
	defer h.mu.Unlock()
	t.Failures = h.failures
	if f := h.failing.Load(); f != nil {
		t.Failing, t.FailingSince = f, f.since
	}
}
