package engine

import "time"

// Concurrency limits how many hold a lease at the same time. A lease ends when it
// is released or when its time is over, so a crashed holder frees its place. It is
// no row of Algorithms: what it keeps is not a number of units but who holds what,
// and a call names its holder.

// A Lease is a holder's token and the instant at which its hold is over.
type Lease struct {
	Token string
	Until Instant
}

// Leases is what one key keeps, in the order in which leases end. The store
// provides it; the calls below are all that change it.
type Leases interface {
	Get(token string) (Lease, bool)
	Add(Lease) // whose token has none
	Set(Lease) // in place of the token's lease, if it has one
	Delete(token string)
	DeleteFirst() // the first to end
	Len() int
	End(i int) Instant // when the i-th ends; 0 is the first
}

// A LeaseOp is what a call does with leases.
type LeaseOp uint8

// The operations on leases.
const (
	Acquire LeaseOp = iota
	Renew
	Release
)

// A LeaseCall is a call about one key's leases.
type LeaseCall struct {
	Key   Key
	Op    LeaseOp
	Token string
	Limit uint64        // of Acquire: leases at a time, 1 … MaxUnits
	Lease time.Duration // of Acquire and Renew, 1 ms … MaxWindow; an Acquire of 0 looks
	Now   Instant       // the store's to set
}

// LeaseLimit is limit leases (1 … MaxUnits) at a time.
func LeaseLimit(limit int64) (uint64, error) {
	return uint64(limit), within("limit", limit, 1, MaxUnits)
}

// Decide carries a call out. had is the lease that the call's token has in l, or zero.
// held says whether the token holds a lease after an Acquire or a Renew, or held one
// before a Release. A call that is refused, or that finds no lease, changes nothing.
// Leases that are over are dropped first; that they were there made no difference to
// any call.
func (c *LeaseCall) Decide(l Leases, had Lease) (d Decision, held bool) {
	for l.Len() > 0 && l.End(0) <= c.Now {
		l.DeleteFirst()
	}
	held = had.Until > c.Now
	switch c.Op {
	case Acquire:
		return c.acquire(l, held)
	case Renew:
		if held {
			l.Set(Lease{c.Token, c.Now + Instant(c.Lease)})
		}
	case Release:
		if held {
			l.Delete(c.Token)
		}
	}
	return Decision{RetryAfter: Never}, held
}

func (c *LeaseCall) acquire(l Leases, held bool) (d Decision, holds bool) {
	d.RetryAfter = Never
	taken := uint64(l.Len())
	switch lease := (Lease{c.Token, c.Now + Instant(c.Lease)}); {
	case !held && taken >= c.Limit:
		d.Limited = true
		d.RetryAfter = time.Duration(l.End(int(taken-c.Limit)) - c.Now)
	case c.Lease == 0: // a look
	case held:
		l.Set(lease)
		holds = true
	default:
		l.Add(lease)
		taken++
		holds = true
	}
	d.Remaining = give(c.Limit, taken)
	if taken > 0 {
		d.ResetAfter = time.Duration(l.End(int(taken)-1) - c.Now)
	}
	return d, holds
}

// LeaseState is the state of a key with these leases: zero if there are none.
func LeaseState(l Leases) (s State) {
	if n := l.Len(); n > 0 {
		s.Kind, s.Deadline = KindConcurrency, l.End(n-1)
		s.Words[0] = uint64(n)
	}
	return s
}
