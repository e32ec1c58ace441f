package commands

// There is one server: no replicas, no modules, no functions. What is here tells
// clients so in the form in which they ask.

func role(*Session, [][]byte) (Reply, error) {
	return array(bulk("master"), integer(0), array()), nil
}

// wait answers WAIT: no replica has got the writes, and none will.
func wait(_ *Session, args [][]byte) (Reply, error) {
	if _, err := parseInt(args[1]); err != nil {
		return Reply{}, err
	}
	timeout, err := parseInt(args[2])
	if err != nil {
		return Reply{}, errorf("ERR timeout is not an integer or out of range")
	}
	if timeout < 0 {
		return Reply{}, errorf("ERR timeout is negative")
	}
	return integer(0), nil
}

func moduleList(*Session, [][]byte) (Reply, error) { return array(), nil }

func aclWhoAmI(*Session, [][]byte) (Reply, error) { return bulk(defaultUser), nil }

// functionFlush answers FUNCTION FLUSH, which the test runner of Redis sends.
func functionFlush(_ *Session, args [][]byte) (Reply, error) {
	if len(args) > 3 || len(args) == 3 && !is(args[2], "ASYNC") && !is(args[2], "SYNC") {
		return Reply{}, errorf("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	}
	return OK, nil
}

// inCluster answers READONLY, READWRITE and ASKING: this node has all the slots.
func inCluster(c *Session, _ [][]byte) (Reply, error) {
	if !c.service.cluster {
		return Reply{}, errClusterDisabled
	}
	return OK, nil
}
