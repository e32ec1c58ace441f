package commands

import "sluice/commands/config"

func selectDB(c *Session, args [][]byte) (Reply, error) {
	n, err := parseInt(args[1])
	if err != nil {
		return Reply{}, err
	}
	if n < 0 || n >= c.service.Config.Number(config.Databases) {
		return Reply{}, errDBRange
	}
	if n > 0 && c.service.cluster {
		return Reply{}, errorf("ERR SELECT is not allowed in cluster mode")
	}
	c.db.Store(int32(n))
	return OK, nil
}

func quit(*Session, [][]byte) (Reply, error) { return Reply{Kind: Simple, Text: "OK", Ends: true}, nil }

func reset(c *Session, _ [][]byte) (Reply, error) {
	c.reset()
	return Reply{Kind: Simple, Text: "RESET", Late: true}, nil
}
