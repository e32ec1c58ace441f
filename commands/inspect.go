package commands

import (
	"time"

	"sluice/engine"
)

// rlInspect answers RL.INSPECT key: a map of the state in words, null for a key
// that does not exist. What reads _ms is in milliseconds.
func rlInspect(c *Session, args [][]byte) (Reply, error) {
	state, err := c.store.Get(c.ctx, c.key(args[1]))
	if err != nil {
		return Reply{}, err
	}
	if state.Kind == 0 {
		return null(), nil
	}
	now := c.store.Now()
	reply := mapOf(
		bulk("type"), bulk(state.Kind.String()),
		bulk("reset_after_ms"), integer(ceilDiv(int64(state.Deadline-now), int64(time.Millisecond))),
	)
	for _, f := range engine.Describe(state, now) {
		value := integer(f.Number)
		if f.Text != "" {
			value = bulk(f.Text)
		}
		reply.Items = append(reply.Items, bulk(f.Name), value)
	}
	return reply, nil
}
