//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package persistence

import (
	"errors"
	"os"
	"syscall"
)

// flock locks a file, unless another process has done so.
func flock(f *os.File) (taken bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
