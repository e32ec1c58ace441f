//go:build !linux

package memstore

import "unsafe"

// largePages leaves the pages to the system.
type largePages struct{}

func (*largePages) want(int64) {}

func (*largePages) back(unsafe.Pointer, int) {}
