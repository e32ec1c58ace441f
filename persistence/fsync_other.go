//go:build !linux

package persistence

import "os"

// fsync brings a file to the disk.
func fsync(f *os.File) error { return f.Sync() }
