package persistence

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// A memDisk is a disk in memory that knows what was synced: powerLoss makes the
// one that is found afterwards.
type memDisk struct {
	mu     sync.Mutex
	names  map[string]*inode
	synced map[string]*inode // the names as of the last Sync
	locked bool

	// before is called before each operation, if not nil. An error makes it fail.
	before func(op, name string) error
	down   bool // everything fails
}

type inode struct {
	data   []byte
	synced []byte
	lost   map[int]bool // sectors that a failed fsync has dropped: no other writes them
}

var errDown = errors.New("the power is gone")

func newMemDisk() *memDisk {
	return &memDisk{names: map[string]*inode{}, synced: map[string]*inode{}}
}

func (d *memDisk) enter(op, name string) error {
	if d.down {
		return errDown
	}
	if d.before != nil {
		return d.before(op, name)
	}
	return nil
}

func (d *memDisk) Open(name string) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("open", name); err != nil {
		return nil, err
	}
	i := d.names[name]
	if i == nil {
		return nil, fs.ErrNotExist
	}
	return &memFile{d, i, name}, nil
}

func (d *memDisk) Create(name string) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("create", name); err != nil {
		return nil, err
	}
	i := &inode{lost: map[int]bool{}}
	d.names[name] = i
	return &memFile{d, i, name}, nil
}

func (d *memDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("rename", from); err != nil {
		return err
	}
	if d.names[from] == nil {
		return fs.ErrNotExist
	}
	d.names[to] = d.names[from]
	delete(d.names, from)
	return nil
}

func (d *memDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("remove", name); err != nil {
		return err
	}
	if d.names[name] == nil {
		return fs.ErrNotExist
	}
	delete(d.names, name)
	return nil
}

func (d *memDisk) List() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("list", ""); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(d.names)), nil
}

func (d *memDisk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter("syncdir", ""); err != nil {
		return err
	}
	d.synced = maps.Clone(d.names)
	return nil
}

func (d *memDisk) Lock(string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked {
		return nil, &LockedError{"memory", "a test"}
	}
	d.locked = true
	return unlock{d}, nil
}

type unlock struct{ d *memDisk }

func (u unlock) Close() error {
	u.d.mu.Lock()
	defer u.d.mu.Unlock()
	u.d.locked = false
	return nil
}

type memFile struct {
	d    *memDisk
	i    *inode
	name string
}

// A shortWrite has a write end after a part of the bytes.
type shortWrite struct{ err error }

func (shortWrite) Error() string { return "short write" }

func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	err := f.d.enter("write", f.name)
	if short, ok := err.(shortWrite); ok {
		f.i.write(b[:len(b)/2], at)
		return len(b) / 2, short.err
	}
	if err != nil {
		return 0, err
	}
	f.i.write(b, at)
	return len(b), nil
}

func (i *inode) write(b []byte, at int64) {
	if end := int(at) + len(b); end > len(i.data) {
		i.data = append(i.data, make([]byte, end-len(i.data))...)
	}
	copy(i.data[at:], b)
	if len(b) == 0 {
		return
	}
	for s := int(at) / sector; s <= (int(at)+len(b)-1)/sector; s++ {
		delete(i.lost, s)
	}
}

func (f *memFile) ReadAt(b []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.enter("read", f.name); err != nil {
		return 0, err
	}
	if at >= int64(len(f.i.data)) && len(b) > 0 {
		return 0, io.EOF
	}
	n := copy(b, f.i.data[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.i.data)), f.d.enter("size", f.name)
}

func (f *memFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.enter("truncate", f.name); err != nil {
		return err
	}
	f.i.data = slices.Clone(f.i.data[:min(size, int64(len(f.i.data)))])
	return nil
}

func (f *memFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.enter("fsync", f.name); err != nil {
		f.i.drop()
		return err
	}
	f.i.sync()
	return nil
}

// sectorOf is a sector of b, zeros where b has ended.
func sectorOf(b []byte, s int) []byte {
	part := make([]byte, sector)
	if s*sector < len(b) {
		copy(part, b[s*sector:])
	}
	return part
}

func (i *inode) sync() {
	now := make([]byte, 0, len(i.data)+sector)
	for s := 0; s*sector < len(i.data); s++ {
		if i.lost[s] {
			now = append(now, sectorOf(i.synced, s)...)
		} else {
			now = append(now, sectorOf(i.data, s)...)
		}
	}
	i.synced = now[:len(i.data)]
}

// drop is an fsync that fails as Linux's do: what it could not write is said to be
// written the next time.
func (i *inode) drop() {
	for s := 0; s*sector < len(i.data); s++ {
		if string(sectorOf(i.data, s)) != string(sectorOf(i.synced, s)) {
			i.lost[s] = true
		}
	}
}

func (f *memFile) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.d.enter("close", f.name)
}
