package commands

func keyCommands() []*Command {
	const perKey = "O(N) where N is the number of keys named"
	const perDB = "O(N) where N is the number of keys in the database"
	return []*Command{
		{
			Name: "DEL", Usage: "key [key ...]", Summary: "Makes keys untouched.", Complexity: perKey,
			Group: Generic, Since: "0.1.0", Arity: -2, Flags: Write, Keys: allKeys,
			Run: del,
		},
		{
			Name: "UNLINK", Usage: "key [key ...]", Summary: "Makes keys untouched.", Complexity: perKey,
			Group: Generic, Since: "0.1.0", Arity: -2, Flags: Write | Fast, Keys: allKeys,
			Run: del,
		},
		{
			Name: "EXISTS", Usage: "key [key ...]", Summary: "Counts the keys that are not untouched.", Complexity: perKey,
			Group: Generic, Since: "0.1.0", Arity: -2, Flags: ReadOnly | Fast, Keys: allKeys,
			Run: exists,
		},
		{
			Name: "GET", Usage: "key", Summary: "Is for strings, of which there are none here: null, or the wrong type.",
			Group: Generic, Since: "0.1.0", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey,
			Run: get,
		},
		{
			Name: "TYPE", Usage: "key", Summary: "Tells the algorithm that a key holds.",
			Group: Generic, Since: "0.1.0", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey,
			Run: keyType,
		},
		{
			Name: "TTL", Usage: "key", Summary: "Tells the seconds until a key is untouched, rounded up.",
			Group: Generic, Since: "0.1.0", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey,
			Run: ttl,
		},
		{
			Name: "PTTL", Usage: "key", Summary: "Tells the milliseconds until a key is untouched, rounded up.",
			Group: Generic, Since: "0.1.0", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey,
			Run: pttl,
		},
		{
			Name: "OBJECT", Summary: "A container for commands about how a key is kept.",
			Group: Generic, Since: "0.1.0", Arity: -2,
			Subcommands: objectCommands(),
		},
		{
			Name: "SCAN", Usage: "cursor [MATCH pattern] [COUNT count] [TYPE type]", Summary: "Walks over the keys of the database.",
			Group: Generic, Since: "0.1.0", Arity: -2, Flags: ReadOnly | NoMulti,
			Complexity: "O(1) for a call with the usual COUNT, O(N) for a whole walk, where N is the number of keys",
			Run:        scan,
		},
		{
			Name: "KEYS", Usage: "pattern", Summary: "Lists the keys of the database that match a pattern.", Complexity: perDB,
			Group: Generic, Since: "0.1.0", Arity: 2, Flags: ReadOnly | Dangerous | NoMulti,
			Run: keys,
		},
		{
			Name: "DBSIZE", Summary: "Tells how many keys the database has.",
			Group: Generic, Since: "0.1.0", Arity: 1, Flags: ReadOnly | Fast,
			Run: dbSize,
		},
		{
			Name: "RANDOMKEY", Summary: "Names some key of the database.",
			Group: Generic, Since: "0.1.0", Arity: 1, Flags: ReadOnly,
			Run: randomKey,
		},
		{
			Name: "FLUSHDB", Usage: "[ASYNC|SYNC]", Summary: "Makes all keys of the database untouched.", Complexity: perDB,
			Group: Generic, Since: "0.1.0", Arity: -1, Flags: Write | Dangerous,
			Run: flushDB,
		},
		{
			Name: "FLUSHALL", Usage: "[ASYNC|SYNC]", Summary: "Makes all keys of all databases untouched.",
			Complexity: "O(N) where N is the number of keys in all databases",
			Group:      Generic, Since: "0.1.0", Arity: -1, Flags: Write | Dangerous,
			Run: flushAll,
		},
	}
}
