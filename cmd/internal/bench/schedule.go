package bench

import "math"

// A Schedule is the fixed rate of an open loop: when each call is due, whatever the
// server does. Latency counts from there. If calls waited for replies before they
// were sent, and counted from when they were, then a server that stalls for a second
// would be asked nothing in that second, and a thousand slow calls would be one
// (coordinated omission). Times are nanoseconds of the loop's clock.
type Schedule struct {
	first    int64
	interval float64
}

// NewSchedule has its first call due at first, and then rate of them a second.
func NewSchedule(first int64, rate float64) Schedule {
	return Schedule{first, 1e9 / rate}
}

// At is when the n-th call is due, from 0 on.
func (s Schedule) At(n int64) int64 {
	return s.first + int64(math.Ceil(float64(n)*s.interval))
}

// Due is how many calls are due by a time, now included.
func (s Schedule) Due(now int64) int64 {
	if now < s.first {
		return 0
	}
	n := int64(float64(now-s.first)/s.interval) + 1
	for s.At(n-1) > now { // the division may round up
		n--
	}
	for s.At(n) <= now { // or down
		n++
	}
	return n
}

// A Pacer hands out the calls of a schedule in order.
type Pacer struct {
	Schedule
	next int64 // the call to hand out next
}

// Take hands out up to most calls that are due: their first number, and how many.
func (p *Pacer) Take(now int64, most int) (first int64, n int) {
	first = p.next
	n = int(max(0, min(p.Due(now)-first, int64(most))))
	p.next += int64(n)
	return first, n
}

// NextAt is when the next call is due.
func (p *Pacer) NextAt() int64 { return p.At(p.next) }

// Missed is how many calls were due before the end and were not handed out.
func (p *Pacer) Missed(end int64) int64 { return max(0, p.Due(end-1)-p.next) }
