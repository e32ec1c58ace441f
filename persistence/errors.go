package persistence

import (
	"errors"
	"fmt"
)

// A DamageError says that a file is not as it was written, in a way that no crash
// explains. What is behind the damage can't be trusted, so nothing is started.
type DamageError struct {
	Dir    string
	File   string
	Offset int64
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged at offset %d: %s. To keep what is before that: sluice verify %s --repair",
		e.File, e.Offset, e.Reason, e.Dir)
}

// A GapError says that a file which others need is not there.
type GapError struct {
	Dir     string
	Missing string
	Reason  string
}

func (e *GapError) Error() string {
	return fmt.Sprintf("%s is missing in %s: %s. To go on with what is before that: sluice verify %s --repair",
		e.Missing, e.Dir, e.Reason, e.Dir)
}

// A NewerError says that a file has a format that this program doesn't know.
type NewerError struct {
	File           string
	Version, Known uint32
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer sluice: it has format %d, this one reads up to %d. Run that newer one again",
		e.File, e.Version, e.Known)
}

// A LockedError says that another server has the directory.
type LockedError struct {
	Dir    string
	Holder string // "process 123, since 2026-01-02T15:04:05Z"
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s is in use by another server: %s", e.Dir, e.Holder)
}

// ErrSaving says that a snapshot is being written already.
var ErrSaving = errors.New("a snapshot is being written already")

// ErrClosed says that the directory is not open, or not yet.
var ErrClosed = errors.New("the data directory is not open")
