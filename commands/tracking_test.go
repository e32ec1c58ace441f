package commands

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sluice/engine/memstore"
)

// another is another session of the same service, which keeps what it hears.
func (c *Session) another(t testing.TB) (*Session, *testPeer) {
	peer := &testPeer{}
	other := c.service.Open(context.Background(), peer, "127.0.0.1:3", "127.0.0.1:2")
	t.Cleanup(other.Close)
	return other, peer
}

// told is what was pushed, a line each.
func (p *testPeer) told() string {
	var all []string
	for _, r := range p.heard() {
		all = append(all, strings.Join(render(r), " "))
	}
	return strings.Join(all, "\n")
}

const kInvalid = `1| "invalidate" 2| 1) "k"`

func TestTrackedKeysThatEnd(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	writer := testSession(t, store)
	reader, peer := writer.another(t)
	writer.do("DEBUG", "CLOCK", "SET", "1700000000000")
	reader.do("HELLO", "3")
	reader.do("CLIENT", "TRACKING", "ON")
	tracking := &writer.service.tracking
	look := func(when, want string) {
		t.Helper()
		tracking.tick()
		if got := peer.told(); got != want {
			t.Errorf("%s: hears %q", when, got)
		}
	}

	reader.do("PTTL", "k") // does not exist
	look("a key that never was", "")
	writer.do("TB.TAKE", "k", "10", "1")
	look("a key that begins", kInvalid)
	reader.do("PTTL", "k")
	look("a key that is", "")
	writer.do("DEBUG", "CLOCK", "ADVANCE", "999")
	look("a moment before its end", "")
	writer.do("DEBUG", "CLOCK", "ADVANCE", "1")
	look("its end", kInvalid)
	look("after its end", "")
	if keys, pairs, _ := tracking.counts(); keys != 0 || pairs != 0 {
		t.Errorf("%d keys, %d pairs are left", keys, pairs)
	}

	reader.do("PTTL", "k")
	reader.Close()
	if keys, pairs, _ := tracking.counts(); keys != 0 || pairs != 0 || tracking.any.Load() != 0 {
		t.Errorf("behind a client that has left: %d keys, %d pairs", keys, pairs)
	}
}

// What is one too many has the oldest forgotten, and its readers hear of it.
func TestTrackingIsBounded(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	writer := testSession(t, store)
	reader, peer := writer.another(t)
	reader.do("HELLO", "3")
	reader.do("CLIENT", "TRACKING", "ON")
	for i := range maxTracked + 3 {
		reader.do("TYPE", fmt.Sprint("k", i))
	}
	want := `1| "invalidate" 2| 1) "k0"` + "\n" + `1| "invalidate" 2| 1) "k1"` + "\n" + `1| "invalidate" 2| 1) "k2"`
	if got := peer.told(); got != want {
		t.Errorf("hears %s", got)
	}
	if keys, pairs, _ := writer.service.tracking.counts(); keys != maxTracked || pairs != maxTracked {
		t.Errorf("%d keys, %d pairs", keys, pairs)
	}
	reader.do("CLIENT", "TRACKING", "OFF")
	if keys, pairs, _ := writer.service.tracking.counts(); keys != 0 || pairs != 0 {
		t.Errorf("behind OFF: %d keys, %d pairs", keys, pairs)
	}
}

// Whatever a client has read last, it has heard of a change if that is not so any
// more.
func TestNoStaleReadIsKeptSecret(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	first := testSession(t, store)
	read := func(c *Session) int64 { return c.do("FW.INCR", "k", "1000000", "366d", "0").Five[2] }
	for range 300 {
		first.do("DEL", "k")
		var all sync.WaitGroup
		var last [2]int64
		var peers [2]*testPeer
		for i := range last {
			reader, peer := first.another(t)
			peers[i] = peer
			reader.do("HELLO", "3")
			reader.do("CLIENT", "TRACKING", "ON")
			all.Go(func() {
				for range 3 {
					peer.heard()
					reader.do("PTTL", "k") // is tracked; a look is not
					last[i] = read(reader)
				}
			})
		}
		for range 2 {
			writer, _ := first.another(t)
			all.Go(func() {
				for range 3 {
					writer.do("FW.INCR", "k", "1000000", "366d")
				}
			})
		}
		all.Wait()
		now := read(first)
		for i, was := range last {
			if was != now && len(peers[i].heard()) == 0 {
				t.Fatalf("a client has read %d, which is %d now, and knows of nothing", was, now)
			}
		}
	}
}
