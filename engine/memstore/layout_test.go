package memstore

import (
	"testing"
	"unsafe"
)

// Shards do not share lines of the cache, and what a look needs of one is its first.
func TestShardLayout(t *testing.T) {
	var s shard
	if n := unsafe.Sizeof(s); n%cacheLine != 0 {
		t.Errorf("a shard takes %d bytes: pad it", n)
	}
	if n := unsafe.Offsetof(s.due) + unsafe.Sizeof(s.due); n != cacheLine {
		t.Errorf("what a look needs takes %d bytes", n)
	}
}
