package commands

import (
	"bytes"
	"slices"
	"strings"
)

// command answers COMMAND without a subcommand: all there is about all commands.
func command(c *Session, _ [][]byte) (Reply, error) {
	r := array()
	for _, cmd := range c.service.Table.rows {
		r.Items = append(r.Items, cmd.entry())
	}
	return r, nil
}

func commandCount(c *Session, _ [][]byte) (Reply, error) {
	return integer(int64(len(c.service.Table.rows))), nil
}

func commandInfo(c *Session, args [][]byte) (Reply, error) {
	if len(args) == 2 {
		return command(c, args)
	}
	r := array()
	for _, name := range args[2:] {
		if cmd := c.service.Table.LookupFull(name); cmd != nil {
			r.Items = append(r.Items, cmd.entry())
		} else {
			r.Items = append(r.Items, Reply{Kind: NullArray})
		}
	}
	return r, nil
}

func commandList(c *Session, args [][]byte) (Reply, error) {
	wanted, err := parseCommandFilter(args[2:])
	if err != nil {
		return Reply{}, err
	}
	r := array()
	c.service.Table.each(func(cmd *Command) {
		if wanted(cmd) {
			r.Items = append(r.Items, bulk(cmd.FullName()))
		}
	})
	return r, nil
}

func parseCommandFilter(args [][]byte) (func(*Command) bool, error) {
	if len(args) == 0 {
		return func(*Command) bool { return true }, nil
	}
	if len(args) != 3 || !is(args[0], "FILTERBY") {
		return nil, errSyntax
	}
	switch {
	case is(args[1], "MODULE"): // there are none
		return func(*Command) bool { return false }, nil
	case is(args[1], "ACLCAT"):
		category := "@" + string(bytes.ToLower(args[2]))
		return func(c *Command) bool { return slices.Contains(c.Categories(), category) }, nil
	case is(args[1], "PATTERN"):
		pattern := glob{pattern: args[2], fold: true}
		return func(c *Command) bool { return pattern.matches([]byte(c.FullName())) }, nil
	}
	return nil, errSyntax
}

// commandGetKeys finds the keys of a whole command, as it would be sent.
func commandGetKeys(c *Session, args [][]byte) (Reply, error) {
	call := args[2:]
	cmd := c.service.Table.Lookup(call[0])
	if cmd == nil {
		return Reply{}, errorf("ERR Invalid command specified")
	}
	if len(cmd.Subcommands) > 0 && len(call) > 1 {
		if cmd = cmd.subcommand(call[1]); cmd == nil {
			return Reply{}, errorf("ERR Invalid command specified")
		}
	}
	if cmd.Keys.First == 0 {
		return Reply{}, errorf("ERR The command has no key arguments")
	}
	if !cmd.takes(len(call)) {
		return Reply{}, errorf("ERR Invalid number of arguments specified for command")
	}
	r := array()
	_ = cmd.eachKey(call, func(key []byte) error {
		r.Items = append(r.Items, bulkBytes(key))
		return nil
	})
	return r, nil
}

// Categories are the ACL categories of a command, in Redis's order.
func (c *Command) Categories() (names []string) {
	add := func(name string, in bool) {
		if in {
			names = append(names, "@"+name)
		}
	}
	add("keyspace", c.Group == Generic)
	add("read", c.Flags&ReadOnly != 0)
	add("write", c.Flags&Write != 0)
	add("admin", c.Flags&Admin != 0)
	add("pubsub", c.Flags&PubSub != 0)
	add("fast", c.Flags&Fast != 0)
	add("slow", c.Flags&Fast == 0)
	add("dangerous", c.Flags&(Admin|Dangerous) != 0)
	add("connection", c.Group == Connection)
	add("transaction", c.Group == Transactions)
	add("ratelimit", c.Group == RateLimit)
	return names
}

// entry is a command as COMMAND shows it: ten elements, which cluster clients need
// to find the keys and count on to be ten.
func (c *Command) entry() Reply {
	subs := setOf(nil)
	for _, sub := range c.Subcommands {
		subs.Items = append(subs.Items, sub.entry())
	}
	return array(
		bulk(c.FullName()),
		integer(int64(c.Arity)),
		setOf(c.Flags.Names()),
		integer(int64(c.Keys.First)), integer(int64(c.Keys.Last)), integer(int64(c.Keys.Step)),
		setOf(c.Categories()),
		setOf(nil), // tips: for clients of several servers
		c.keySpecs(),
		subs,
	)
}

// keySpecs is Keys in Redis 7's form, which counts the last from the first.
func (c *Command) keySpecs() Reply {
	if c.Keys.First == 0 {
		return setOf(nil)
	}
	last := c.Keys.Last
	if last > 0 {
		last -= c.Keys.First
	}
	return Reply{Kind: Set, Items: []Reply{mapOf(
		bulk("flags"), setOf(c.keyFlags()),
		bulk("begin_search"), mapOf(
			bulk("type"), bulk("index"),
			bulk("spec"), mapOf(bulk("index"), integer(int64(c.Keys.First)))),
		bulk("find_keys"), mapOf(
			bulk("type"), bulk("range"),
			bulk("spec"), mapOf(
				bulk("lastkey"), integer(int64(last)),
				bulk("keystep"), integer(int64(c.Keys.Step)),
				bulk("limit"), integer(0))),
	)}}
}

// keyFlags say what a command does to its keys, in Redis's terms.
func (c *Command) keyFlags() []string {
	flags := "RM delete"
	switch {
	case c.Flags&Write == 0:
		flags = "RO"
	case c.Group == RateLimit:
		flags = "RW access update"
	}
	if c.keysOf != nil {
		flags += " incomplete"
	}
	return strings.Fields(flags)
}

// setOf is a set of simple strings.
func setOf(texts []string) Reply {
	r := Reply{Kind: Set}
	for _, text := range texts {
		r.Items = append(r.Items, simple(text))
	}
	return r
}
