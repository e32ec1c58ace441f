package server

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sluice/commands"
	"sluice/commands/config"
	"sluice/engine/memstore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	stopRedis()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// newService is a service on a store of its own. options are names and values in turn.
func newService(t testing.TB, options ...string) *commands.Service {
	t.Helper()
	cfg := config.New()
	for i := 0; i < len(options); i += 2 {
		if err := cfg.Start(options[i], options[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	store := memstore.New()
	t.Cleanup(store.Close)
	return commands.NewService(store, cfg, slog.New(slog.DiscardHandler), "test")
}

// logTo has a service log into a buffer.
func logTo(service *commands.Service) *lockedBuffer {
	b := &lockedBuffer{}
	service.Log = slog.New(slog.NewTextHandler(b, nil))
	return b
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A script is a connection whose client has said everything beforehand: each Read
// is one chunk of it, and the end comes after the last.
type script struct {
	chunks [][]byte
	again  bool // from the first chunk on after the last
	next   int  // chunk, and how much of it has been
	read   int
	out    []byte
	writes int
	mute   bool // what is written is not kept
	ended  bool // the server has read to the end
}

func (s *script) Read(b []byte) (int, error) {
	if s.next == len(s.chunks) {
		if !s.again {
			s.ended = true
			return 0, io.EOF
		}
		s.next = 0
	}
	n := copy(b, s.chunks[s.next][s.read:])
	if s.read += n; s.read == len(s.chunks[s.next]) {
		s.next, s.read = s.next+1, 0
	}
	return n, nil
}

func (s *script) Write(b []byte) (int, error) {
	s.writes++
	if !s.mute {
		s.out = append(s.out, b...)
	}
	return len(b), nil
}

func (s *script) Close() error                     { return nil }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (s *script) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2} }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// An outcome is what a client sees of what it said: the replies, and whether the
// server ended the connection.
type outcome struct {
	replies string
	closed  bool
}

func (o outcome) String() string { return fmt.Sprintf("%.300q closed=%v", o.replies, o.closed) }

// converse has a server answer a stream that comes in chunks.
func converse(s *Server, chunks ...[]byte) outcome {
	nc := &script{chunks: chunks}
	s.newConn(nc).serve()
	return outcome{string(nc.out), !nc.ended}
}

// cut cuts a stream into chunks that end at the given places.
func cutAt(stream string, places ...int) (chunks [][]byte) {
	from := 0
	for _, to := range append(places, len(stream)) {
		if to > from {
			chunks = append(chunks, []byte(stream[from:to]))
			from = to
		}
	}
	return chunks
}

// frame is a command as clients send it.
func frame(words ...string) string {
	b := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		b += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return b
}
