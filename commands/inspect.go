package commands

import (
	"time"

	"sluice/engine"
)

// rlInspect answers RL.INSPECT key: a map of the state in words, null for a key
// that does not exist. What reads _ms is in milliseconds.
func rlInspect(c *Session, args [][]byte) (Reply, error) {
	key := c.key(args[1])
	var state engine.State
	var now engine.Instant
	var fields []engine.Field
	var err error
	// What a sliding log counts may be read only while nobody writes.
	c.exclusively([]engine.Key{key}, func() {
		if state, err = c.store.Get(c.ctx, key); err == nil && state.Kind != 0 {
			now = c.store.Now()
			fields = engine.Describe(state, now)
		}
	})
	if err != nil {
		return Reply{}, err
	}
	if state.Kind == 0 {
		return null(), nil
	}
	reply := mapOf(
		bulk("type"), bulk(state.Kind.String()),
		bulk("reset_after_ms"), integer(ceilDiv(int64(state.Deadline-now), int64(time.Millisecond))),
	)
	for _, f := range fields {
		value := integer(f.Number)
		if f.Text != "" {
			value = bulk(f.Text)
		}
		reply.Items = append(reply.Items, bulk(f.Name), value)
	}
	return reply, nil
}
