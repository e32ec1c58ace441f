package commands

import (
	"sync"
	"sync/atomic"
	"time"
)

// rates tells how much was done a second lately. Nobody keeps time for it: a
// session that has answered a batch takes a sample if the last is old enough, so a
// server with nothing to do does nothing here either.
type rates struct {
	last    atomic.Int64 // Unix nanoseconds of the newest sample
	mu      sync.Mutex
	samples [sampleCount]sample // a ring
	next    int
}

const (
	sampleCount = 16
	sampleEvery = 100 * time.Millisecond
	lately      = sampleCount * sampleEvery
)

// A sample is what the counters were at a time.
type sample struct {
	at                      time.Time
	commands, input, output int64
}

// A rate is what was done a second.
type rate struct{ commands, inputBytes, outputBytes float64 }

func (s *Stats) sample(now time.Time) sample {
	return sample{now, s.Commands.Load(), s.InputBytes.Load(), s.OutputBytes.Load()}
}

// note takes a sample if it is time for one.
func (r *rates) note(s *Stats, now time.Time) {
	last := r.last.Load()
	if since := now.UnixNano() - last; since >= 0 && since < int64(sampleEvery) {
		return
	}
	if !r.last.CompareAndSwap(last, now.UnixNano()) {
		return // someone else does
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples[r.next] = s.sample(now)
	r.next = (r.next + 1) % sampleCount
}

func (r *rates) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = [sampleCount]sample{}
}

// at is the rate since the oldest sample that is of lately, or since the newest if
// none is: since nobody took another, next to nothing was done after it.
func (r *rates) at(s *Stats, now time.Time) rate {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.samples[(r.next+sampleCount-1)%sampleCount]
	for i := range r.samples {
		if old := r.samples[i]; now.Sub(old.at) <= lately && old.at.Before(from.at) {
			from = old
		}
	}
	passed := now.Sub(from.at).Seconds()
	if from.at.IsZero() || passed <= 0 {
		return rate{}
	}
	to := s.sample(now)
	return rate{
		commands:    float64(to.commands-from.commands) / passed,
		inputBytes:  float64(to.input-from.input) / passed,
		outputBytes: float64(to.output-from.output) / passed,
	}
}
