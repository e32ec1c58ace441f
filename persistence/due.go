package persistence

import "time"

// need is what the decision whether a snapshot is due looks at.
type need struct {
	rules  []SaveRule
	growth Growth

	changes   int64         // since the last snapshot was begun
	sinceSave time.Duration // since then

	logBytes  int64 // of the logs behind the last snapshot
	baseBytes int64 // of the last snapshot

	failures int           // in a row, of the last attempts
	sinceTry time.Duration // since the last attempt ended
}

const (
	retryAfter   = 5 * time.Second // the first failure; doubled by each that follows
	retryAtLeast = 5 * time.Minute // often
)

// due says why a snapshot should be written now, "" if none should. After a failed
// one it waits: a full disk does not become less full by trying all the time.
func due(n need) string {
	if n.failures > 0 && n.sinceTry < retryDelay(n.failures) {
		return ""
	}
	for _, r := range n.rules {
		if n.changes > 0 && n.changes >= r.Changes && n.sinceSave >= r.After {
			return "changes"
		}
	}
	if n.growth.Percentage > 0 && n.logBytes >= n.growth.MinBytes && n.logBytes > 0 &&
		float64(n.logBytes)*100 >= float64(n.baseBytes)*float64(n.growth.Percentage) {
		return "growth"
	}
	return ""
}

func retryDelay(failures int) time.Duration {
	return min(retryAfter<<min(failures-1, 10), retryAtLeast)
}
