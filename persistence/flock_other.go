//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package persistence

import (
	"errors"
	"fmt"
	"os"
)

// flock says that two servers could not be kept from one directory here.
func flock(*os.File) (taken bool, err error) {
	return false, fmt.Errorf("a data directory needs a lock that this system has not: %w", errors.ErrUnsupported)
}
