package commands

import "bytes"

func ping(c *Session, args [][]byte) (Reply, error) {
	if c.subscribedOnly() && len(args) <= 2 {
		return array(bulk("pong"), bulkBytes(bytes.Join(args[1:], nil))), nil
	}
	switch len(args) {
	case 1:
		return simple("PONG"), nil
	case 2:
		return bulkBytes(args[1]), nil
	}
	return Reply{}, errorf("ERR wrong number of arguments for 'ping' command")
}

func echo(_ *Session, args [][]byte) (Reply, error) { return bulkBytes(args[1]), nil }
