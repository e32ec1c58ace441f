package commands

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"sluice/commands/config"
)

// monitors is the sessions that hear of every command.
type monitors struct {
	any atomic.Bool // whether there are some: all that a command costs without
	mu  sync.Mutex
	all map[*Session]struct{}
}

// monitor answers MONITOR: from now on the client hears of every command that
// anybody runs.
func monitor(c *Session, _ [][]byte) (Reply, error) {
	m := &c.service.monitors
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[*Session]struct{}{}
	}
	m.all[c] = struct{}{}
	m.any.Store(true)
	c.monitoring.Store(true)
	return OK, nil
}

func (m *monitors) forget(c *Session) {
	if !c.monitoring.Load() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, c)
	m.any.Store(len(m.all) > 0)
	c.monitoring.Store(false)
}

// show tells the monitors of a command that a session has run. What operators do
// is not shown, as in Redis: it is full of secrets.
func (m *monitors) show(c *Session, cmd *Command, args [][]byte) {
	if cmd.Flags&Admin != 0 {
		return
	}
	line := simple(c.shown(redact(cmd, args)))
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range m.all {
		other.peer.Push(line)
	}
}

// shown is a command in MONITOR's form: time, database, client, words.
func (c *Session) shown(args [][]byte) string {
	addr := c.Addr
	if c.viaUnixSocket() {
		addr = "unix:" + c.service.Config.String(config.UnixSocket)
	}
	micros := int64(c.service.Store.Now()) / 1000
	b := fmt.Appendf(nil, "%d.%06d [%d %s]", micros/1_000_000, micros%1_000_000, c.db.Load(), addr)
	for _, arg := range args {
		b = appendQuoted(append(b, ' '), arg)
	}
	return string(b)
}

// appendQuoted quotes bytes as Redis's sdscatrepr does.
func appendQuoted(b, arg []byte) []byte {
	const escaped, letters = "\\\"\n\r\t\a\b", "\\\"nrtab"
	b = append(b, '"')
	for _, c := range arg {
		i := strings.IndexByte(escaped, c)
		switch {
		case i >= 0:
			b = append(b, '\\', letters[i])
		case ' ' <= c && c <= '~':
			b = append(b, c)
		default:
			b = append(b, '\\', 'x')
			if c < 0x10 {
				b = append(b, '0')
			}
			b = strconv.AppendUint(b, uint64(c), 16)
		}
	}
	return append(b, '"')
}

// errMonitoring: a monitor waits for nobody, so it must not hold up a pause.
const errMonitoring Error = "ERR Replica can't interact with the keyspace"
