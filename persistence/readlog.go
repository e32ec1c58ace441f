package persistence

import (
	"errors"
	"fmt"

	"sluice/engine"
)

// log reads a log that others follow.
func (r *reading) log(number uint64, following []uint64) error {
	l, err := openLog(r.disk, number)
	if l != nil {
		defer l.close()
	}
	if errors.Is(err, errHeader) {
		return r.headless(l, following)
	}
	if err != nil {
		return err
	}
	err = l.replay(r.load)
	r.Files++
	r.Records += l.records
	r.Newest = max(r.Newest, l.newest)
	if err != nil {
		return err
	}
	if l.ended() && l.offset < l.size {
		if err := r.broken(l, following); err != nil {
			return err
		}
	}
	if r.cut { // it was written before this start and maybe not synced; more will follow it
		if err := l.file.Sync(); err != nil {
			return fmt.Errorf("fsync %s: %w", l.name, err)
		}
	}
	r.lastLog, r.lastFlags, r.lastChanges = number, l.flags, l.records
	r.beforeLast, r.lastBytes = max(r.lastBytes, l.trusted, l.synced.bytes), l.offset
	r.logBytes += l.offset
	return nil
}

// headless is what becomes of a log without a whole header: nothing but a last one
// that ends in it may be left by a crash.
func (r *reading) headless(l *logReader, following []uint64) error {
	if len(following) > 0 || l.size >= headerBytes || l.name.number == r.base {
		return r.damage(l, 0, "the header is not whole")
	}
	r.warn("%s ends in its header: it is not read", l.name)
	r.Cuts = append(r.Cuts, Cut{l.name.String(), 0, l.size})
	return nil
}

func (r *reading) damage(l *logReader, offset int64, reason string) error {
	return &DamageError{r.dir, l.name.String(), offset, reason}
}

// broken is what becomes of a log with a frame that is not whole.
func (r *reading) broken(l *logReader, following []uint64) error {
	if l.bad != nil {
		return r.damage(l, l.offset, l.bad.Error())
	}
	v, err := r.judge(l, following)
	if err != nil {
		return err
	}
	if v.damaged {
		return r.damage(l, l.offset, v.reason)
	}
	used, err := l.used()
	if err != nil {
		return err
	}
	if lost := used - l.offset; lost > 0 {
		r.Cuts = append(r.Cuts, Cut{l.name.String(), l.offset, lost})
		r.warn("%s is cut at offset %d, of %d bytes: %s", l.name, l.offset, lost, v.reason)
	}
	if !r.cut {
		return nil
	}
	if err := l.file.Truncate(l.offset); err != nil {
		return fmt.Errorf("cut %s: %w", l.name, err)
	}
	return nil // log syncs it
}

// judge tells whether a crash explains a frame that is not whole.
func (r *reading) judge(l *logReader, following []uint64) (verdict, error) {
	f, err := l.investigate()
	if err != nil || len(following) == 0 {
		return judge(f), err
	}
	synced, err := r.syncedBefore(following[0])
	f.synced = max(f.synced, synced)
	return judge(f), err
}

// syncedBefore is how many bytes of the log before a log are known to be synced.
func (r *reading) syncedBefore(number uint64) (int64, error) {
	l, err := openLog(r.disk, number)
	if l != nil {
		defer l.close()
	}
	if err != nil {
		return 0, known(err)
	}
	err = l.replay(func([]engine.Record) error { return nil })
	return max(l.trusted, l.synced.bytes), err
}
