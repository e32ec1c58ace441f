package persistence

import "fmt"

// Under Always a log has zeros written ahead of what is in it. An fsync of a file
// that grows has the file system write down its new length and blocks as well, in its
// own journal; one of a file that stays as it is brings the bytes to the disk and is
// done. The zeros go with the commit that comes to the end of those before, so most
// commits find room. A log that may have them says so in its header: then zeros at
// its end are no trace of a loss.

// aheadBytes is how many zeros are written at a time. More make a commit late that
// has to wait for them, fewer come more often.
const aheadBytes = 1 << 20

var zeros [aheadBytes]byte

// aheadFlag is the flag of a log that is begun now.
func (d *Directory) aheadFlag() uint32 {
	w := &d.writer
	w.progress.Lock()
	defer w.progress.Unlock()
	if d.options.Load().Policy == Always && !w.careful {
		return ahead
	}
	return 0
}

// writeAhead writes zeros behind what was written of a log, if that has used up the
// room that there was. It returns where the file ends then. If they can't be written
// nothing is lost: the log does without from then on.
func (d *Directory) writeAhead(t tail) (room int64, ahead bool) {
	if !t.ahead || t.bytes < t.room || d.options.Load().Policy != Always {
		return max(t.room, t.bytes), t.ahead
	}
	n, err := writeAt(t.file, zeros[:d.options.Load().aheadBytes()], t.bytes)
	return t.bytes + int64(n), err == nil
}

func (o *Options) aheadBytes() int64 {
	if o.ahead > 0 {
		return o.ahead
	}
	return aheadBytes
}

// trim cuts off what was written ahead of a log that nothing is added to any more.
func (t tail) trim() {
	if t.file != nil && t.room > t.bytes {
		t.file.Truncate(t.bytes) // or recovery does
	}
}

// close closes the log, if there is one, as it is.
func (t tail) close() {
	if t.file != nil {
		t.trim()
		t.file.Close()
	}
}

// used is where a log ends, but for zeros that were written ahead.
func (r *logReader) used() (int64, error) {
	end := r.size
	if r.flags&ahead == 0 {
		return end, nil
	}
	buf := make([]byte, min(chunkBytes, end-r.offset))
	for end > r.offset {
		buf = buf[:min(int64(len(buf)), end-r.offset)]
		if _, err := r.file.ReadAt(buf, end-int64(len(buf))); err != nil {
			return 0, fmt.Errorf("%s: %w", r.name, err)
		}
		for n := len(buf); n > 0; n-- {
			if buf[n-1] != 0 {
				return end - int64(len(buf)-n), nil
			}
		}
		end -= int64(len(buf))
	}
	return end, nil
}
