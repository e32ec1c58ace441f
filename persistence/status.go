package persistence

import (
	"time"

	"sluice/engine"
)

// A Status is how persistence fares, for who asks (INFO, metrics).
type Status struct {
	Loading bool // Recover is under way: what follows tells of no files yet

	Changes       int64         // since the last snapshot was begun
	Saving        bool          // a snapshot is being written
	SavingFor     time.Duration // for so long
	LastSave      time.Time     // when the last good snapshot was begun; of Recover if there was none
	LastSaveError error         // of the last attempt
	LastSaveTook  time.Duration // of the last attempt; -1 if there was none
	Saves         int64         // snapshots that were made since Open

	LogEnabled   bool
	LogBytes     int64 // of the logs behind the last snapshot
	BaseBytes    int64 // of the last snapshot
	PendingBytes int64 // appended and not written yet
	Policy       Policy
	FsyncPending bool  // one is under way
	FsyncDelayed int64 // seconds in which the one before was still under way

	OnError      OnError
	Failing      error     // why changes are refused or not kept; nil if they are kept
	FailingSince time.Time // zero if they are kept
	Failures     int64     // how often that began since Open

	Recovered Recovery
}

// A Recovery tells what Recover found.
type Recovery struct {
	Snapshot uint64 // the number of the one that was read; 0 if none
	Files    int    // that were read
	Records  int64  // that were read
	Keys     int64  // that the store had then
	Newest   engine.Instant
	SetBack  bool // the clock was behind Newest: states were carried over
	Cuts     []Cut
	Warnings []string // one a thing that was not as it should be, cuts among them
	Took     time.Duration
}

// A Cut is the end of a log that was never written whole, or never reached the
// disk before the power went, and was cut off.
type Cut struct {
	File   string
	Offset int64 // where the log ends now
	Bytes  int64 // that were cut
}
