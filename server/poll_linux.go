package server

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// A poller tells which of many sockets have something to read. add, remove and ring
// may come from any goroutine.
type poller struct {
	epoll, bell int
	patience    patience
	events      [256]syscall.EpollEvent
}

// newPoller is a poller for who shares the processors with others, or does not.
func newPoller(shares bool) (*poller, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	bell, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		syscall.Close(epoll)
		return nil, errno
	}
	p := &poller{epoll: epoll, bell: int(bell)}
	p.patience.none = shares
	if err := p.add(p.bell); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *poller) close() {
	syscall.Close(p.epoll)
	syscall.Close(p.bell)
}

func (p *poller) add(fd int) error {
	return syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (p *poller) remove(fd int) {
	_ = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, fd, nil)
}

// ring has wait return.
func (p *poller) ring() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = syscall.Write(p.bell, one[:])
}

// wait calls f with each socket that has something to read, an end or an error, and
// returns. If there is none it waits, with patience first.
func (p *poller) wait(f func(fd int)) {
	n, err := p.glance()
	if n == 0 {
		n, err = syscall.EpollWait(p.epoll, p.events[:], -1)
	}
	if err != nil && !errors.Is(err, syscall.EINTR) {
		panic("server: epoll: " + err.Error())
	}
	for i := range max(n, 0) {
		fd := int(p.events[i].Fd)
		if fd == p.bell {
			var count [8]byte
			_, _ = syscall.Read(fd, count[:])
			continue
		}
		f(fd)
	}
}

// hungUp says whether the other side of a TCP connection has closed its part of it,
// whatever of what it sent is not read yet.
func hungUp(fd int) bool {
	const closeWait = 8 // in the first byte of TCP_INFO, see TCP_CLOSE_WAIT in linux/tcp_states.h
	info, err := syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_INFO)
	var state [4]byte
	binary.NativeEndian.PutUint32(state[:], uint32(info))
	return err == nil && state[0] == closeWait
}
