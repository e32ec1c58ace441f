package commands

// A sluice: the gate is half open, and what passes is even.
const drawing = `
        ||=================||
        ||    |  [#]  |    ||
 ~~~~~~~||    |       |    ||
 ~~~~~~~||    |#######|    ||
 ~~~~~~~||    |#######|    ||  .  .  .  .
 ~~~~~~~~ ~ ~ ~ ~  ~  ~  ~  ~  ~  ~  ~  ~  ~  ~
 ==============================================
`

func lolwut(c *Session, args [][]byte) (Reply, error) {
	switch {
	case len(args) == 1:
	case len(args) == 3 && is(args[1], "VERSION"):
		if _, err := parseInt(args[2]); err != nil {
			return Reply{}, err
		}
	default:
		return Reply{}, errSyntax
	}
	return bulk(drawing[1:] + "\nSluice ver. " + c.service.Version + "\n"), nil
}
