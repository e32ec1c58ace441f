package persistence

import (
	"errors"
	"fmt"
	"slices"

	"sluice/engine"
)

// A reading reads a directory: the newest snapshot that is whole, then the logs
// from its number on.
type reading struct {
	dir  string
	disk Disk
	cut  bool // cut what a crash has left at the end of logs; else only say so
	load func([]engine.Record) error
	// expect is called with how many keys a snapshot has, before they are loaded.
	expect func(keys int64)

	listing
	Recovery

	base      uint64 // the snapshot's number; 0 if there is none
	baseFlags uint32
	baseBytes int64

	lastLog     uint64 // the last that was read; 0 if none was
	lastFlags   uint32
	lastChanges int64
	lastBytes   int64
	beforeLast  int64 // bytes of the one before it
	logBytes    int64 // of all that were read
}

func (r *reading) run() error {
	if err := r.snapshot(); err != nil {
		return err
	}
	logs, err := r.logsToRead()
	if err != nil {
		return err
	}
	for i, n := range logs {
		if err := r.log(n, slices.Clone(logs[i+1:])); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// snapshot reads the newest snapshot that is whole.
func (r *reading) snapshot() error {
	for _, number := range slices.Backward(r.snapshots) {
		err := r.trySnapshot(number)
		var damage *DamageError
		if err == nil || !errors.As(err, &damage) {
			return err
		}
		r.warn("%s is damaged at offset %d: %s. The one before it is read", damage.File, damage.Offset, damage.Reason)
		empty := []engine.Record{{Change: engine.Empty, Key: engine.Key{DB: engine.AllDatabases}}}
		if err := r.load(empty); err != nil { // some of it may be there
			return err
		}
	}
	return nil
}

func (r *reading) trySnapshot(number uint64) error {
	s, err := openSnapshot(r.disk, number)
	if err != nil {
		return err
	}
	defer s.close()
	r.expect(int64(s.keys))
	if err := s.load(r.load); err != nil {
		return err
	}
	r.base, r.baseFlags, r.baseBytes = number, s.flags, s.size
	r.Snapshot = number
	r.Files++
	r.Records += int64(s.keys)
	r.Newest = max(r.Newest, s.end)
	return nil
}

// logsToRead is the logs on top of the snapshot: all from its number on.
func (r *reading) logsToRead() ([]uint64, error) {
	logs, err := r.finished(r.from(r.base))
	if err != nil {
		return nil, err
	}
	want := max(r.base, 1)
	for _, n := range logs {
		if n != want {
			return nil, r.gap(want, logs)
		}
		want++
	}
	if len(logs) == 0 && r.baseFlags&logged != 0 {
		return nil, r.gap(want, nil)
	}
	if len(logs) == 0 && r.base == 0 && len(r.snapshots) > 0 {
		return nil, &GapError{r.dir, "a whole snapshot", "those that are there are damaged, and there are no logs"}
	}
	if n := last(r.snapshots); len(logs) > 0 && n >= want && r.hadLog(n) {
		return nil, &GapError{r.dir, name{logFile, want}.String(), fmt.Sprintf("without it, what followed %s is lost", name{snapshotFile, n})}
	}
	return logs, nil
}

// hadLog says whether a damaged snapshot had a log of its number, or may have had.
func (r *reading) hadLog(number uint64) bool {
	n := name{snapshotFile, number}
	f, err := r.disk.Open(n.String())
	if err != nil {
		return true
	}
	defer f.Close()
	h, err := readHeader(f, n)
	return err != nil || h.flags&logged != 0
}

func (r *reading) gap(missing uint64, logs []uint64) error {
	reason := fmt.Sprintf("it holds the changes since %s was begun", name{snapshotFile, r.base})
	switch {
	case r.base == 0 && len(r.snapshots) > 0:
		reason = fmt.Sprintf("no snapshot is whole, and the logs begin with %s", name{logFile, logs[0]})
	case len(logs) > 0:
		reason = fmt.Sprintf("the changes in %s follow from it", name{logFile, last(logs)})
	}
	return &GapError{r.dir, name{logFile, missing}.String(), reason}
}

// finished leaves out logs at the end that were begun afresh and never got the
// snapshot that they count on top of. Nobody was told that anything in them is kept.
func (r *reading) finished(logs []uint64) ([]uint64, error) {
	for len(logs) > 0 {
		n := last(logs)
		if n == r.base {
			break
		}
		alone, err := r.alone(n)
		if err != nil {
			return nil, err
		}
		if !alone {
			break
		}
		r.warn("%s was begun and has not got its snapshot: it is not read", name{logFile, n})
		logs = logs[:len(logs)-1]
	}
	for _, n := range logs {
		if err := r.follows(n); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// alone says whether a log was begun afresh and never got its snapshot.
func (r *reading) alone(number uint64) (bool, error) {
	l, err := openLog(r.disk, number)
	if l != nil {
		defer l.close()
	}
	if err != nil || l.flags&afresh == 0 || slices.Contains(r.snapshots, number) {
		return false, known(err)
	}
	err = l.replay(func([]engine.Record) error { return nil })
	return !l.begun, err
}

// known is an error but for a header that is not whole, which log tells better.
func known(err error) error {
	if errors.Is(err, errHeader) {
		return nil
	}
	return err
}

// follows says what is missing if a log was begun afresh on top of a snapshot that
// can't be read.
func (r *reading) follows(number uint64) error {
	if number == r.base {
		return nil
	}
	l, err := openLog(r.disk, number)
	if l != nil {
		defer l.close()
	}
	if err != nil || l.flags&afresh == 0 {
		return known(err)
	}
	n := name{snapshotFile, number}.String()
	return &GapError{r.dir, "a whole " + n, fmt.Sprintf("%s counts on top of it alone", name{logFile, number})}
}

// next is the number of the log to begin, and its flags: that of a last log without
// any change is used again.
func (r *reading) next() (number uint64, flags uint32) {
	switch {
	case r.lastLog == 0 && r.base == 0:
		return 1, 0
	case r.lastLog == 0: // the snapshot was made without a log
		return r.base, afresh
	case r.lastChanges == 0:
		r.logBytes -= r.lastBytes
		r.lastBytes = r.beforeLast
		return r.lastLog, r.lastFlags
	}
	return r.lastLog + 1, 0
}
