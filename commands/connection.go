package commands

func connectionCommands() []*Command {
	return []*Command{
		{
			Name: "PING", Usage: "[message]", Summary: "Answers PONG, or the message.",
			Group: Connection, Since: "0.1.0", Arity: -1, Flags: Fast | Loading | Stale,
			Run: ping,
		},
	}
}

func ping(_ *Session, args [][]byte) (Reply, error) {
	switch len(args) {
	case 1:
		return simple("PONG"), nil
	case 2:
		return bulkBytes(args[1]), nil
	}
	return Reply{}, errorf("ERR wrong number of arguments for 'ping' command")
}
