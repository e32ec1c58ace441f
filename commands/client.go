package commands

func clientID(c *Session, _ [][]byte) (Reply, error) { return integer(c.ID), nil }

func clientSetName(c *Session, args [][]byte) (Reply, error) {
	if err := checkLabel("Client names", args[2]); err != nil {
		return Reply{}, err
	}
	c.setName(args[2])
	return OK, nil
}

func (c *Session) setName(name []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name = string(name)
}

func clientGetName(c *Session, _ [][]byte) (Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.name == "" {
		return null(), nil
	}
	return bulk(c.name), nil
}

func clientSetInfo(c *Session, args [][]byte) (Reply, error) {
	var field *string
	var what string
	switch {
	case is(args[2], "LIB-NAME"):
		field, what = &c.libName, "lib-name"
	case is(args[2], "LIB-VER"):
		field, what = &c.libVer, "lib-ver"
	default:
		return Reply{}, errorf("ERR Unrecognized option '%.128s'", printable(args[2]))
	}
	if err := checkLabel(what, args[3]); err != nil {
		return Reply{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*field = string(args[3])
	return OK, nil
}

// clientNoEvict and clientNoTouch note what the client wishes: no client is ever
// closed for memory here, and no key is kept longer for being looked at.
func clientNoEvict(c *Session, args [][]byte) (Reply, error) {
	on, err := parseOnOff(args[2])
	if err != nil {
		return Reply{}, err
	}
	c.noEvict.Store(on)
	return OK, nil
}

func clientNoTouch(c *Session, args [][]byte) (Reply, error) {
	on, err := parseOnOff(args[2])
	if err != nil {
		return Reply{}, err
	}
	c.noTouch.Store(on)
	return OK, nil
}

func parseOnOff(arg []byte) (bool, error) {
	switch {
	case is(arg, "ON"):
		return true, nil
	case is(arg, "OFF"):
		return false, nil
	}
	return false, errSyntax
}
