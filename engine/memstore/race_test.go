//go:build race

package memstore

// raced says that the race detector makes everything ten times slower.
const raced = true
