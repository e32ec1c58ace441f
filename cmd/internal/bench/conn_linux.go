package bench

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A conn sends a batch of commands and waits for all its replies.
type conn struct {
	fd      int
	number  int
	batch   *Batch
	secure  *secure // nil without TLS
	out     []byte  // of the batch, what is not yet written
	blocked bool    // epoll tells when more can be written
	waiting int     // replies that are still to come
	sent    int64   // closed loop: when
	first   int64   // open loop: which call the next reply answers
	replies Replies
}

// connect adds a connection. The net package makes it; then its file is the loop's.
func (p *loop) connect(l Load, template Template) error {
	client, err := dial(l.Addr, l.Password, l.TLS)
	if err != nil {
		return err
	}
	defer client.plain.Close() // which ends nothing: the file has another number
	filer, ok := client.plain.(interface{ File() (*os.File, error) })
	if !ok {
		return errors.New("bench: a connection without a file")
	}
	file, err := filer.File()
	if err != nil {
		return err
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("dup: %w", err)
	}
	c := &conn{fd: fd, number: len(p.conns), batch: template.Batch(l.Depth), secure: client.secure}
	if c.secure != nil {
		c.secure.wire.file = descriptor(fd)
	}
	p.conns = append(p.conns, c)
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	return p.watch(unix.EPOLL_CTL_ADD, fd, c.number, unix.EPOLLIN)
}

// send sends n commands with new keys.
func (p *loop) send(c *conn, n int) error {
	for i := range n {
		c.batch.SetKey(i, p.keys.Next())
	}
	c.out, c.waiting, c.sent = c.batch.First(n), n, p.now
	p.left -= int64(n)
	p.busy++
	return p.flush(c)
}

// flush writes what the connection takes, and asks to be told when it takes more.
func (p *loop) flush(c *conn) error {
	blocked, err := c.write()
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if blocked == c.blocked {
		return nil
	}
	c.blocked = blocked
	events := uint32(unix.EPOLLIN)
	if blocked {
		events |= unix.EPOLLOUT
	}
	return p.watch(unix.EPOLL_CTL_MOD, c.fd, c.number, events)
}

// write writes what the connection takes, and says whether some is left.
func (c *conn) write() (left bool, err error) {
	if c.secure != nil {
		return c.writeSecurely()
	}
	n, err := descriptor(c.fd).Write(c.out)
	c.out = c.out[n:]
	return len(c.out) > 0, err
}

func (c *conn) writeSecurely() (left bool, err error) {
	if err := c.secure.wire.drain(); err != nil {
		return false, err
	}
	if len(c.out) > 0 {
		_, err = c.secure.Write(c.out)
		c.out = nil
	}
	return len(c.secure.wire.kept) > 0, err
}

// A descriptor is a file that does not wait.
type descriptor int

// Read says EAGAIN if there is nothing.
func (d descriptor) Read(b []byte) (int, error) {
	n, err := unix.Read(int(d), b)
	switch {
	case err == unix.EINTR:
		err = unix.EAGAIN
	case err == nil && n == 0:
		err = io.EOF
	}
	return max(n, 0), err
}

// Write writes what there is room for.
func (d descriptor) Write(b []byte) (int, error) {
	n, err := unix.Write(int(d), b)
	if err == unix.EAGAIN || err == unix.EINTR {
		err = nil
	}
	return max(n, 0), err
}
