package persistence

import (
	"errors"
	"fmt"
	"slices"

	"sluice/engine"
)

// A repair makes a directory one that recovery starts from. It says what it did,
// by file.
type repair struct {
	dir  string
	disk Disk
	did  map[string]string
}

// repairAll repairs one thing after the other, as recovery comes upon them.
func repairAll(dir string, disk Disk) (map[string]string, error) {
	p := repair{dir, disk, map[string]string{}}
	for {
		r := reading{dir: dir, disk: disk, cut: true, load: func([]engine.Record) error { return nil }, expect: unexpected}
		var err error
		if r.listing, err = list(disk); err != nil {
			return p.did, err
		}
		found := r.run()
		for _, c := range r.Cuts {
			p.did[c.File] = fmt.Sprintf("%d bytes were cut at offset %d, as recovery would", c.Bytes, c.Offset)
		}
		more, err := p.mend(&r, found)
		if err != nil || !more {
			return p.did, err
		}
		if err := disk.Sync(); err != nil {
			return p.did, err
		}
	}
}

// mend repairs what recovery has found, and says whether to read again.
func (p *repair) mend(r *reading, found error) (again bool, err error) {
	var damage *DamageError
	var gap *GapError
	switch {
	case errors.As(found, &damage):
		return true, p.damage(r, damage)
	case errors.As(found, &gap) && (r.base > 0 || slices.Contains(r.logs, 1)):
		return true, p.gap(r)
	case found != nil:
		return false, nil // nothing can be done: Verify tells
	}
	for _, n := range r.snapshots {
		if n > r.base { // recovery had to pass it
			return true, p.aside(name{snapshotFile, n}, "the whole file")
		}
	}
	return false, nil
}

// damage keeps of a log what is before the damage. Logs behind it can't follow.
func (p *repair) damage(r *reading, e *DamageError) error {
	n, ok := parseName(e.File)
	if !ok {
		return e
	}
	if err := p.asideLogs(r.from(n.number + 1)); err != nil {
		return err
	}
	if e.Offset >= headerBytes {
		return p.cut(e)
	}
	if err := p.aside(n, "the whole file"); err != nil || n.number != r.base {
		return err
	}
	return p.replace(n)
}

// cut cuts a log, after what is cut was saved.
func (p *repair) cut(e *DamageError) error {
	from, err := p.disk.Open(e.File)
	if err != nil {
		return err
	}
	defer from.Close()
	saved := p.free(e.File)
	to, err := p.disk.Create(saved)
	if err != nil {
		return err
	}
	defer to.Close()
	n, err := copyFrom(to, from, e.Offset)
	if err != nil {
		return err
	}
	if err := errors.Join(to.Sync(), p.disk.Sync(), from.Truncate(e.Offset), from.Sync()); err != nil {
		return err
	}
	p.did[e.File] = fmt.Sprintf("%d bytes were cut at offset %d and saved as %s", n, e.Offset, saved)
	return nil
}

func copyFrom(to, from File, offset int64) (n int64, err error) {
	size, err := from.Size()
	buf := make([]byte, max(0, min(chunkBytes, size-offset)))
	for ; err == nil && offset < size; offset += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), size-offset)]
		if _, err = from.ReadAt(buf, offset); err == nil {
			_, err = writeAt(to, buf, n)
			n += int64(len(buf))
		}
	}
	return n, err
}

// gap keeps the logs before one that is missing.
func (p *repair) gap(r *reading) error {
	first := max(r.base, 1)
	keep := first // logs below it go on from the snapshot
	for ; slices.Contains(r.logs, keep); keep++ {
		if keep == first {
			continue
		}
		if r.follows(keep) != nil {
			break // it is there, but counts on top of a snapshot that is not
		}
	}
	for _, n := range r.snapshots {
		if n > r.base {
			if err := p.aside(name{snapshotFile, n}, "the whole file"); err != nil {
				return err
			}
		}
	}
	if err := p.asideLogs(r.from(keep)); err != nil || keep > first {
		return err
	}
	return p.replace(name{logFile, first})
}

// replace puts a log without changes in the place of one that is lost.
func (p *repair) replace(n name) error {
	f, err := p.disk.Create(n.String() + temporary)
	if err != nil {
		return err
	}
	defer f.Close()
	h := header{version: version, number: n.number, salt: newSalt()}
	if _, err := writeAt(f, h.encode(logFile), 0); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), p.disk.Rename(n.String()+temporary, n.String())); err != nil {
		return err
	}
	p.did[n.String()] += "; an empty one took its place"
	return nil
}

func (p *repair) asideLogs(numbers []uint64) error {
	for _, n := range slices.Clone(numbers) {
		if err := p.aside(name{logFile, n}, "the whole file, which can not follow any more,"); err != nil {
			return err
		}
	}
	return nil
}

// aside renames a file to what recovery does not read.
func (p *repair) aside(n name, what string) error {
	to := p.free(n.String())
	p.did[n.String()] = fmt.Sprintf("%s was saved as %s", what, to)
	return p.disk.Rename(n.String(), to)
}

// free is a name to set a file aside that no other has.
func (p *repair) free(n string) string {
	names, err := p.disk.List()
	free := n + aside
	for i := 2; err == nil && slices.Contains(names, free); i++ {
		free = fmt.Sprintf("%s%s.%d", n, aside, i)
	}
	return free
}
