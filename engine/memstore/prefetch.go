//go:build amd64 || arm64

package memstore

// prefetch has the processor load the lines of its cache in which addresses lie, and
// does not wait until they are there. (Go has this for its own runtime only, and a
// plain load holds up what stands behind it.)
//
//go:noescape
func prefetch(lines []uintptr)
