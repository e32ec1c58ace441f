package persistence

import (
	"fmt"
	"io"

	"sluice/engine"
)

// investigate looks behind the frame that is not whole: for frames that are, and
// for what they say of how much had been synced.
func (r *logReader) investigate() (findings, error) {
	f := findings{offset: r.offset}
	sums, err := newPrefixes(r.file, r.offset, r.size)
	if err != nil {
		return f, fmt.Errorf("%s: %w", r.name, err)
	}
	s := search{logReader: r, sums: sums}
	for at := r.offset + 1; ; {
		next, length, err := s.find(at)
		if err != nil {
			return f, err
		}
		if length == 0 {
			break
		}
		if f.follows == 0 {
			f.follows = next
			if f.hole, err = s.hole(next); err != nil {
				return f, err
			}
		}
		at = next + length
	}
	if s.mark.number == r.number {
		f.synced = s.mark.bytes
	}
	return f, nil
}

// A search finds frames that are not where one ends.
type search struct {
	*logReader
	sums   *prefixes
	window []byte
	start  int64 // of the window
	mark   mark  // the last that was found of this log
}

// leastHead is what of a frame is looked at before it is checked: the head and
// the beginning of a first record.
const leastHead = frameHead + 2

// find returns the first whole frame from an offset on, of length 0 if there is none.
func (s *search) find(from int64) (at, length int64, err error) {
	for at = from; at+frameHead <= s.size; at++ {
		b, err := s.bytes(at)
		if err != nil {
			return 0, 0, err
		}
		if !s.plausible(b, at) {
			continue
		}
		length = int64(frameHead + payloadLength(b))
		crc := crcOf(b)
		sum, err := s.sums.sum(s.salt, at+4, at+length)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.name, err)
		}
		if sum == crc {
			return at, length, s.note(at, b)
		}
	}
	return 0, 0, nil
}

// bytes is what lies at an offset, leastHead bytes at least unless the file ends.
func (s *search) bytes(at int64) ([]byte, error) {
	if i := at - s.start; i >= 0 && i+leastHead <= int64(len(s.window)) {
		return s.window[i:], nil
	}
	if s.window == nil {
		s.window = make([]byte, min(chunkBytes, s.size-at))
	}
	s.start, s.window = at, s.window[:min(int64(cap(s.window)), s.size-at)]
	if _, err := s.file.ReadAt(s.window, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s.window, nil
}

// plausible says whether a frame may begin with b, without a look at all of it.
func (s *search) plausible(b []byte, at int64) bool {
	if b[8] == 0 || b[8] > publishedFrame || !knownFrame(b) {
		return false
	}
	if at+int64(frameHead+payloadLength(b)) > s.size || frameAt(b) < 0 || frameAt(b) > 2*engine.MaxInstant {
		return false
	}
	if b[8] != changesFrame {
		return true
	}
	if len(b) < leastHead {
		return false
	}
	head, where := b[frameHead], b[frameHead+1]
	change := engine.Change(head >> 4)
	return change >= engine.Put && change <= engine.Empty && (where == everyDB || where>>4 <= 3)
}

func (s *search) note(at int64, b []byte) error {
	if b[8] != syncedFrame {
		return nil
	}
	payload := make([]byte, markBytes)
	_, err := s.file.ReadAt(payload, at+frameHead)
	if m := readMark(payload); err == nil && m.number == s.number {
		s.mark = m
	}
	return err
}

// hole says whether between the frame that is not whole and the one that follows
// lies a sector that never reached the disk: zeros, from its beginning or from
// where an earlier write had ended in it.
func (s *search) hole(follows int64) (bool, error) {
	buf := make([]byte, sector)
	for at := s.offset - s.offset%sector; at < follows; at += sector {
		from, to := max(at, s.offset), min(at+sector, follows)
		if at+sector-to > 4 { // a frame may well begin with zeros, but with no more
			break
		}
		if _, err := s.file.ReadAt(buf[:to-from], from); err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
		if !allZero(buf[:to-from]) {
			continue
		}
		if few := to - from; few >= 4 {
			return true, nil
		} else if whole, err := s.wholeBut(few); whole || err != nil {
			return whole, err
		}
	}
	return false, nil
}

// wholeBut says whether the frame that is not whole would be if its first few bytes,
// of the CRC, were not zeros. So few may be zeros by chance.
func (s *search) wholeBut(few int64) (bool, error) {
	head := make([]byte, frameHead)
	if _, err := s.file.ReadAt(head, s.offset); err != nil {
		return false, fmt.Errorf("%s: %w", s.name, err)
	}
	end := s.offset + int64(frameHead+payloadLength(head))
	if end > s.size {
		return false, nil
	}
	sum, err := s.sums.sum(s.salt, s.offset+4, end)
	return sum>>(8*few) == crcOf(head)>>(8*few), err
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
