package server

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"syscall"
)

// A wire is what a tls.Conn reads from and writes to: the connection that was accepted
// while both sides shake hands, and then a socket on a loop. Of that nothing waits in
// the hands of the tls.Conn. A read that finds nothing says syscall.EAGAIN, which a
// tls.Conn takes for a passing error: it keeps what it has of a record, and goes on
// when it is asked again. A write takes all there is and keeps what the socket does not
// take, since a tls.Conn whose write has failed half-way is of no use any more.
type wire struct {
	net.Conn         // while hands are shaken; a closed one after that, whose deadlines are nobody's
	desk     *desk   // nil after that
	socket   *socket // the same on a loop, nil before
	room     int     // bytes that may yet be read in this turn

	mu   sync.Mutex
	kept []byte // what the socket has not taken; who writes next comes behind it
}

// errDeaf ends a connection, see keptBytes.
var errDeaf = errors.New("the client does not read")

const (
	// turnBytes is how much a connection reads in one turn on its loop, before others
	// have theirs. What it makes of them fits into a large buffer.
	turnBytes = 32 << 10
	// keptBytes is how much may be kept for a client that does not read. A record of
	// replies is kept until it has gone before there is another; but a client can make
	// TLS itself answer as often as it wants.
	keptBytes = 64 << 10
)

func (w *wire) Read(b []byte) (int, error) {
	if w.socket == nil {
		w.desk.leave()
		defer w.desk.take()
		return w.Conn.Read(b)
	}
	if w.room <= 0 {
		return 0, syscall.EAGAIN
	}
	asked := b[:min(len(b), w.room)]
	n, err := w.socket.tryRead(asked)
	w.room -= n
	if n < len(asked) {
		w.room = 0 // that was all; the loop will be told of more
	}
	return n, err
}

func (w *wire) Write(b []byte) (int, error) {
	if w.socket == nil {
		w.desk.leave()
		defer w.desk.take()
		return w.Conn.Write(b)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := 0
	if len(w.kept) == 0 {
		var err error
		if taken, err = w.socket.give(b); err != nil {
			return taken, err
		}
	}
	if len(w.kept)+len(b)-taken > keptBytes {
		return taken, errDeaf
	}
	w.kept = append(w.kept, b[taken:]...)
	return len(b), nil
}

// drain gives the socket what was kept, and says whether it took all of it.
func (w *wire) drain() (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.kept) == 0 {
		return true, nil
	}
	n, err := w.socket.give(w.kept)
	if w.kept = w.kept[n:]; len(w.kept) == 0 {
		w.kept = nil
	}
	return len(w.kept) == 0, err
}

// secure is TLS on a socket. Like a socket it is written by one at a time, who after a
// short write goes on with the rest, and read by one at a time.
type secure struct {
	*tls.Conn
	wire *wire
	// ahead is how many of the bytes that are to be written next are in what the wire
	// keeps already: they count as written once all of it has gone.
	ahead int
	over  bool // nothing more can be read
}

// isSecure says whether there is TLS on a connection.
func isSecure(nc net.Conn) bool {
	s, _ := nc.(*socket)
	_, alone := nc.(patient)
	return alone || s != nil && s.secure != nil
}

// recordBytes is what a record can hold.
const recordBytes = 16 << 10

// write encrypts and writes a record at a time, as long as drain says that all has gone.
func (t *secure) write(b []byte, drain func() (bool, error)) (n int, err error) {
	for n < len(b) {
		if t.ahead == 0 {
			piece := b[n:min(n+recordBytes, len(b))]
			if _, err := t.Conn.Write(piece); err != nil {
				return n, err
			}
			t.ahead = len(piece)
		}
		if gone, err := drain(); !gone || err != nil {
			return n, err
		}
		n, t.ahead = n+t.ahead, 0
	}
	return n, nil
}

// bye tells the client that no more comes, as far as that can be told without waiting.
func (t *secure) bye() {
	_ = t.Conn.CloseWrite()
	_, _ = t.wire.drain()
}

// hasLeft is for who waits and does not read, like atItsEnd, since a client that leaves
// says so within TLS first.
func (t *secure) hasLeft(fd int) bool { return t.over || saysGoodbye(fd, t.Conn) }

// saysGoodbye says whether a client has closed its side, and all that it has sent and
// nobody has read may be a goodbye. TLS 1.2 does not hide what a record is for. In TLS
// 1.3 only its length tells: an alert has two bytes, and so has a piece of a command or
// an empty line, of a client that does not close its side.
func saysGoodbye(fd int, t *tls.Conn) bool {
	const alert, data, header, sealed = 21, 23, 5, 2 + 1 + 16
	var b [header + sealed + 1]byte
	n, _, err := syscall.Recvfrom(fd, b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	if err != nil || n < header || !hungUp(fd) {
		return false
	}
	if t.ConnectionState().Version < tls.VersionTLS13 {
		return b[0] == alert
	}
	return b[0] == data && n == header+sealed
}
