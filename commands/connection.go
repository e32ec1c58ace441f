package commands

func connectionCommands() []*Command {
	const greeting = NoScript | Loading | Stale | Fast | NoAuth | AllowBusy
	return []*Command{
		{
			Name: "PING", Usage: "[message]", Summary: "Answers PONG, or the message.",
			Group: Connection, Since: "0.1.0", Arity: -1, Flags: Fast | Loading | Stale | Subscribed,
			Run: ping,
		},
		{
			Name: "ECHO", Usage: "message", Summary: "Answers the message.",
			Group: Connection, Since: "0.1.0", Arity: 2, Flags: Fast | Loading | Stale,
			Run: echo,
		},
		{
			Name: "HELLO", Usage: "[protover [AUTH username password] [SETNAME clientname]]",
			Summary: "Chooses the protocol's version and tells about the server.",
			Group:   Connection, Since: "0.1.0", Arity: -1, Flags: greeting,
			Run: hello,
		},
		{
			Name: "AUTH", Usage: "[username] password", Summary: "Says who the client is.",
			Group: Connection, Since: "0.1.0", Arity: -2, Flags: greeting,
			Run: auth,
		},
		{
			Name: "SELECT", Usage: "index", Summary: "Chooses the database that keys are in.",
			Group: Connection, Since: "0.1.0", Arity: 2, Flags: Fast | Loading | Stale,
			Run: selectDB,
		},
		{
			Name: "QUIT", Usage: "[ignored ...]", Summary: "Ends the connection.",
			Group: Connection, Since: "0.1.0", Arity: -1, Flags: greeting | Immediate | Subscribed,
			Run: quit,
		},
		{
			Name: "RESET", Summary: "Makes the connection as it was at its start.",
			Group: Connection, Since: "0.1.0", Arity: 1, Flags: greeting | Immediate | Subscribed,
			Run: reset,
		},
		clusterMode("READONLY", "Is for cluster clients: reads may go to this node."),
		clusterMode("READWRITE", "Is for cluster clients: the opposite of READONLY."),
		clusterMode("ASKING", "Is for cluster clients: the next command may go to this node."),
		{
			Name: "CLUSTER", Summary: "A container for commands about the cluster.",
			Group: Cluster, Since: "0.1.0", Arity: -2,
			Subcommands: clusterCommands(),
		},
		{
			Name: "WAIT", Usage: "numreplicas timeout", Summary: "Tells how many replicas have the writes: none.",
			Group: Generic, Since: "0.1.0", Arity: 3,
			Run: wait,
		},
		{
			Name: "CLIENT", Summary: "A container for commands about connections.",
			Group: Connection, Since: "0.1.0", Arity: -2,
			Subcommands: clientCommands(),
		},
	}
}

func clusterMode(name, summary string) *Command {
	return &Command{
		Name: name, Summary: summary, Group: Cluster, Since: "0.1.0",
		Arity: 1, Flags: Fast | Loading | Stale, Run: inCluster,
	}
}

func clientCommands() []*Command {
	sub := func(name, usage, summary string, arity int, flags Flags, run func(*Session, [][]byte) (Reply, error)) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: Connection, Since: "0.1.0",
			Arity: arity, Flags: flags | NoScript | Loading | Stale, Run: run,
		}
	}
	const types = "<NORMAL|MASTER|REPLICA|PUBSUB>"
	list := sub("LIST", "[TYPE "+types+"] [ID <client-id ...>]",
		"Lists the open connections.", -2, Admin, clientList)
	list.Complexity = "O(N) where N is the number of connections"
	kill := sub("KILL", "addr|<ID client-id|ADDR addr|LADDR addr|TYPE "+types+"|USER username|SKIPME <YES|NO>|MAXAGE maxage ...>",
		"Ends connections.", -3, Admin, clientKill)
	kill.Complexity = "O(N) where N is the number of connections"
	return []*Command{
		sub("ID", "", "Tells the connection's id.", 2, 0, clientID),
		sub("SETNAME", "connection-name", "Names the connection.", 3, 0, clientSetName),
		sub("GETNAME", "", "Tells the connection's name.", 2, 0, clientGetName),
		sub("SETINFO", "<LIB-NAME libname|LIB-VER libver>", "Names the client library in use.", 4, 0, clientSetInfo),
		sub("INFO", "", "Tells about the connection.", 2, 0, clientInfo),
		list,
		kill,
		noMulti(sub("REPLY", "ON|OFF|SKIP", "Has the connection get no replies, or not the next one.", 3, 0, clientReply)),
		sub("PAUSE", "timeout [WRITE|ALL]", "Holds up clients, this one too, for so many milliseconds or until CLIENT UNPAUSE.", -3, Admin, clientPause),
		sub("UNPAUSE", "", "Ends what CLIENT PAUSE began.", 2, Admin, clientUnpause),
		sub("TRACKING", "ON|OFF [REDIRECT client-id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
			"Has the connection hear of changes to keys that it has read.", -3, 0, clientTracking),
		sub("CACHING", "YES|NO", "Has the next command's keys be tracked (OPTIN), or not (OPTOUT).", 3, 0, clientCaching),
		sub("TRACKINGINFO", "", "Tells how the connection tracks keys.", 2, 0, clientTrackingInfo),
		sub("GETREDIR", "", "Tells which client hears what this one tracks.", 2, 0, clientGetRedir),
		sub("NO-EVICT", "ON|OFF", "Is noted and changes nothing: no connection is ended for memory.", 3, Admin, clientNoEvict),
		sub("NO-TOUCH", "ON|OFF", "Is noted and changes nothing: uses of keys are not counted.", 3, 0, clientNoTouch),
		helpRow(Connection),
	}
}
