package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// newTestRing is a ring. Where the system forbids it, as many containers do, a server goes
// without and so does who runs its tests; but not CI, whose machines have it.
func newTestRing(t *testing.T) *ring {
	t.Helper()
	r, err := newRing()
	switch {
	case err == nil:
		t.Cleanup(r.close)
		return r
	case os.Getenv("CI") != "":
		t.Fatal(err)
	}
	t.Skipf("without a ring nothing is read or written at once: %v", err)
	return nil
}

func socketPair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fds[0]); syscall.Close(fds[1]) })
	return fds[0], fds[1]
}

// More calls than a ring has places for, again and again: each has its own result.
func TestRing(t *testing.T) {
	r := newTestRing(t)
	const pairs = ringSize + ringSize/2
	var from, to [pairs]int
	for i := range from {
		from[i], to[i] = socketPair(t)
	}
	for round := range 5 {
		var sent, received [pairs]result
		var got [pairs][]byte
		for i := range from {
			r.send(from[i], fmt.Appendf(nil, "%d in round %d", i, round), &sent[i])
		}
		r.run()
		for i := range to {
			got[i] = make([]byte, 64)
			r.recv(to[i], got[i], &received[i])
		}
		r.run()
		for i := range from {
			want := fmt.Sprintf("%d in round %d", i, round)
			if n, made, err := sent[i].take(); n != len(want) || !made || err != nil {
				t.Errorf("send %d: %d, %v, %v", i, n, made, err)
			}
			if n, made, err := received[i].take(); string(got[i][:n]) != want || !made || err != nil {
				t.Errorf("receive %d: %q, %v, %v", i, got[i][:n], made, err)
			}
			if _, made, _ := sent[i].take(); made {
				t.Errorf("send %d was made twice", i)
			}
		}
	}
}

// What a call that does not wait can come to.
func TestRingDoesNotWait(t *testing.T) {
	r := newTestRing(t)
	silent, _ := socketPair(t)
	gone, other := socketPair(t)
	deaf, _ := socketPair(t)
	_ = syscall.Shutdown(other, syscall.SHUT_RDWR)
	var nothing, end, broken, some, none, bad result
	big := bytes.Repeat([]byte("x"), 8<<20)
	r.recv(silent, make([]byte, 9), &nothing)
	r.recv(gone, make([]byte, 9), &end)
	r.send(gone, []byte("x"), &broken)
	r.send(deaf, big, &some)
	r.send(deaf, big, &none)
	r.recv(-1, make([]byte, 9), &bad)
	r.run()
	for _, tt := range []struct {
		name string
		is   result
		want error
	}{
		{"nothing to read", nothing, syscall.EAGAIN}, {"the end", end, nil}, {"a broken pipe", broken, syscall.EPIPE},
		{"room for some", some, nil}, {"no room", none, syscall.EAGAIN}, {"no socket", bad, syscall.EBADF},
	} {
		if !tt.is.made || !errors.Is(tt.is.err, tt.want) || tt.is.err == nil && tt.want != nil {
			t.Errorf("%s: %+v", tt.name, tt.is)
		}
	}
	if end.n != 0 || some.n == 0 || some.n == len(big) {
		t.Errorf("read %d at the end, wrote %d of %d", end.n, some.n, len(big))
	}
}

func TestRingAllocatesNothing(t *testing.T) {
	r := newTestRing(t)
	a, b := socketPair(t)
	word, room := []byte("word"), make([]byte, 64)
	var sent, received result
	if n := testing.AllocsPerRun(100, func() {
		r.send(a, word, &sent)
		r.run()
		r.recv(b, room, &received)
		r.run()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Many clients speak at the same time, in pieces that end anywhere: each gets its own
// replies, in order, all of them; also those that do not read for a while, those that are
// killed by another in the same round, and what is pushed to those that listen.
func TestManyAtOnce(t *testing.T) { atOnceAndAlone(t, manyAtOnce) }

func manyAtOnce(t *testing.T, options ...string) {
	s, addr := onTCP(t, newService(t, append(options, "io-threads", "1", "enable-debug-command", "yes")...))
	var all sync.WaitGroup
	long := strings.Repeat("long", 64<<10)
	for i := range 40 {
		all.Go(func() {
			nc, err := net.Dial("tcp", addr.String())
			if err != nil {
				t.Error(err)
				return
			}
			defer nc.Close()
			var says, hears strings.Builder
			for n := range 200 {
				word := fmt.Sprintf("%d-%d", i, n)
				switch {
				case i%8 == 1 && n%20 == 0: // more than a socket takes
					word = long
				case i%8 == 2 && n%50 == 0:
					says.WriteString(frame("DEBUG", "SLEEP", "0.002"))
					hears.WriteString("+OK\r\n")
				case i%8 == 3 && n%50 == 0:
					says.WriteString(frame("PUBLISH", "nobody", word))
					hears.WriteString(":0\r\n")
				}
				says.WriteString(frame("ECHO", word))
				fmt.Fprintf(&hears, "$%d\r\n%s\r\n", len(word), word)
			}
			all.Go(func() { sayInPieces(nc, says.String(), 100*i+1) })
			got := make([]byte, hears.Len())
			if _, err := io.ReadFull(nc, got); err != nil || string(got) != hears.String() {
				t.Errorf("client %d: other replies than it has earned, or %v", i, err)
			}
		})
	}
	for range 20 { // who comes and is killed at once, with a command under way
		all.Go(func() {
			c, err := net.Dial("tcp", addr.String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, frame("PING")+frame("CLIENT", "KILL", "ADDR", c.LocalAddr().String(), "SKIPME", "no")+frame("PING"))
			if got, _ := io.ReadAll(c); !strings.HasPrefix(string(got), "+PONG\r\n:1\r\n") {
				t.Errorf("%q", got)
			}
		})
	}
	all.Wait()
	if options[1] == "yes" {
		newTestRing(t) // there is one, or this was the other way again
	}
	if len(s.loops) != 1 || (s.loops[0].ring != nil) != (options[1] == "yes") {
		t.Error("the loop is not as the option says")
	}
}

func sayInPieces(w io.Writer, stream string, size int) {
	for len(stream) > 0 {
		n := min(size, len(stream))
		if _, err := io.WriteString(w, stream[:n]); err != nil {
			return
		}
		stream = stream[n:]
	}
}
