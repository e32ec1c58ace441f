package bench

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A conn sends a batch of commands and waits for all its replies.
type conn struct {
	fd      int
	number  int
	batch   *Batch
	out     []byte // of the batch, what is not yet written
	blocked bool   // epoll tells when more can be written
	waiting int    // replies that are still to come
	sent    int64  // closed loop: when
	first   int64  // open loop: which call the next reply answers
	replies Replies
}

// connect adds a connection. The net package makes it; then its file is the loop's.
func (p *loop) connect(l Load, template Template) error {
	client, err := dial(l.Addr, l.Password)
	if err != nil {
		return err
	}
	defer client.Close()
	filer, ok := client.Conn.(interface{ File() (*os.File, error) })
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
	c := &conn{fd: fd, number: len(p.conns), batch: template.Batch(l.Depth)}
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
	n, err := unix.Write(c.fd, c.out)
	if err != nil {
		if err != unix.EAGAIN && err != unix.EINTR {
			return fmt.Errorf("write: %w", err)
		}
		n = 0
	}
	c.out = c.out[n:]
	blocked := len(c.out) > 0
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
