package memstore

import (
	"slices"
	"sort"
	"unsafe"

	"sluice/engine"
)

// fewLeases are leases in the order in which they end. A token is found by looking
// at one after the other.
type fewLeases []engine.Lease

func (f *fewLeases) index(token string) int {
	for i := range *f {
		if (*f)[i].Token == token {
			return i
		}
	}
	return -1
}

func (f *fewLeases) Get(token string) (engine.Lease, bool) {
	if i := f.index(token); i >= 0 {
		return (*f)[i], true
	}
	return engine.Lease{}, false
}

func (f *fewLeases) Set(lease engine.Lease) {
	f.Delete(lease.Token)
	i := sort.Search(len(*f), func(i int) bool { return endsBefore(lease, (*f)[i]) })
	*f = slices.Insert(*f, i, lease)
}

func (f *fewLeases) Delete(token string) {
	if i := f.index(token); i >= 0 {
		*f = slices.Delete(*f, i, i+1)
	}
}

func (f *fewLeases) Len() int { return len(*f) }

func (f *fewLeases) Nth(i int) engine.Lease { return (*f)[i] }

func (f *fewLeases) items() []engine.Lease { return slices.Clone(*f) }

func (f *fewLeases) size() int { return cap(*f) * int(unsafe.Sizeof(engine.Lease{})) }
