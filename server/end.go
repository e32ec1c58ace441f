package server

import (
	"errors"
	"os"
	"time"
)

// When we end a connection its client may go on sending for lastWords, so that our
// replies arrive, but not once it has been silent for silence.
const (
	lastWords = 2 * time.Second
	silence   = 100 * time.Millisecond
)

// end is the end of a connection. When the client sees it, nobody else sees the
// session any more.
func (c *conn) end() {
	c.cancel()
	c.session.Close()
	c.net.Close()
	c.closeInbox()
	c.server.leave(c)
	if c.loop != nil {
		c.socket.free()
		c.loop.size.Add(-1)
		c.socket.ended()
	}
}

// linger lets the client read our last words: closing while it still sends would
// reset the connection, and what it has not read yet would be lost.
func (c *conn) linger() {
	c.stepAside()
	half, ok := c.net.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	for now, end := time.Now(), time.Now().Add(lastWords); now.Before(end); now = time.Now() {
		silent := now.Add(silence)
		if c.net.SetReadDeadline(silent) != nil {
			return
		}
		_, err := c.net.Read(c.frames.buf)
		if err != nil && !(errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(silent)) {
			return // otherwise it was wake's deadline
		}
	}
}

// Kill ends the connection, see commands.Peer.
func (c *conn) Kill() {
	c.mark()
	switch doing := c.doing.Load(); {
	case doing == reading && c.loop != nil:
		c.loop.call(c)
	case doing != running:
		c.net.Close()
	case c.inbox.began.Load() > 0: // the last reply comes behind it
		_ = c.net.SetWriteDeadline(time.Now().Add(lastWords))
	}
}

// cut ends the connection from any goroutine, whatever it does.
func (c *conn) cut() {
	c.mark()
	c.net.Close()
}

// mark notes that the connection is to end.
func (c *conn) mark() {
	c.killed.Store(true)
	c.cancel()
}

// wake has a read that waits return, so that the goroutine looks around.
func (c *conn) wake() {
	if c.loop != nil {
		c.loop.call(c)
		return
	}
	_ = c.net.SetReadDeadline(time.Unix(1, 0))
}

// woken is called with the error that ended a read. It says whether to go on.
func (c *conn) woken(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	_ = c.net.SetReadDeadline(time.Time{}) // before looking: Stop sets it after stopping
	if c.server.stopping.Err() != nil {
		c.linger()
		return false
	}
	c.frames.trim()
	c.out = nil
	c.large.Store(false)
	return true
}
