package commands

// A SaveChoice says whether a snapshot is written when the server stops.
type SaveChoice uint8

// The choices.
const (
	SaveIfConfigured SaveChoice = iota // if the save option has a rule
	SaveNow
	SaveNothing
)

// shutdown stops the server and answers nothing: the connection ends.
func shutdown(c *Session, args [][]byte) (Reply, error) {
	var save, noSave, force, abort bool
	for _, arg := range args[1:] {
		switch {
		case is(arg, "SAVE"):
			save = true
		case is(arg, "NOSAVE"):
			noSave = true
		case is(arg, "ABORT"):
			abort = true
		case is(arg, "FORCE"):
			force = true
		case is(arg, "NOW"): // nobody is waited for as it is
		default:
			return Reply{}, errSyntax
		}
	}
	switch {
	case save && noSave, abort && len(args) > 2:
		return Reply{}, errSyntax
	case abort:
		return Reply{}, errorf("ERR No shutdown in progress.")
	}
	if err := c.service.Persistence.Failing(); err != nil && !noSave && !force {
		c.service.Log.Error("no shutdown: states would be lost, unless it is NOSAVE or FORCE", "reason", err)
		return Reply{}, errorf("ERR Errors trying to SHUTDOWN. Check logs.")
	}
	c.service.Log.Info("a client asks to shut down", "client", c.Addr)
	choice := SaveIfConfigured
	switch {
	case save:
		choice = SaveNow
	case noSave:
		choice = SaveNothing
	}
	c.service.Shutdown(choice)
	return Reply{Ends: true}, nil
}
