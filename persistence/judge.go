package persistence

import "fmt"

// sector is what a disk writes whole or not at all.
const sector = 512

// A verdict says what becomes of a log with a frame that is not whole.
type verdict struct {
	damaged bool // no crash explains it; else the log is cut there
	reason  string
}

// findings is what was found about a log in which the frame at offset is not whole.
type findings struct {
	offset int64
	synced int64 // bytes of the log that are known to have been synced

	follows int64 // the first whole frame behind it; 0 if there is none
	hole    bool  // up to there lie zeros where a sector never reached the disk
}

// judge tells the traces of a crash from damage. What was synced before a crash is
// there after it, so what is missing there is damage. Behind that a crash leaves:
// the last write cut off anywhere; zeros or old bytes where the file had grown
// already; and, if the power went, any sectors of what was not synced but not
// others, which are zeros then, since a log is only ever added to.
func judge(f findings) verdict {
	switch {
	case f.offset < f.synced:
		return verdict{true, fmt.Sprintf("its first %d bytes had been written for good", f.synced)}
	case f.follows == 0:
		return verdict{false, "the last write was not finished"}
	case f.hole:
		return verdict{false, "the power went before the disk had written this"}
	}
	return verdict{true, fmt.Sprintf("records follow from offset %d on", f.follows)}
}
