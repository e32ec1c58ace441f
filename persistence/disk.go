package persistence

import "io"

// A Disk is what the room needs of the file system: one directory, by the names in
// it. Tests have disks that fail at the n-th call or forget what was not synced.
type Disk interface {
	// Open opens a file to read and to cut it.
	Open(name string) (File, error)
	// Create makes an empty file, in the place of any other.
	Create(name string) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	// List is the names of the files, in order.
	List() ([]string, error)
	// Sync makes the names last: files made, renamed and removed before it.
	Sync() error
	// Lock takes the directory for this process, and notes who that is; a
	// LockedError says who has it. Without a note it makes no file: then there is
	// nothing to hold if nobody ever held it.
	Lock(note string) (io.Closer, error)
}

// A File is a file of a Disk.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	Sync() error
}

// writeAt writes all of b, or says why not.
func writeAt(f File, b []byte, offset int64) (int, error) {
	n, err := f.WriteAt(b, offset)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}
