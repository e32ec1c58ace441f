package persistence

import "sluice/engine"

// A Report is what Verify found.
type Report struct {
	Dir   string
	Files []FileReport // in the order in which recovery reads them, unneeded ones first
	// Keys is how many keys recovery would find, by kind of state; those that were
	// over at Newest don't count.
	Keys   map[engine.Kind]int64
	Newest engine.Instant
	// Err is what recovery would refuse with after what was repaired, nil if it
	// would start.
	Err error
}

// A FileReport is what Verify found in a file.
type FileReport struct {
	Name    string
	Bytes   int64
	Version uint32
	Needed  bool                  // recovery reads it; else it is kept in case a newer snapshot is damaged
	Records map[engine.Kind]int64 // by kind of state; 0 is deletions and flushes
	Newest  engine.Instant
	// Damage says what is wrong, "" if nothing; Offset is where. Torn says that it
	// is no more than recovery itself would cut off.
	Damage string
	Offset int64
	Torn   bool
	// Repaired says what was done, "" if nothing.
	Repaired string
}

// Verify reads a directory as Recover would and says what is in it. It changes
// nothing, unless repair is set: then it cuts what Recover would cut, cuts logs at
// damage that Recover refuses, and sets aside as NAME.damaged what is cut, the
// logs behind, and damaged snapshots.
func Verify(path string, repair bool) (Report, error) { panic("not yet") }

// VerifyDisk is Verify of another disk than the directory itself.
func VerifyDisk(path string, disk Disk, repair bool) (Report, error) { panic("not yet") }
