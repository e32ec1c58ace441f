package commands

// run answers a call.
type run = func(*Session, [][]byte) (Reply, error)

func serverCommands() []*Command {
	return []*Command{
		{
			Name: "COMMAND", Summary: "Tells about all commands.",
			Group: ServerSide, Since: "0.1.0", Arity: -1, Flags: Loading | Stale,
			Complexity: "O(N) where N is the number of commands",
			Run:        command, Subcommands: commandCommands(),
		},
		{
			Name: "CONFIG", Summary: "A container for commands about the server's options.",
			Group: ServerSide, Since: "0.1.0", Arity: -2,
			Subcommands: configCommands(),
		},
		{
			Name: "INFO", Usage: "[section ...]", Summary: "Tells about the server, section by section.",
			Group: ServerSide, Since: "0.1.0", Arity: -1, Flags: Loading | Stale | Dangerous,
			Run: info,
		},
		{
			Name: "MEMORY", Summary: "A container for commands about memory.",
			Group: ServerSide, Since: "0.1.0", Arity: -2,
			Subcommands: memoryCommands(),
		},
		{
			Name: "SLOWLOG", Summary: "A container for commands about slow commands.",
			Group: ServerSide, Since: "0.1.0", Arity: -2,
			Subcommands: slowlogCommands(),
		},
		{
			Name: "LATENCY", Summary: "A container for commands about latency.",
			Group: ServerSide, Since: "0.1.0", Arity: -2,
			Subcommands: latencyCommands(),
		},
		only("MODULE", "A container for commands about modules.", "LIST", "", "Lists the modules: none.", 2, moduleList),
		only("ACL", "A container for commands about users.", "WHOAMI", "", "Tells the name of the connection's user.", 2, aclWhoAmI),
		only("FUNCTION", "A container for commands about functions.", "FLUSH", "[ASYNC|SYNC]",
			"Forgets all functions, of which there are none.", -2, functionFlush),
		{
			Name: "ROLE", Summary: "Tells the server's role in replication: a master without replicas.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: NoScript | Loading | Stale | Fast,
			Run: role,
		},
		{
			Name: "TIME", Summary: "Tells the server's time.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: Fast | Loading | Stale,
			Run: serverTime,
		},
		{
			Name: "DEBUG", Summary: "A container for commands that are a test's hand.",
			Group: ServerSide, Since: "0.1.0", Arity: -2,
			Subcommands: debugCommands(),
		},
		{
			Name: "MONITOR", Summary: "Has the connection hear of every command that anybody runs.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: Admin | NoScript | Loading | Stale | NoMulti,
			Run: monitor,
		},
		{
			Name: "SAVE", Summary: "Writes a snapshot of all states to disk and waits until it is there.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: Admin | NoScript | NoMulti,
			Complexity: "O(N) where N is the number of keys",
			Run:        save,
		},
		{
			Name: "BGSAVE", Usage: "[SCHEDULE]", Summary: "Begins to write a snapshot of all states to disk.",
			Group: ServerSide, Since: "0.1.0", Arity: -1, Flags: Admin | NoScript,
			Run: bgSave,
		},
		{
			Name: "BGREWRITEAOF", Summary: "Makes the log short: begins a snapshot, behind which the logs before it go.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: Admin | NoScript,
			Run: bgRewriteAOF,
		},
		{
			Name: "LASTSAVE", Summary: "Tells when the last good snapshot was begun, in Unix seconds.",
			Group: ServerSide, Since: "0.1.0", Arity: 1, Flags: Loading | Stale | Fast,
			Run: lastSave,
		},
		{
			Name: "SHUTDOWN", Usage: "[NOSAVE|SAVE] [NOW] [FORCE] [ABORT]", Summary: "Stops the server.",
			Group: ServerSide, Since: "0.1.0", Arity: -1, Flags: Admin | NoScript | Loading | Stale | AllowBusy | NoMulti,
			Run: shutdown,
		},
		{
			Name: "LOLWUT", Usage: "[VERSION version]", Summary: "Draws a sluice.",
			Group: ServerSide, Since: "0.1.0", Arity: -1, Flags: ReadOnly | Fast,
			Run: lolwut,
		},
	}
}

// only is the row of a container of one subcommand, and HELP.
func only(name, summary, sub, usage, subSummary string, arity int, f run) *Command {
	return &Command{
		Name: name, Summary: summary, Group: ServerSide, Since: "0.1.0", Arity: -2,
		Subcommands: []*Command{
			{
				Name: sub, Usage: usage, Summary: subSummary, Group: ServerSide, Since: "0.1.0",
				Arity: arity, Flags: NoScript | Loading | Stale, Run: f,
			},
			helpRow(ServerSide),
		},
	}
}

func commandCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: ServerSide, Since: "0.1.0",
			Arity: arity, Flags: Loading | Stale, Run: f,
			Complexity: "O(N) where N is the number of commands",
		}
	}
	return []*Command{
		sub("COUNT", "", "Tells how many commands there are.", 2, commandCount),
		sub("LIST", "[FILTERBY <MODULE module-name|ACLCAT category|PATTERN pattern>]", "Lists the names of commands.", -2, commandList),
		sub("INFO", "[command-name ...]", "Tells about commands, all of them if none is named.", -2, commandInfo),
		sub("DOCS", "[command-name ...]", "Tells how commands are used, all of them if none is named.", -2, commandDocs),
		sub("GETKEYS", "command arg [arg ...]", "Finds the keys in a whole command.", -4, commandGetKeys),
		helpRow(ServerSide),
	}
}

func configCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: ServerSide, Since: "0.1.0",
			Arity: arity, Flags: Admin | NoScript | Loading | Stale, Run: f,
			Complexity: "O(N) where N is the number of options",
		}
	}
	return []*Command{
		sub("GET", "parameter [parameter ...]", "Shows the options whose names match the patterns.", -3, configGet),
		sub("SET", "parameter value [parameter value ...]", "Sets options, all of them or none.", -4, configSet),
		sub("RESETSTAT", "", "Sets the counters that INFO shows back to zero.", 2, configResetStat),
		helpRow(ServerSide),
	}
}

// noMulti is the row of a command that may take long: in a transaction it would
// hold up everybody.
func noMulti(c *Command) *Command {
	c.Flags |= NoMulti
	return c
}

func debugCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: ServerSide, Since: "0.1.0",
			Arity: arity, Flags: Admin | NoScript | Loading | Stale, Run: ifDebugging(f),
		}
	}
	return []*Command{
		sub("CLOCK", "SET unix-ms|ADVANCE ms|REAL", "Stops the server's clock, moves it, or gives the real one back.", -3, debugClock),
		noMulti(sub("SLEEP", "seconds", "Has this connection wait, and no other; 60 seconds at most.", 3, debugSleep)),
		helpRow(ServerSide),
	}
}
