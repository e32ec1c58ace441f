package commands

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine"
	"sluice/engine/memstore"
)

// filled is a session on a store that holds n keys of about size bytes.
func filled(t *testing.T, n, size int) *Session {
	store := memstore.New()
	t.Cleanup(store.Close)
	store.StopClock(conversationStart * 1_000_000)
	session := testSession(t, store)
	for i := range n {
		command := []string{"TB.TAKE", "CL.THROTTLE"}[i%2]
		key := fmt.Sprintf("%s:%d:%s", strings.ToLower(command[:2]), i, strings.Repeat("x", size))
		if got := session.do(command, key, "10", "10", "10"); got.Kind != Limiting {
			t.Fatalf("%+v", got)
		}
	}
	return session
}

// walk is all keys that a walk with these options meets, and how many calls it took.
func walk(t *testing.T, session *Session, options ...string) (met map[string]bool, calls int) {
	met = map[string]bool{}
	for cursor := "0"; calls == 0 || cursor != "0"; calls++ {
		reply := session.do(append([]string{"SCAN", cursor}, options...)...)
		if reply.Kind != Array || len(reply.Items) != 2 {
			t.Fatalf("%v", render(reply))
		}
		cursor = reply.Items[0].Text
		for _, item := range reply.Items[1].Items {
			met[string(item.Bytes)] = true
		}
	}
	return met, calls
}

func TestScanWalks(t *testing.T) {
	session := filled(t, 3000, 1)
	tests := []struct {
		options string
		keys    int
	}{
		{"", 3000},
		{"COUNT 1", 3000},
		{"COUNT 100000", 3000},
		{"COUNT 50 MATCH tb:*", 1500},
		{"MATCH *:7:* COUNT 1000", 1},
		{"TYPE gcra", 1500},
		{"TYPE gcra MATCH tb:*", 0},
		{"TYPE hash", 0},
	}
	for _, test := range tests {
		t.Run(test.options, func(t *testing.T) {
			if met, _ := walk(t, session, strings.Fields(test.options)...); len(met) != test.keys {
				t.Errorf("met %d keys, want %d", len(met), test.keys)
			}
		})
	}
	session.do("SELECT", "1")
	if met, _ := walk(t, session); len(met) != 0 {
		t.Errorf("met %d keys of another database", len(met))
	}
}

// TestLongReplies holds that SCAN breaks off and KEYS refuses rather than send more
// than client-output-limit.
func TestLongReplies(t *testing.T) {
	session := filled(t, 100, 3000)
	session.do("CONFIG", "SET", "client-output-limit", "100kb")
	met, calls := walk(t, session, "COUNT", "100000")
	if len(met) != 100 || calls < 5 {
		t.Errorf("met %d keys in %d calls", len(met), calls)
	}
	got := session.do("KEYS", "*")
	if want := "ERR the reply would be longer than client-output-limit (102400 bytes): use SCAN"; got.Text != want {
		t.Errorf("%.100v", render(got))
	}
	if got := session.do("KEYS", "tb:1?:*"); len(got.Items) != 5 {
		t.Errorf("%d keys", len(got.Items))
	}
	if got := session.do("KEYS", "tb:1*"); got.Kind != Array || len(got.Items) != 0 && len(got.Items[0].Bytes) > engine.MaxKeyBytes {
		t.Errorf("%.100v", render(got))
	}
}
