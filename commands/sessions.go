package commands

import (
	"slices"
	"sync"
)

// Sessions is every session there is.
type Sessions struct {
	mu     sync.Mutex
	lastID int64
	open   map[int64]*Session
}

func newSessions() *Sessions { return &Sessions{open: map[int64]*Session{}} }

func (s *Sessions) add(c *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	c.ID = s.lastID
	s.open[c.ID] = c
}

func (s *Sessions) remove(c *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c.ID)
}

// byID is the session of an id, nil if there is none.
func (s *Sessions) byID(id int64) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// Len is how many sessions there are.
func (s *Sessions) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// All is every session, the oldest first.
func (s *Sessions) All() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Session, 0, len(s.open))
	for _, c := range s.open {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Session) int { return int(a.ID - b.ID) })
	return all
}
