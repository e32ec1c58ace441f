package commands

import (
	"strings"
	"testing"
	"time"

	"sluice/commands/config"
	"sluice/engine"
	"sluice/engine/memstore"
)

// neverFuzzed end the server or wait for real time to pass.
var neverFuzzed = []string{"shutdown", "debug|sleep"}

// FuzzCommands says arbitrary words to a session. A line is a command, cut into
// words as inline commands are; the session goes on from line to line.
func FuzzCommands(f *testing.F) {
	NewTable().each(func(c *Command) {
		if c.Run == nil {
			return
		}
		args, _ := everyArgument(parseUsage(c.Usage))
		call := strings.Join(strings.Split(c.FullName(), "|"), " ") + " " + strings.Join(args, " ")
		f.Add(call)
		f.Add(call + "\n" + strings.ToUpper(call) + " 1\n" + call)
	})
	f.Add("HELLO 3 SETNAME x\nSELECT 3\nTB.TAKE k 1 1\nSCAN 0 COUNT 99999999999 MATCH [^\nRESET\nKEYS \"\\xff*\"")
	f.Add("DEBUG CLOCK SET 4500000000000\nFW.INCR k 10 year\nDEBUG CLOCK ADVANCE -4500000000000\nFW.INCR k 10 year -1")
	store := memstore.New()
	f.Cleanup(store.Close)
	f.Fuzz(func(t *testing.T, lines string) {
		store.StopClock(conversationStart * engine.Instant(time.Millisecond))
		session := testSession(t, store)
		defer func() { _ = store.Flush(t.Context(), engine.AllDatabases) }()
		for line := range strings.SplitSeq(lines, "\n") {
			words, ok := config.Words([]byte(line))
			if ok && len(words) > 0 && mayFuzz(session, words) {
				checkReply(t, line, session.Do(words))
			}
		}
		session.Settle()
	})
}

func mayFuzz(c *Session, words [][]byte) bool {
	name := string(words[0])
	if len(words) > 1 && strings.EqualFold(name, "debug") {
		name += "|" + string(words[1])
	}
	cmd := c.service.Table.LookupFull([]byte(name))
	if cmd == nil {
		return true
	}
	for _, never := range neverFuzzed {
		if cmd.FullName() == never {
			return false
		}
	}
	return true
}

// checkReply holds what every reply keeps to.
func checkReply(t *testing.T, line string, r Reply) {
	if r.Kind > Leasing || r.Kind == Map && len(r.Items)%2 != 0 {
		t.Fatalf("%s: a reply that can not be written: %+v", line, r)
	}
	if r.Kind == Failure && (r.Text == string(errInternal) || strings.TrimSpace(r.Text) == "") {
		t.Fatalf("%s: %q", line, r.Text)
	}
	if r.Kind == Failure || r.Kind == Simple {
		if strings.ContainsAny(r.Text, "\r\n") {
			t.Fatalf("%s: the reply would be two lines: %q", line, r.Text)
		}
	}
	for _, five := range fives(r) {
		if err := checkFive(five); err != nil && r.Kind >= Limiting {
			t.Fatalf("%s: %v", line, err)
		}
	}
	for _, item := range r.Items {
		checkReply(t, line, item)
	}
}
