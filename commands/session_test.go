package commands

import (
	"fmt"
	"sync"
	"testing"

	"sluice/engine/memstore"
)

// TestSessionsLookAtEachOther has sessions talk while others list, count and end
// them. It is the race detector's to judge.
func TestSessionsLookAtEachOther(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	first := testSession(t, store)
	var all sync.WaitGroup
	for i := range 4 {
		session := first.service.Open(t.Context(), &testPeer{}, fmt.Sprint("127.0.0.1:", 100+i), "")
		all.Go(func() {
			for n := range 200 {
				session.do("TB.TAKE", fmt.Sprint("k", n), "10", "1")
				session.do("SELECT", fmt.Sprint(n%16))
				session.do("HELLO", fmt.Sprint(2+n%2), "SETNAME", fmt.Sprint("n", n))
				session.do("CLIENT", "SETINFO", "LIB-NAME", fmt.Sprint("lib", n))
				session.do("CLIENT", "TRACKING", "ON")
				session.do("PTTL", fmt.Sprint("k", n))
				session.do("SUBSCRIBE", "news")
				session.do("PSUBSCRIBE", "n*")
				session.do("PUBLISH", "news", "hello")
				session.do("CLIENT", "NO-EVICT", []string{"ON", "OFF"}[n%2])
				session.do("RESET")
				session.Traffic(1, 1)
				session.Settle()
			}
			session.Close()
		})
	}
	for range 3 {
		session := first.service.Open(t.Context(), &testPeer{}, "", "")
		all.Go(func() {
			for range 100 {
				session.do("CLIENT", "LIST")
				session.do("INFO", "all")
				session.do("CLIENT", "KILL", "TYPE", "normal")
				session.do("MONITOR")
				session.do("CLIENT", "PAUSE", "1")
				session.do("PUBSUB", "CHANNELS")
				session.do("CONFIG", "RESETSTAT")
				session.do("CONFIG", "SET", "timeout", "5", "requirepass", "")
				session.Settle()
			}
			session.Close()
		})
	}
	all.Wait()
	if n := first.service.Sessions.Len(); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

// TestLimitingAllocatesNothing holds the hot path.
func TestLimitingAllocatesNothing(t *testing.T) {
	for _, words := range [][]string{
		{"TB.TAKE", "key", "1000", "100", "1"},
		{"cl.throttle", "key", "10", "100", "60"},
		{"FW.INCR", "key", "10", "60s"},
		{"SW.HIT", "key", "10", "1m"},
		{"LB.ADD", "key", "10", "5"},
		{"CC.ACQUIRE", "key", "5", "1h"}, // but for its tokens, sixteen at a time
		{"RL.ALL", "a", "TB.TAKE", "1000", "100", "AND", "b", "FW.INCR", "10", "60s", "AND", "c", "CL.THROTTLE", "10", "100", "60"},
		{"RL.ALL", "a", "TB.TAKE", "1000", "100", "AND", "b", "FW.INCR", "10", "60s", "0", "and", "d", "gcra", "0", "1", "60"},
	} {
		t.Run(words[0], func(t *testing.T) {
			store := memstore.New()
			defer store.Close()
			session := testSession(t, store)
			args := make([][]byte, len(words))
			for i, w := range words {
				args[i] = []byte(w)
			}
			var reply Reply
			if n := testing.AllocsPerRun(1000, func() { reply = session.Do(args) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
			if reply.Kind != Limiting && reply.Kind != Leasing && len(reply.Items) != 3+3 {
				t.Errorf("%+v", reply)
			}
			if n := testing.AllocsPerRun(1000, session.Settle); n != 0 {
				t.Errorf("settling: %v allocations", n)
			}
		})
	}
}

// EXEC's replies are as many as its commands, each its own.
func TestAllInTransaction(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	session.do("MULTI")
	session.do("RL.ALL", "a", "FW.INCR", "5", "1d", "AND", "b", "FW.INCR", "7", "1d")
	session.do("RL.ALL", "a", "FW.INCR", "5", "1d", "AND", "b", "FW.INCR", "7", "1d")
	for i, reply := range session.do("EXEC").Items {
		if left := reply.Items[3].Five[2]; left != int64(4-i) {
			t.Errorf("reply %d: %d are left", i, left)
		}
	}
}

func TestLocal(t *testing.T) {
	tests := map[string]bool{
		"unix:0": true, "127.0.0.1:5": true, "127.8.8.8:5": true, "[::1]:5": true, "[::ffff:127.0.0.1]:5": true,
		"10.0.0.1:5": false, "[2001:db8::1]:5": false, "[fe80::1%eth0]:5": false, "[::ffff:10.0.0.1]:5": false,
		"": false, "localhost:5": false, "127.0.0.1": false,
	}
	for addr, want := range tests {
		if got := (&Session{Addr: addr}).local(); got != want {
			t.Errorf("%q: %t", addr, got)
		}
	}
}
