package commands

import (
	"errors"

	"sluice/commands/config"
)

// configGet is a map of the options that any of the patterns matches.
func configGet(c *Session, args [][]byte) (Reply, error) {
	r := mapOf()
	c.service.Config.Each(func(o *config.Option, value string) {
		for _, pattern := range args[2:] {
			if (glob{pattern: pattern, fold: true}).matches([]byte(o.Name)) {
				r.Items = append(r.Items, bulk(string(o.Name)), bulk(value))
				return
			}
		}
	})
	return r, nil
}

// configSet sets options, all of them or none.
func configSet(c *Session, args [][]byte) (Reply, error) {
	pairs := make([]string, len(args)-2)
	for i, arg := range args[2:] {
		pairs[i] = string(arg)
	}
	if len(pairs)%2 != 0 {
		return Reply{}, errSyntax
	}
	err := c.service.Config.Set(pairs...)
	var wrong config.SetError
	switch {
	case err == nil:
		return OK, nil
	case !errors.As(err, &wrong):
		return Reply{}, err
	case wrong.Unknown:
		return Reply{}, errorf("ERR Unknown option or number of arguments for CONFIG SET - '%.128s'", printable([]byte(wrong.Name)))
	}
	return Reply{}, errorf("ERR CONFIG SET failed (possibly related to argument '%s') - %s", wrong.Name, wrong.Reason)
}

func configResetStat(c *Session, _ [][]byte) (Reply, error) {
	c.Settle()
	c.service.Stats.reset(c.service.Table, c.store.Usage())
	return OK, nil
}
