package server

import (
	"syscall"
	"unsafe"
)

// A patience says how long to wait for a client before the Go scheduler is told of it.
// That would look for others to run meanwhile, and watch the thread that waits: who asks,
// hears and asks again is back before all this is done. But as long as the scheduler does
// not know, a processor is taken and is watched all the more, so patience ends soon, and
// it is not tried again at once after it was in vain.
type patience struct {
	none   bool // the loops have all processors: others would wait, too
	vain   int  // times without any after it was in vain again
	resume int  // of these, still to come
}

const (
	patienceMillis = 1
	mostInVain     = 64
)

// next is how many milliseconds to wait now.
func (p *patience) next() int {
	if p.none {
		return 0
	}
	if p.resume > 0 {
		p.resume--
		return 0
	}
	return patienceMillis
}

// learn is told whether somebody has come while next said to wait.
func (p *patience) learn(came bool) {
	if came {
		p.vain = 0
		return
	}
	p.vain = min(2*p.vain+1, mostInVain)
	p.resume = p.vain
}

// glance is an epoll_wait that the scheduler does not know of. What that wants of this
// thread meanwhile it says by a signal, which ends the call.
func (p *poller) glance() (int, error) {
	wait := p.patience.next()
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.epoll),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(wait), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	if wait > 0 {
		p.patience.learn(n > 0)
	}
	return int(n), nil
}
