package commands

func pubSubCommands() []*Command {
	row := func(name, usage, summary, complexity string, arity int, flags Flags, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Complexity: complexity, Group: PubSubGroup, Since: "0.1.0",
			Arity: arity, Flags: flags | PubSub | Loading | Stale, Run: f,
		}
	}
	const perName, perListener = "O(N) where N is the number of names", "O(N+M) where N is the number of subscribers and M the number of patterns"
	return []*Command{
		row("SUBSCRIBE", "channel [channel ...]", "Has the connection hear what is published to channels.",
			perName, -2, NoScript|Subscribed, subscribe(channels)),
		row("UNSUBSCRIBE", "[channel ...]", "Ends subscriptions to channels, to all of them if none is named.",
			perName, -1, NoScript|Subscribed, unsubscribe(channels)),
		row("PSUBSCRIBE", "pattern [pattern ...]", "Has the connection hear what is published to channels that match patterns.",
			perName, -2, NoScript|Subscribed, subscribe(patterns)),
		row("PUNSUBSCRIBE", "[pattern ...]", "Ends subscriptions to patterns, to all of them if none is named.",
			perName, -1, NoScript|Subscribed, unsubscribe(patterns)),
		row("SSUBSCRIBE", "shardchannel [shardchannel ...]", "Has the connection hear what is published to shard channels.",
			perName, -2, NoScript|Subscribed, subscribe(shardChannels)),
		row("SUNSUBSCRIBE", "[shardchannel ...]", "Ends subscriptions to shard channels, to all of them if none is named.",
			perName, -1, NoScript|Subscribed, unsubscribe(shardChannels)),
		row("PUBLISH", "channel message", "Sends a message to whoever hears a channel; tells how many do.",
			perListener, 3, Fast, publish(channels)),
		row("SPUBLISH", "shardchannel message", "Sends a message to whoever hears a shard channel; tells how many do.",
			"O(N) where N is the number of subscribers", 3, Fast, publish(shardChannels)),
		{
			Name: "PUBSUB", Summary: "A container for commands about subscriptions.",
			Group: PubSubGroup, Since: "0.1.0", Arity: -2,
			Subcommands: []*Command{
				row("CHANNELS", "[pattern]", "Lists the channels that have subscribers.",
					"O(N) where N is the number of channels", -2, 0, pubsubChannels(channels)),
				row("NUMSUB", "[channel ...]", "Counts the subscribers of channels.", perName, -2, 0, pubsubNumSub(channels)),
				row("NUMPAT", "", "Counts the patterns that have subscribers.", "", 2, 0, pubsubNumPat),
				row("SHARDCHANNELS", "[pattern]", "Lists the shard channels that have subscribers.",
					"O(N) where N is the number of shard channels", -2, 0, pubsubChannels(shardChannels)),
				row("SHARDNUMSUB", "[shardchannel ...]", "Counts the subscribers of shard channels.", perName, -2, 0, pubsubNumSub(shardChannels)),
				helpRow(PubSubGroup),
			},
		},
	}
}

func publish(k topicKind) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		if len(args[1]) > maxTopicBytes {
			return Reply{}, errTopicBytes
		}
		return integer(c.service.pubSub.publish(k, args[1], args[2])), nil
	}
}

func pubsubChannels(k topicKind) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		pattern := glob{pattern: []byte("*")}
		switch len(args) {
		case 2:
		case 3:
			pattern.pattern = args[2]
		default:
			return Reply{}, errorf("ERR unknown subcommand or wrong number of arguments for '%.128s'. Try PUBSUB HELP.", printable(args[1]))
		}
		return bulks(c.service.pubSub.names(k, pattern)), nil
	}
}

func pubsubNumSub(k topicKind) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		r := array()
		for _, name := range args[2:] {
			r.Items = append(r.Items, bulkBytes(name), integer(c.service.pubSub.listeners(k, name)))
		}
		return r, nil
	}
}

func pubsubNumPat(c *Session, _ [][]byte) (Reply, error) {
	return integer(c.service.pubSub.topics(patterns)), nil
}

// subscribedOnly says whether the client may say nothing but what RESP2 clients may
// that have subscribed: it could not tell other replies from messages.
func (c *Session) subscribedOnly() bool { return c.subs.any && c.proto.Load() == 2 }

func errSubscribedOnly(cmd *Command) Error {
	return errorf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", cmd.FullName())
}

// Listening says whether the client waits for what others say, so that it is not
// idle while it is silent itself. Any goroutine may ask.
func (c *Session) Listening() bool { return c.subs.all() > 0 || c.monitoring.Load() }
