package commands

import (
	"fmt"
	"strings"
	"testing"

	"sluice/engine/memstore"
)

// What a session said last changes no answer: a session that has said other things is
// answered as a new one.
func TestHabitsChangeNoAnswer(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	store.StopClock(1_700_000_000e9)
	old := testSession(t, store)
	zeros := strings.Repeat("0", longestHabit)
	for i, line := range []string{
		"FW.INCR % 5 60", "SW.HIT % 5 60", "SL.HIT % 5 60", "FW.INCR % 5 60 2", "FW.INCR % 5 60", "FW.INCR % 5 x", "FW.INCR % 5 60",
		"TB.TAKE % 5 1 1 MAXWAIT 100", "TB.TAKE % 5 1 1", "LB.ADD % 5 1 1", "TB.TAKE % 5 1 6", "TB.TAKE % 5 " + zeros + "1", "TB.TAKE % 5 " + zeros + "2",
		"RL.ALL %a FW.INCR 5 60 AND %b SW.HIT 5 60", "RL.ALL %a SW.HIT 5 60 AND %b FW.INCR 5 60 AND %c FW.INCR 5 60 0",
		"RL.ALL %a SW.HIT 5 60 AND %b FW.INCR 5 60 6", "RL.ALL %a SW.HIT 5 60 AND %b FW.INCR 5 60", "RL.ALL %a SW.HIT 5 60 AND %b FW.INCR",
		"RL.ALL %a SW.HIT 5 60 AND %b NOSUCH 5 60", "RL.ALL %a SW.HIT 5 60 AND %b FW.INCR 5 60 AND", "rl.all %a sw.hit 5 60 and %b fw.incr 5 60",
	} {
		for range 2 { // the second time it is a habit
			said := func(c *Session, key string) string {
				reply := c.Do(bytesOf(strings.ReplaceAll(line, "%", key)))
				return strings.Join(render(reply), "\n")
			}
			want := said(testSession(t, store), fmt.Sprint("new", i))
			if got := said(old, fmt.Sprint("old", i)); got != want {
				t.Errorf("%s: %s\ninstead of %s", line, got, want)
			}
		}
	}
}
