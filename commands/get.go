package commands

// get answers GET: nothing here is a string, so it is null or the wrong type.
// Clients ask it of keys of their own (a lock, a version) and must hear that there
// are none.
func get(c *Session, args [][]byte) (Reply, error) {
	state, err := c.store.Get(c.ctx, c.key(args[1]))
	if err != nil {
		return Reply{}, err
	}
	if state.Kind != 0 {
		return Reply{}, errWrongType
	}
	return null(), nil
}
