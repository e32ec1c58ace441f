package commands

import "strings"

// helpRow is the HELP of a container.
func helpRow(group Group) *Command {
	return &Command{
		Name: "HELP", Summary: "Prints this help.", Group: group, Since: "0.1.0",
		Arity: 2, Flags: Loading | Stale, Run: help,
	}
}

// help lists a container's subcommands in Redis's form.
func help(c *Session, args [][]byte) (Reply, error) {
	container := c.service.Table.Lookup(args[0])
	name := strings.ToUpper(container.Name)
	r := array(simple(name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"))
	if container.Run != nil {
		r.Items = append(r.Items, simple("(no subcommand)"), simple("    "+container.Summary))
	}
	for _, sub := range container.Subcommands {
		r.Items = append(r.Items, simple(strings.TrimSpace(sub.Name+" "+sub.Usage)), simple("    "+sub.Summary))
	}
	return r, nil
}
