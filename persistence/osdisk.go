package persistence

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// osDisk is a directory of the operating system's.
type osDisk string

// OSDisk is the directory at a path, which is made if it is not there.
func OSDisk(path string) (Disk, error) { return osDisk(path), os.MkdirAll(path, 0o700) }

func (d osDisk) join(name string) string { return filepath.Join(string(d), name) }

func (d osDisk) Open(name string) (File, error) {
	f, err := os.OpenFile(d.join(name), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		f, err = os.Open(d.join(name)) // it can be looked at still
	}
	return osFile{f}, err
}

func (d osDisk) Create(name string) (File, error) {
	f, err := os.OpenFile(d.join(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	return osFile{f}, err
}

func (d osDisk) Rename(from, to string) error { return os.Rename(d.join(from), d.join(to)) }

func (d osDisk) Remove(name string) error { return os.Remove(d.join(name)) }

func (d osDisk) List() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (d osDisk) Sync() error {
	dir, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Lock is a lock of the kernel's: it ends with the process, however that ends.
func (d osDisk) Lock(note string) (io.Closer, error) {
	mode := os.O_RDWR
	if note != "" {
		mode |= os.O_CREATE
	}
	f, err := os.OpenFile(d.join(lockName), mode, 0o600)
	if note == "" && err != nil {
		f, err = os.Open(d.join(lockName)) // on a disk that can only be read
	}
	if note == "" && errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	if taken, err := flock(f); taken || err != nil {
		defer f.Close()
		if err != nil {
			return nil, err
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 1000))
		return nil, &LockedError{string(d), strings.TrimSpace(string(holder))}
	}
	if note == "" {
		return f, nil
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	if _, err := f.WriteAt([]byte(note+"\n"), 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

type osFile struct{ *os.File }

func (f osFile) Sync() error { return fsync(f.File) }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
