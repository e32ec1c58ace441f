package commands

import (
	"strconv"
	"time"
)

// serverTime is the time that limits are judged by: seconds, and microseconds.
func serverTime(c *Session, _ [][]byte) (Reply, error) {
	now := int64(c.store.Now())
	return bulks([]string{
		strconv.FormatInt(now/int64(time.Second), 10),
		strconv.FormatInt(now%int64(time.Second)/int64(time.Microsecond), 10),
	}), nil
}
