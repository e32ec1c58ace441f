package commands

import (
	"bytes"
	"strings"
)

// A Command is a row of the table: all that is known of a command. COMMAND,
// COMMAND DOCS, HELP, the ACL categories and the README's table come from it.
type Command struct {
	Name    string // as documented: "CL.THROTTLE", or for a subcommand "SETNAME"
	Usage   string // its arguments, in the words of the protocol: "key [cost] [MAXWAIT ms]"
	Summary string
	Group   Group
	Since   string
	// Complexity is how the time it takes grows, O(1) if empty.
	Complexity string
	// Arity counts the command's name; -n means n or more. A container of
	// subcommands needs at least one.
	Arity int
	Flags Flags
	Keys  Keys

	Subcommands []*Command

	// Run answers a call whose arity is right. args[0] is the name (of the
	// container, for a subcommand). A refusal is a Reply; an error changes nothing.
	Run func(c *Session, args [][]byte) (Reply, error)

	container *Command // of a subcommand
	limiter   *limiter // of a command that RL.ALL can hold
	joins     bool     // it may run in a Batch: of the store it needs what engine.Near.Together lets
	// keysOf finds the keys where Keys does not tell all of them, else nil.
	keysOf  func(args [][]byte, f func(key []byte) error) error
	parted  bool // it is RL.ALL
	leasing bool // it is CC.ACQUIRE
	stats   commandStats
}

// eachKey calls f with each key of a call, until it says no.
func (c *Command) eachKey(args [][]byte, f func(key []byte) error) error {
	if c.keysOf != nil {
		return c.keysOf(args, f)
	}
	return c.Keys.Of(args, f)
}

// A Group is the heading under which a command is documented.
type Group string

// The groups, with Redis's own names where it has them.
const (
	RateLimit    Group = "ratelimit"
	Generic      Group = "generic"
	Connection   Group = "connection"
	Transactions Group = "transactions"
	PubSubGroup  Group = "pubsub"
	Cluster      Group = "cluster"
	ServerSide   Group = "server"
)

// Flags say what a command is, in Redis's terms.
type Flags uint32

// The flags that COMMAND shows, and some that it does not: Dangerous puts a command
// into the ACL category of that name (as Admin does), Immediate has it run at once
// also behind MULTI, Subscribed lets RESP2 clients say it that have subscribed.
const (
	Write Flags = 1 << iota
	ReadOnly
	DenyOOM
	Admin
	Fast
	NoAuth
	Loading
	Stale
	NoScript
	AllowBusy
	MovableKeys
	NoMulti
	PubSub
	Dangerous
	Immediate
	Subscribed
)

var flagNames = []string{"write", "readonly", "denyoom", "admin", "fast", "no_auth", "loading", "stale", "noscript", "allow_busy", "movablekeys", "no_multi", "pubsub"}

// Names are the flags as COMMAND shows them.
func (f Flags) Names() (names []string) {
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Keys says which arguments are keys, as COMMAND does: the first and the last
// position (negative: from the end) and the step between them. All zero is none.
type Keys struct{ First, Last, Step int }

var (
	oneKey  = Keys{1, 1, 1}
	allKeys = Keys{1, -1, 1}
)

// Of calls f with each key of a call.
func (k Keys) Of(args [][]byte, f func(key []byte) error) error {
	if k.First == 0 {
		return nil
	}
	last := k.Last
	if last < 0 {
		last += len(args)
	}
	for i := k.First; i <= last && i < len(args); i += k.Step {
		if err := f(args[i]); err != nil {
			return err
		}
	}
	return nil
}

// FullName is the name as Redis writes it in errors: "tb.take", "client|setname".
func (c *Command) FullName() string {
	name := strings.ToLower(c.Name)
	if c.container != nil {
		return c.container.FullName() + "|" + name
	}
	return name
}

// takes says whether a number of arguments, the name among them, is right.
func (c *Command) takes(n int) bool {
	if c.Arity < 0 {
		return n >= -c.Arity
	}
	return n == c.Arity
}

// Table is the commands that a server knows.
type Table struct {
	rows   []*Command // in the order of the list
	byName map[string]*Command
}

// NewTable is a table of its own: its rows count their own calls.
func NewTable() *Table {
	t := &Table{byName: map[string]*Command{}}
	for _, list := range []func() []*Command{limiterCommands, keyCommands, connectionCommands, transactionCommands, pubSubCommands, serverCommands} {
		for _, c := range list() {
			for _, sub := range c.Subcommands {
				sub.container = c
			}
			t.rows = append(t.rows, c)
			t.byName[strings.ToLower(c.Name)] = c
		}
	}
	return t
}

// maxNameBytes is longer than any command's name.
const maxNameBytes = 32

// Lookup is the command of a name in any case, or nil.
func (t *Table) Lookup(name []byte) *Command {
	if len(name) > maxNameBytes {
		return nil
	}
	var buf [maxNameBytes]byte
	for i, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		buf[i] = b
	}
	return t.byName[string(buf[:len(name)])]
}

// LookupFull is the command or the subcommand of a full name in any case
// ("client|setname"), or nil.
func (t *Table) LookupFull(name []byte) *Command {
	container, sub, isSub := bytes.Cut(name, []byte("|"))
	c := t.Lookup(container)
	if c != nil && isSub {
		return c.subcommand(sub)
	}
	return c
}

// Rows is every command in the order of the list, without subcommands.
func (t *Table) Rows() []*Command { return t.rows }

// each calls f with every command in the order of the list, subcommands behind
// their container.
func (t *Table) each(f func(*Command)) {
	for _, c := range t.rows {
		f(c)
		for _, sub := range c.Subcommands {
			f(sub)
		}
	}
}

// subcommand is the subcommand of a name in any case, or nil.
func (c *Command) subcommand(name []byte) *Command {
	for _, sub := range c.Subcommands {
		if is(name, sub.Name) {
			return sub
		}
	}
	return nil
}
