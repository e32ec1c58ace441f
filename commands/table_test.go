package commands

import (
	"slices"
	"strings"
	"testing"

	"sluice/engine/memstore"
)

// eachCommand runs a subtest for every command and subcommand of the table.
func eachCommand(t *testing.T, f func(t *testing.T, c *Command)) {
	NewTable().each(func(c *Command) {
		t.Run(c.FullName(), func(t *testing.T) { f(t, c) })
	})
}

func TestRowsAreConsistent(t *testing.T) {
	groups := []Group{RateLimit, Generic, Connection, Transactions, PubSubGroup, Cluster, ServerSide}
	eachCommand(t, func(t *testing.T, c *Command) {
		if c.Name != strings.ToUpper(c.Name) || len(c.Name) > maxNameBytes {
			t.Errorf("the name %q is not in capitals, or too long", c.Name)
		}
		if !strings.HasSuffix(c.Summary, ".") || strings.ContainsAny(c.Summary, "\r\n") {
			t.Errorf("the summary %q is not one sentence in a line", c.Summary)
		}
		if !slices.Contains(groups, c.Group) || c.Since == "" {
			t.Errorf("group %q since %q", c.Group, c.Since)
		}
		if c.Flags&Write != 0 && c.Flags&ReadOnly != 0 {
			t.Error("it can not be write and readonly")
		}
		if (c.Run == nil) != (len(c.Subcommands) > 0 && c.Arity == -2) {
			t.Error("a container that needs a subcommand has no Run, and all others have one")
		}
		if names := strings.Fields(strings.Join(c.Flags.Names(), " ")); len(names) != len(c.Flags.Names()) {
			t.Errorf("flags without names: %q", c.Flags.Names())
		}
	})
}

func TestArityAgreesWithUsage(t *testing.T) {
	eachCommand(t, func(t *testing.T, c *Command) {
		if len(c.Subcommands) > 0 {
			return // its usage is its subcommands'
		}
		least, more := length(parseUsage(c.Usage))
		want := least + len(strings.Split(c.FullName(), "|"))
		if more {
			want = -want
		}
		if c.Arity != want {
			t.Errorf("%s %s: the arity is %d, the usage says %d", c.Name, c.Usage, c.Arity, want)
		}
	})
}

// TestKeysAgreeWithUsage holds that COMMAND's key positions are where the usage
// has its keys, and that the first is the first argument: client libraries look
// for it there to choose a server.
func TestKeysAgreeWithUsage(t *testing.T) {
	eachCommand(t, func(t *testing.T, c *Command) {
		args := parseUsage(c.Usage)
		first := 0
		if len(args) > 0 && args[0].kind == "key" {
			first = len(strings.Split(c.FullName(), "|"))
		}
		if c.Keys.First != first {
			t.Errorf("%s %s: the first key is at %d, the usage says %d", c.Name, c.Usage, c.Keys.First, first)
		}
		if first > 0 && args[0].multiple != (c.Keys.Last == -1) {
			t.Errorf("%s %s: the last key is at %d", c.Name, c.Usage, c.Keys.Last)
		}
	})
}

// words is a call of a command with n arguments in all.
func (c *Command) words(n int) []string {
	words := strings.Split(c.FullName(), "|")
	for len(words) < n {
		words = append(words, "x")
	}
	return words[:n]
}

func TestWrongNumbersOfArguments(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	eachCommand(t, func(t *testing.T, c *Command) {
		want := "ERR wrong number of arguments for '" + c.FullName() + "' command"
		if c.Name == "EXEC" {
			want = strings.Replace(want, "ERR", "EXECABORT Transaction discarded because of:", 1)
		}
		names := len(strings.Split(c.FullName(), "|"))
		least := max(c.Arity, -c.Arity)
		for n := names; n < least; n++ {
			if got := session.do(c.words(n)...); got.Text != want {
				t.Errorf("%q: %q", c.words(n), got.Text)
			}
		}
		if c.Arity > 0 {
			if got := session.do(c.words(c.Arity + 1)...); got.Text != want {
				t.Errorf("%q: %q", c.words(c.Arity+1), got.Text)
			}
		}
	})
}

// TestTooManyArguments ranges over the commands that can take a few more, but not
// twenty.
func TestTooManyArguments(t *testing.T) {
	endless := []string{"del", "unlink", "exists", "info", "command|info", "command|docs", "command|getkeys", "config|get", "watch", "latency|reset", "subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe", "pubsub|numsub", "pubsub|shardnumsub", "latency|histogram", "quit"}
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	eachCommand(t, func(t *testing.T, c *Command) {
		if c.Arity > 0 || c.Run == nil || len(c.Subcommands) > 0 || slices.Contains(endless, c.FullName()) {
			return
		}
		if got := session.do(c.words(20)...); got.Kind != Failure {
			t.Errorf("%q: %+v", c.words(20), got)
		}
	})
}

// TestEntriesHaveTenElements holds what go-redis and redis-py take for granted.
func TestEntriesHaveTenElements(t *testing.T) {
	eachCommand(t, func(t *testing.T, c *Command) {
		entry := c.entry()
		if len(entry.Items) != 10 || entry.Items[0].Text != c.FullName() || len(entry.Items[9].Items) != len(c.Subcommands) {
			t.Errorf("%+v", entry)
		}
		if len(c.docs().Items)%2 != 0 {
			t.Error("the docs are no map")
		}
	})
}

func TestLookup(t *testing.T) {
	table := NewTable()
	table.each(func(c *Command) {
		for _, name := range []string{c.FullName(), strings.ToUpper(c.FullName())} {
			if table.LookupFull([]byte(name)) != c {
				t.Errorf("%s is not found", name)
			}
		}
	})
	for _, name := range []string{"", "|", "client|", "|id", "ping|", "nope", "client|nope", strings.Repeat("x", 1000)} {
		if c := table.LookupFull([]byte(name)); c != nil {
			t.Errorf("%q is %s", name, c.FullName())
		}
	}
}
