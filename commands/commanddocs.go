package commands

import "strings"

// commandDocs is a map of names and what is to be known of each. As in Redis,
// names that no command has are left out.
func commandDocs(c *Session, args [][]byte) (Reply, error) {
	r := mapOf()
	add := func(cmd *Command) { r.Items = append(r.Items, bulk(cmd.FullName()), cmd.docs()) }
	if len(args) == 2 {
		for _, cmd := range c.service.Table.rows {
			add(cmd)
		}
	}
	for _, name := range args[2:] {
		if cmd := c.service.Table.LookupFull(name); cmd != nil {
			add(cmd)
		}
	}
	return r, nil
}

func (c *Command) docs() Reply {
	complexity := c.Complexity
	if complexity == "" {
		complexity = "O(1)"
	}
	r := mapOf(
		bulk("summary"), bulk(c.Summary),
		bulk("since"), bulk(c.Since),
		bulk("group"), bulk(string(c.Group)),
		bulk("complexity"), bulk(complexity),
	)
	if args := parseUsage(c.Usage); len(args) > 0 {
		r.Items = append(r.Items, bulk("arguments"), argumentDocs(args))
	}
	if len(c.Subcommands) > 0 {
		subs := mapOf()
		for _, sub := range c.Subcommands {
			subs.Items = append(subs.Items, bulk(sub.FullName()), sub.docs())
		}
		r.Items = append(r.Items, bulk("subcommands"), subs)
	}
	return r
}

func argumentDocs(args []argument) Reply {
	r := array()
	for _, a := range args {
		r.Items = append(r.Items, a.docs())
	}
	return r
}

// docs is an argument in Redis's form.
func (a argument) docs() Reply {
	r := mapOf(bulk("name"), bulk(strings.ToLower(a.name)), bulk("type"), bulk(a.kind))
	add := func(name string, value Reply) { r.Items = append(r.Items, bulk(name), value) }
	if a.kind == "key" {
		add("key_spec_index", integer(0))
	}
	if a.token != "" {
		add("token", bulk(a.token))
	}
	var flags []string
	if a.optional {
		flags = append(flags, "optional")
	}
	if a.multiple {
		flags = append(flags, "multiple")
	}
	if len(flags) > 0 {
		add("flags", setOf(flags))
	}
	if len(a.parts) > 0 {
		add("arguments", argumentDocs(a.parts))
	}
	return r
}
