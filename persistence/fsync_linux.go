package persistence

import (
	"os"
	"syscall"
)

// fsync brings to the disk what a file has and what is needed to read it, but not
// when it was written: for that alone fsync would wait for the file system's journal.
func fsync(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for failed = syscall.EINTR; failed == syscall.EINTR; {
			failed = syscall.Fdatasync(int(fd))
		}
	})
	if failed != nil {
		return os.NewSyscallError("fdatasync", failed)
	}
	return err
}
