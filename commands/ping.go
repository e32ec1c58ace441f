package commands

func ping(_ *Session, args [][]byte) (Reply, error) {
	switch len(args) {
	case 1:
		return simple("PONG"), nil
	case 2:
		return bulkBytes(args[1]), nil
	}
	return Reply{}, errorf("ERR wrong number of arguments for 'ping' command")
}

func echo(_ *Session, args [][]byte) (Reply, error) { return bulkBytes(args[1]), nil }
