package persistence

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// killed is the disk that the next process finds: the kernel has everything.
func (d *memDisk) killed() *memDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after := newMemDisk()
	copies := map[*inode]*inode{}
	for name, i := range d.names {
		after.names[name] = i.copy(copies)
	}
	for name, i := range d.synced {
		after.synced[name] = i.copy(copies)
	}
	return after
}

func (i *inode) copy(copies map[*inode]*inode) *inode {
	if copies[i] == nil {
		copies[i] = &inode{slices.Clone(i.data), slices.Clone(i.synced), maps.Clone(i.lost)}
	}
	return copies[i]
}

// powerLoss is a disk that may be found when the power is back. Of what was not
// synced any names and any sectors are there.
func (d *memDisk) powerLoss(r *rand.Rand) *memDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after := newMemDisk()
	names := slices.Sorted(maps.Keys(d.names))
	for name := range d.synced {
		if d.names[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		i := d.names[name]
		if i != d.synced[name] && r.IntN(2) == 0 {
			i = d.synced[name]
		}
		if i != nil {
			data := i.surviving(r)
			after.names[name] = &inode{data, slices.Clone(data), map[int]bool{}}
		}
	}
	after.synced = maps.Clone(after.names)
	return after
}

func (i *inode) surviving(r *rand.Rand) []byte {
	size := len(i.data)
	if size != len(i.synced) && r.IntN(2) == 0 {
		low := min(size, len(i.synced))
		size = low + r.IntN(max(size, len(i.synced))-low+1)
	}
	keep := r.IntN(4) // of four unsynced sectors; 0 is none
	data := make([]byte, 0, size+sector)
	for s := 0; s*sector < size; s++ {
		from := i.synced
		if !i.lost[s] && r.IntN(4) < keep {
			from = i.data
		}
		data = append(data, sectorOf(from, s)...)
	}
	return data[:size]
}

func TestMemDiskForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := newMemDisk()
	f, _ := d.Create("a")
	f.WriteAt([]byte("synced"), 0)
	f.Sync()
	d.Sync()
	f.WriteAt([]byte(" and not"), 6)
	d.Create("b")
	seen := map[string]bool{}
	for range 200 {
		after := d.powerLoss(r)
		if string(after.names["a"].data[:6]) != "synced" {
			t.Fatalf("what was synced is gone: %q", after.names["a"].data)
		}
		seen[string(after.names["a"].data)] = true
		seen["b"] = seen["b"] || after.names["b"] != nil
	}
	if !seen["synced"] || !seen["synced and not"] || !seen["b"] {
		t.Errorf("a power loss has one way only: %v", seen)
	}
}
