package commands

import "bytes"

// slots is how many hash slots a cluster has.
const slots = 16384

// slotOf is the hash slot of a key: CRC16 (XMODEM) of what is between the first {
// and the next }, if anything is, else of all of it.
func slotOf(key []byte) int {
	if _, tail, ok := bytes.Cut(key, []byte("{")); ok {
		if tag, _, ok := bytes.Cut(tail, []byte("}")); ok && len(tag) > 0 {
			key = tag
		}
	}
	crc := uint16(0)
	for _, b := range key {
		crc ^= uint16(b) << 8
		for range 8 {
			carry := crc>>15 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return int(crc) % slots
}

// oneSlot checks that keys are all in one slot.
type oneSlot struct {
	slot int
	any  bool
}

func (s *oneSlot) check(key []byte) error {
	slot := slotOf(key)
	if s.any && slot != s.slot {
		return errCrossSlot
	}
	s.slot, s.any = slot, true
	return nil
}
