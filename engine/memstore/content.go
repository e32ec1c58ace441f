package memstore

import (
	"encoding/binary"

	"sluice/engine"
)

// Logs and leases that are short lie in their records, behind the words. That saves
// each of them a box, objects on the heap that the garbage collector would have to
// look at, and the processor two waits for memory.
const (
	// mostShortLog is how many instants are short: the longest log that is no dearer
	// to copy to the desk and back than to find.
	mostShortLog = 16
	// mostShortLeases is as many as have not become manyLeases.
	mostShortLeases = mostFew
	// leastWords is what the number of no box and three words take at least.
	leastWords = 4
)

// appendShort appends the bytes of a record's words and of its content, and says
// whether that is short.
func (b *box) appendShort(words []byte, st *engine.State) ([]byte, bool) {
	words = append(words, 0) // no box
	for _, w := range st.Words {
		words = binary.AppendUvarint(words, w)
	}
	if l := b.leases; l != nil {
		if l.many != nil || l.Len() > mostShortLeases || len(words)+len(l.few.bytes)-endBytes > maxShort {
			return nil, false
		}
		return l.few.appendShort(words), true
	}
	if units(st) > mostShortLog {
		return nil, false
	}
	return st.AppendInstants(words), true
}

// units is how many instants or leases there are.
func units(st *engine.State) uint64 {
	if st.Kind == engine.KindConcurrency {
		return st.Words[0]
	}
	return st.Words[2] - st.Words[1]
}

// What is short has room for so many, so that it need not move for each of the next: to
// move costs as much as some calls do, and leaves a hole. An instant has room for a
// second, which costs little where many keys are used twice; one lease has none.
var (
	roomsOfLogs   = [...]int{2, 8, mostShortLog}
	roomsOfLeases = [...]int{1, 6, mostShortLeases}
)

// spare is how many bytes more short content gets than its words take.
func spare(st *engine.State, words int) int {
	n := int(units(st))
	each, rooms := 8, roomsOfLogs
	if st.Kind == engine.KindConcurrency {
		each, rooms = (words+endBytes-leastWords)/n, roomsOfLeases
	}
	room := n
	for i := len(rooms) - 1; i >= 0 && rooms[i] >= n; i-- {
		room = rooms[i]
	}
	return min(each*(room-n), maxShort-words)
}

// putContent is put for a kind that has more than its words.
func (s *shard) putContent(h uint64, k engine.Key, i int, st *engine.State, content box) error {
	s.swell()
	n := uint32(0)
	if i >= 0 {
		n = s.record(s.index[i].ref()).box()
	}
	var buf [maxShort]byte
	if n != 0 {
		content = content.own(st)
		if content.size() > s.boxes[n].bytes && s.full() {
			return engine.ErrFull
		}
		err := s.place(h, k, i, st, appendWords(buf[:0], st, n), 0)
		if err == nil {
			s.setBox(n, content)
		}
		return err
	}
	words, short := content.appendShort(buf[:0], st)
	if i >= 0 && (!short || len(words) > s.record(s.index[i].ref()).words()) && s.grows(i, st) && s.full() {
		return engine.ErrFull
	}
	if short {
		return s.place(h, k, i, st, words, spare(st, len(words)))
	}
	return s.putBox(h, k, i, st, content)
}

// swell notes that the shard has content that grows.
func (s *shard) swell() {
	if !s.swells {
		s.swells = true
		s.store.swells.Store(true)
	}
}

// grows says whether a state has more units than the one in slot i.
func (s *shard) grows(i int, st *engine.State) bool {
	var old engine.State
	s.record(s.index[i].ref()).read(&old)
	return units(st) > units(&old)
}

// putBox is putContent for what has no box yet and needs one.
func (s *shard) putBox(h uint64, k engine.Key, i int, st *engine.State, content box) error {
	n := s.setBox(0, content.own(st))
	var buf, room [maxWords]byte
	words := appendWords(buf[:0], st, n)
	if i >= 0 { // the words of the state before must fit, too, for it may have to come back
		before := s.record(s.index[i].ref()).state()
		words = buf[:max(len(words), len(appendWords(room[:0], &before, n)))]
	}
	err := s.place(h, k, i, st, words, 0)
	if err != nil {
		s.freeBox(n)
	}
	return err
}

// giveBack gives the key in slot i a state of the same kind back that it had. It has
// its room still, in the record or, if it got one meanwhile, in the box.
func (s *shard) giveBack(i int, st *engine.State, content box) {
	var buf [maxShort]byte
	rec := s.record(s.index[i].ref())
	n := rec.box()
	words := appendWords(buf[:0], st, n)
	if boxed(st.Kind) && n == 0 {
		words, _ = content.appendShort(buf[:0], st)
	}
	rec.set(st, words)
	s.dueBy(s.index[i].ref(), st.Deadline)
	if n != 0 {
		s.setBox(n, content.own(st))
	}
}

// own is a state's content as its box may keep it: a copy if it is the desk's.
func (b box) own(st *engine.State) box {
	switch {
	case b.log != nil && b.log.Lent():
		b.log = st.Clone().Log
	case b.leases != nil && b.leases.lent:
		b.leases = b.leases.own()
	}
	return b
}
