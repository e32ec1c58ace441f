package memstore

import (
	"time"

	"sluice/engine"
)

// StopClock stops the clock at an instant.
func (s *Store) StopClock(at engine.Instant) { s.moveClock(func() { s.clock.Stop(at) }) }

// AdvanceClock moves the clock.
func (s *Store) AdvanceClock(by time.Duration) { s.moveClock(func() { s.clock.Advance(by) }) }

// RealClock gives the real clock back.
func (s *Store) RealClock() { s.moveClock(s.clock.Real) }

// moveClock moves the clock while nothing else happens, carries the states over
// if it went back, and takes back what is over by now.
func (s *Store) moveClock(move func()) {
	s.lockAll()
	from := s.clock.Now()
	move()
	if to := s.clock.Now(); to < from {
		s.setBack(from, to)
		s.noteAll(to)
	}
	s.unlockAll()
	if !s.held { // else the sweeper's next turn will do
		s.sweep()
	}
}

func (s *Store) setBack(from, to engine.Instant) {
	for i := range s.shards {
		s.shards[i].setBack(from, to)
	}
}

func (s *shard) setBack(from, to engine.Instant) {
	s.each(func(i int, rec record) {
		st, content := s.stateOf(rec).At(from), box{}
		if st.Kind == engine.KindConcurrency {
			content.leases = s.leasesIn(rec)
			content.leases.setBack(from, to)
			st = content.leases.state()
		} else if st.Kind != 0 {
			st = st.Kind.Algorithm().SetBack(st, from, to)
			content.log = st.Log
		}
		k := s.keyOf(rec)
		if st = st.At(to); st.Kind == 0 || s.put(s.store.hash(k), k, i, &st, content) != nil {
			s.remove(i) // no room for words that grew: better forgotten than kept for ever
		}
	})
}
