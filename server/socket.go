package server

import (
	"cmp"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A socket is a connection out of the hands of Go's own poller, which would wake a
// thread for every packet that a loop is to hear of. What must wait lends it back.
// Close ends the conversation from any goroutine; the number stays taken until free.
type socket struct {
	loop          *loop
	secure        *secure // nil without TLS
	ended         func()  // to be called once all is over
	fd            int
	received      result // of what the loop has read, until the connection takes it
	sent          result // of what it has written
	local, remote net.Addr

	mu          sync.Mutex
	freed       bool
	slow        net.Conn // the same socket, for who waits, while there are such
	waiting     int
	read, write time.Time // deadlines of who waits
}

// takeSocket takes a connection over, or leaves it as it is and says false.
func takeSocket(nc net.Conn, plain syscall.Conn) (*socket, bool) {
	raw, err := plain.SyscallConn()
	if err != nil {
		return nil, false
	}
	s := &socket{local: nc.LocalAddr(), remote: nc.RemoteAddr()}
	if raw.Control(func(fd uintptr) { s.fd, err = duplicate(int(fd)) }) != nil || err != nil {
		return nil, false
	}
	nc.Close()
	return s, true
}

// duplicate is another number for a socket.
func duplicate(fd int) (int, error) {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// tryRead is a Read that does not wait: it says syscall.EAGAIN instead. With TLS it
// is for the wire.
func (s *socket) tryRead(b []byte) (int, error) {
	return orEnd(quickly(syscall.SYS_READ, s.fd, b))
}

// orEnd is what a read has come to, whose nothing means the end.
func orEnd(n int, err error) (int, error) {
	if n == 0 && err == nil {
		return 0, io.EOF
	}
	return n, err
}

// tryWrite is a Write that does not wait: it writes what there is room for.
func (s *socket) tryWrite(b []byte) (int, error) {
	if s.secure != nil {
		return s.secure.write(b, s.secure.wire.drain)
	}
	return s.give(b)
}

// give is tryWrite, whatever TLS there is.
func (s *socket) give(b []byte) (int, error) {
	return orLater(quickly(syscall.SYS_WRITE, s.fd, b))
}

// orLater is what a write has come to: that there was no room is no error.
func orLater(n int, err error) (int, error) {
	if errors.Is(err, syscall.EAGAIN) {
		return 0, nil
	}
	return n, err
}

// quickly is a call of the system that does not wait, on bytes of which there is one
// at least. Go's scheduler is not told of it, which would cost more than it gains.
func quickly(call uintptr, fd int, b []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// Read is for who lingers, and throws away what it reads: with TLS it is encrypted.
func (s *socket) Read(b []byte) (int, error) {
	for {
		if slow := s.borrow(); slow != nil {
			defer s.giveBack()
			return slow.Read(b)
		}
		n, err := s.tryRead(b)
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
		if err := s.pause(&s.read); err != nil {
			return 0, err
		}
	}
}

func (s *socket) Write(b []byte) (written int, err error) {
	if s.secure != nil {
		return s.secure.write(b, s.drain)
	}
	for {
		n, err := s.tryWrite(b[written:])
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
		if slow := s.borrow(); slow != nil {
			defer s.giveBack()
			more, err := slow.Write(b[written:])
			return written + more, err
		}
		if err := s.pause(&s.write); err != nil {
			return written, err
		}
	}
}

// drain is the wire's, for who waits until all has gone.
func (s *socket) drain() (bool, error) {
	for {
		if gone, err := s.secure.wire.drain(); gone || err != nil {
			return gone, err
		}
		if slow, ok := s.borrow().(syscall.Conn); ok {
			defer s.giveBack()
			return s.drainOver(slow)
		}
		if err := s.pause(&s.write); err != nil {
			return false, err
		}
	}
}

func (s *socket) drainOver(slow syscall.Conn) (gone bool, failed error) {
	raw, err := slow.SyscallConn()
	if err != nil {
		return false, err
	}
	err = raw.Write(func(uintptr) bool {
		gone, failed = s.secure.wire.drain()
		return gone || failed != nil
	})
	return gone, cmp.Or(failed, err)
}

// borrow has Go's poller know the socket until giveBack, under a number of its own.
// It says nil if the system has none to spare: other clients and the log come first.
func (s *socket) borrow() net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slow == nil && !s.lend() {
		return nil
	}
	s.waiting++
	return s.slow
}

func (s *socket) lend() bool {
	server := s.loop.server
	if server.lent.Add(1) <= server.lendable {
		if fd, err := duplicate(s.fd); err == nil {
			f := os.NewFile(uintptr(fd), "")
			defer f.Close()
			if s.slow, err = net.FileConn(f); err == nil {
				_ = s.slow.SetReadDeadline(s.read)
				_ = s.slow.SetWriteDeadline(s.write)
				return true
			}
			s.slow = nil
		}
	}
	server.lent.Add(-1)
	return false
}

func (s *socket) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting--; s.waiting == 0 {
		s.slow.Close()
		s.slow = nil
		s.loop.server.lent.Add(-1)
	}
}

// pause is between two tries of who could not borrow.
func (s *socket) pause(deadline *time.Time) error {
	s.mu.Lock()
	until := *deadline
	s.mu.Unlock()
	if !until.IsZero() && time.Now().After(until) {
		return os.ErrDeadlineExceeded
	}
	time.Sleep(5 * time.Millisecond)
	return nil
}

// Close ends the conversation in both directions, whoever waits for it.
func (s *socket) Close() error { return s.shutdown(syscall.SHUT_RDWR) }

// CloseWrite ends our part of it.
func (s *socket) CloseWrite() error {
	if s.secure != nil {
		_ = s.SetWriteDeadline(time.Now().Add(lastWords))
		_ = s.secure.Conn.CloseWrite()
		_, _ = s.drain()
	}
	return s.shutdown(syscall.SHUT_WR)
}

func (s *socket) shutdown(how int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed {
		return net.ErrClosed
	}
	if s.secure != nil {
		s.secure.bye()
	}
	return syscall.Shutdown(s.fd, how)
}

// free gives the number back. Nobody may read or write any more.
func (s *socket) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.freed {
		s.freed = true
		syscall.Close(s.fd)
	}
}

func (s *socket) LocalAddr() net.Addr  { return s.local }
func (s *socket) RemoteAddr() net.Addr { return s.remote }

func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.SetWriteDeadline(t))
}

func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read = t; s.slow != nil {
		return s.slow.SetReadDeadline(t)
	}
	return nil
}

func (s *socket) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.write = t; s.slow != nil {
		return s.slow.SetWriteDeadline(t)
	}
	return nil
}
