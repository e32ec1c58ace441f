package memstore

import (
	"unsafe"

	"sluice/engine"
)

// A box holds what does not fit in a record: the instants of a sliding log, the
// leases of a concurrency key. A record of such a kind has the number of its box
// in front of its words; one record has one box, or none if all of it is short. What
// was in a box once stays there as long as its key is used: that it is short now it
// may not be for long.
type box struct {
	log    *engine.Log
	leases *leases
	bytes  int // as far as accounted for
}

// boxed says whether records of a kind have a box.
func boxed(k engine.Kind) bool {
	return k == engine.KindSlidingLog || k == engine.KindConcurrency
}

// boxHeader is what a box takes itself.
const boxHeader = int(unsafe.Sizeof(box{}))

func (b *box) size() int {
	switch {
	case b.log != nil:
		return boxHeader + b.log.Bytes()
	case b.leases != nil:
		return boxHeader + b.leases.size()
	}
	return 0
}

// setBox puts content into a box, which is 0 for one not used yet, and is its number.
func (s *shard) setBox(n uint32, content box) uint32 {
	if n == 0 {
		n = s.spareBox()
	}
	content.bytes = content.size()
	s.account(content.bytes - s.boxes[n].bytes)
	s.boxes[n] = content
	return n
}

func (s *shard) spareBox() uint32 {
	if last := len(s.spareBoxes) - 1; last >= 0 {
		n := s.spareBoxes[last]
		s.spareBoxes = s.spareBoxes[:last]
		return n
	}
	if len(s.boxes) == 0 {
		s.store.boxed.Store(true)
		s.boxes = make([]box, 1, 2) // so that no box is number 0
	}
	s.boxes = append(s.boxes, box{})
	return uint32(len(s.boxes) - 1)
}

// freeBox empties a box whose record dies. There is nothing to do for number 0.
func (s *shard) freeBox(n uint32) {
	if n == 0 {
		return
	}
	s.account(-s.boxes[n].bytes)
	s.boxes[n] = box{}
	s.spareBoxes = append(s.spareBoxes, n)
	if len(s.spareBoxes) == len(s.boxes)-1 {
		s.boxes, s.spareBoxes = nil, nil
	}
}

// boxOf is the content of a record's box, empty if it has none.
func (s *shard) boxOf(rec record) box {
	if n := rec.box(); n != 0 {
		return s.boxes[n]
	}
	return box{}
}
