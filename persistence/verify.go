package persistence

import (
	"errors"
	"fmt"
	"os"
	"time"

	"sluice/engine"
)

// A Report is what Verify found.
type Report struct {
	Dir   string
	Files []FileReport // snapshots, then logs, in order of number
	// Keys is how many keys recovery would find, by kind of state; those that were
	// over at Newest don't count.
	Keys     map[engine.Kind]int64
	Newest   engine.Instant
	Warnings []string // what recovery would warn of
	// Err is why recovery would refuse to start, after what was repaired; nil if it
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
// logs behind, and damaged snapshots. No server may have the directory.
func Verify(path string, repair bool) (Report, error) {
	if _, err := os.Stat(path); err != nil {
		return Report{Dir: path}, err
	}
	return VerifyDisk(path, osDisk(path), repair)
}

// VerifyDisk is Verify of another disk than the directory itself.
func VerifyDisk(path string, disk Disk, repair bool) (Report, error) {
	report := Report{Dir: path}
	note := "" // who only looks leaves no trace
	if repair {
		note = fmt.Sprintf("process %d, which repairs it, since %s", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	}
	lock, err := disk.Lock(note)
	if err != nil {
		return report, err
	}
	defer lock.Close()
	did := map[string]string{}
	if repair {
		if did, err = repairAll(path, disk); err != nil {
			return report, err
		}
	}
	keys := census{}
	r := reading{dir: path, disk: disk, load: keys.load, expect: unexpected}
	if r.listing, err = list(disk); err != nil {
		return report, err
	}
	report.Err = r.run()
	report.Warnings, report.Newest = r.Warnings, r.Newest
	report.Keys = keys.kinds(r.Newest)
	for _, n := range r.files() {
		f, err := r.examine(n)
		if err != nil {
			return report, err
		}
		f.Repaired = did[f.Name]
		delete(did, f.Name)
		report.Files = append(report.Files, f)
	}
	for name, done := range did { // that are there no more
		report.Files = append(report.Files, FileReport{Name: name, Repaired: done})
	}
	return report, nil
}

// unexpected is for who does not care how many keys there are.
func unexpected(int64) {}

// files is every file of a listing.
func (l listing) files() (names []name) {
	for _, n := range l.snapshots {
		names = append(names, name{snapshotFile, n})
	}
	for _, n := range l.logs {
		names = append(names, name{logFile, n})
	}
	return names
}

// examine tells what is in a file, whether or not recovery reads it.
func (r *reading) examine(n name) (f FileReport, err error) {
	f = FileReport{Name: n.String()}
	var c tally
	if n.kind == snapshotFile {
		f.Needed = n.number == r.base
		err = r.examineSnapshot(n, &f, &c)
	} else {
		f.Needed = n.number >= r.base
		err = r.examineLog(n, &f, &c)
	}
	f.Records = c.kinds
	var damage *DamageError
	var newer *NewerError
	switch {
	case errors.As(err, &damage):
		f.Damage, f.Offset = damage.Reason, damage.Offset
	case errors.As(err, &newer):
		f.Damage, f.Version = newer.Error(), newer.Version
	case err != nil:
		return f, err
	}
	return f, nil
}

func (r *reading) examineSnapshot(n name, f *FileReport, c *tally) error {
	if file, err := r.disk.Open(f.Name); err == nil { // which the reader closes if it is damaged
		f.Bytes, _ = file.Size()
		file.Close()
	}
	s, err := openSnapshot(r.disk, n.number)
	if err != nil {
		return err
	}
	defer s.close()
	f.Version, f.Newest = s.version, s.end
	return s.load(c.load)
}

func (r *reading) examineLog(n name, f *FileReport, c *tally) error {
	l, err := openLog(r.disk, n.number)
	if l != nil {
		defer l.close()
		f.Bytes = l.size
	}
	following := r.from(n.number + 1)
	if errors.Is(err, errHeader) {
		f.Torn = len(following) == 0 && l.size < headerBytes && n.number != r.base
		return r.damage(l, 0, errHeader.Error())
	}
	if err != nil {
		return err
	}
	f.Version = l.version
	if err := l.replay(c.load); err != nil {
		return err
	}
	f.Newest = l.newest
	if l.bad != nil || !l.broken {
		if l.bad != nil {
			return r.damage(l, l.offset, l.bad.Error())
		}
		return nil
	}
	v, err := r.judge(l, following)
	if err != nil {
		return err
	}
	if used, err := l.used(); err != nil || used == l.offset && !v.damaged {
		return err
	}
	f.Torn = !v.damaged
	return r.damage(l, l.offset, v.reason)
}
