package server

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// A ring has the system carry out many reads and writes in one call, by io_uring(7):
// going into the kernel and back costs as much as a small read or write does there,
// and several times that in a virtual machine. None of them waits, so all are done
// when run returns, and after that the kernel has no buffer.
//
// It is written here because it is small: the libraries for io_uring are made for what
// goes on while a program does something else.
type ring struct {
	fd      int
	queues  []byte // mapped: both queues
	entries []byte // mapped: what the first queue's numbers mean
	asked   queued // its tail is ours
	done    queued // its head is ours
	order   []uint32
	results [ringSize]*result
	waiting int
}

// ringSize is how many reads and writes one call makes at most.
const ringSize = 128

// queued is the two ends of a queue that the kernel shares, and what makes a place of
// either.
type queued struct {
	head, tail *uint32
	mask       uint32
	first      unsafe.Pointer
}

// What io_uring_setup(2) and io_uring_enter(2) call these.
const (
	ioUringSetup, ioUringEnter = 425, 426
	enterGetEvents             = 1 << 0
	featSingleMmap             = 1 << 0
	featNativeWorkers          = 1 << 9 // Linux 5.12: memory of a ring is not bounded as locked memory is
	offEntries                 = 0x10000000
	opSend, opRecv             = 26, 27
)

// An entry is struct io_uring_sqe, as far as we use it.
type entry struct {
	op       uint8
	_        [3]uint8
	fd       int32
	_        uint64
	address  uintptr
	length   uint32
	msgFlags uint32
	number   uint64
	_        [3]uint64
}

// A completion is struct io_uring_cqe.
type completion struct {
	number uint64
	result int32
	_      uint32
}

// setup is struct io_uring_params: at the end, where what belongs to the queues lies.
type setup struct {
	entries, completions, _, _, _, features, _ uint32
	_                                          [3]uint32
	asked, done                                struct {
		head, tail, mask, _, _, flags, last, _ uint32
		_                                      uint64
	}
}

// newRing is a ring, or an error where the system has none to give: older ones, and
// containers that forbid it.
func newRing() (*ring, error) {
	var p setup
	fd, _, errno := syscall.Syscall(ioUringSetup, ringSize, uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, os.NewSyscallError("io_uring_setup", errno)
	}
	r := &ring{fd: int(fd)}
	syscall.CloseOnExec(r.fd)
	if err := r.mapQueues(&p); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *ring) mapQueues(p *setup) (err error) {
	if p.features&featSingleMmap == 0 || p.features&featNativeWorkers == 0 {
		return syscall.ENOSYS
	}
	// Of the first queue the last part is the numbers of entries; of the second, which
	// has flags where the first has them, it is the completions.
	const mode, flags = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_SHARED | syscall.MAP_POPULATE
	numbers, completions := p.asked.last, p.done.flags
	size := max(numbers+p.entries*4, completions+p.completions*uint32(unsafe.Sizeof(completion{})))
	if r.queues, err = syscall.Mmap(r.fd, 0, int(size), mode, flags); err != nil {
		return err
	}
	if r.entries, err = syscall.Mmap(r.fd, offEntries, int(p.entries)*int(unsafe.Sizeof(entry{})), mode, flags); err != nil {
		return err
	}
	at := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.queues[offset])) }
	r.asked = queued{at(p.asked.head), at(p.asked.tail), *at(p.asked.mask), unsafe.Pointer(&r.entries[0])}
	r.done = queued{at(p.done.head), at(p.done.tail), *at(p.done.mask), unsafe.Pointer(&r.queues[completions])}
	r.order = unsafe.Slice(at(numbers), p.entries)
	return nil
}

func (r *ring) close() {
	_ = syscall.Munmap(r.queues)
	_ = syscall.Munmap(r.entries)
	syscall.Close(r.fd)
}

// recv reads into b with the next run, and send writes it. The result is made then,
// and b must stay where it is until then.
func (r *ring) recv(fd int, b []byte, to *result) { r.add(opRecv, fd, b, to) }
func (r *ring) send(fd int, b []byte, to *result) { r.add(opSend, fd, b, to) }

func (r *ring) add(op uint8, fd int, b []byte, to *result) {
	i := (*r.asked.tail + uint32(r.waiting)) & r.asked.mask
	*(*entry)(unsafe.Add(r.asked.first, uintptr(i)*unsafe.Sizeof(entry{}))) = entry{
		op: op, fd: int32(fd), address: uintptr(unsafe.Pointer(unsafe.SliceData(b))), length: uint32(len(b)),
		msgFlags: syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL, number: uint64(r.waiting),
	}
	r.order[i] = i
	r.results[r.waiting] = to
	if r.waiting++; r.waiting == ringSize {
		r.run()
	}
}

// run carries out what was added. What the system has no memory for is not made.
func (r *ring) run() {
	atomic.AddUint32(r.asked.tail, uint32(r.waiting))
	unasked, open := r.waiting, 0
	for unasked+open > 0 {
		n, _, errno := syscall.RawSyscall6(ioUringEnter, uintptr(r.fd), uintptr(unasked), uintptr(unasked+open), enterGetEvents, 0, 0)
		if errno == 0 {
			unasked, open = unasked-int(n), open+int(n)
		}
		open -= r.reap()
		if errno != 0 && errno != syscall.EINTR && open == 0 {
			atomic.AddUint32(r.asked.tail, -uint32(unasked))
			break
		}
	}
	clear(r.results[:r.waiting])
	r.waiting = 0
}

// reap notes what is done, and says how much that was.
func (r *ring) reap() int {
	head, tail := *r.done.head, atomic.LoadUint32(r.done.tail)
	for at := head; at != tail; at++ {
		c := (*completion)(unsafe.Add(r.done.first, uintptr(at&r.done.mask)*unsafe.Sizeof(completion{})))
		to := r.results[c.number]
		to.made = true
		if to.n = int(c.result); to.n < 0 {
			to.n, to.err = 0, syscall.Errno(-c.result)
		}
	}
	atomic.StoreUint32(r.done.head, tail)
	return int(tail - head)
}
