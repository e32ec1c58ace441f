package commands

import (
	"fmt"
	"strings"
	"time"
)

func clientInfo(c *Session, _ [][]byte) (Reply, error) {
	c.Settle()
	return bulk(c.line(time.Now()) + "\n"), nil
}

func clientList(c *Session, args [][]byte) (Reply, error) {
	f, err := parseClientList(args[2:])
	if err != nil {
		return Reply{}, err
	}
	c.Settle()
	var b strings.Builder
	now := time.Now()
	for _, other := range c.service.Sessions.All() {
		if f.matches(other, now) {
			b.WriteString(other.line(now))
			b.WriteByte('\n')
		}
	}
	return bulk(b.String()), nil
}

func parseClientList(args [][]byte) (f clientFilter, err error) {
	switch {
	case len(args) == 0:
		return f, nil
	case len(args) == 2 && is(args[0], "TYPE"):
		return f, f.addType(args[1])
	case len(args) >= 2 && is(args[0], "ID"):
		f.ids = map[int64]bool{}
		for _, arg := range args[1:] {
			id, err := parseInt(arg)
			if err != nil {
				return f, errorf("ERR Invalid client ID")
			}
			f.ids[id] = true
		}
		return f, nil
	}
	return f, errSyntax
}

// line is a client in Redis's form and order. Redis's fields about its buffers
// and its event loop have no truth here and are left out; the last three are of
// Redis 8. Any goroutine may ask.
func (c *Session) line(now time.Time) string {
	c.mu.Lock()
	name, libName, libVer := c.name, c.libName, c.libVer
	c.mu.Unlock()
	tracks := c.service.tracking.about(c)
	last := "NULL"
	if cmd := c.lastCommand.Load(); cmd != nil {
		last = cmd.FullName()
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s name=%s age=%d idle=%d flags=%s db=%d"+
		" sub=%d psub=%d ssub=%d multi=%d cmd=%s user=%s redir=%d resp=%d lib-name=%s lib-ver=%s"+
		" tot-net-in=%d tot-net-out=%d tot-cmds=%d",
		c.ID, c.Addr, c.Laddr, name, seconds(now.Sub(c.Created)), seconds(now.Sub(c.LastActive())), c.flags(tracks), c.db.Load(),
		c.subs.n[channels].Load(), c.subs.n[patterns].Load(), c.subs.n[shardChannels].Load(), c.queued.Load(), last, defaultUser, tracks.redir, c.proto.Load(), libName, libVer,
		c.input.Load(), c.output.Load(), c.commands.Load())
}

// seconds is whole seconds, none below zero though the wall clock was set back.
func seconds(d time.Duration) int64 { return max(0, int64(d/time.Second)) }

// flags are the letters that Redis gives a client, in its order.
func (c *Session) flags(t trackerView) string {
	flags := ""
	for _, f := range []struct {
		letter string
		on     bool
	}{
		{"O", c.monitoring.Load()},
		{"P", c.subs.all() > 0},
		{"x", c.queued.Load() >= 0},
		{"b", c.resting.Load()},
		{"t", t.on},
		{"R", t.broken},
		{"B", t.bcast},
		{"U", c.viaUnixSocket()},
		{"e", c.noEvict.Load()},
		{"T", c.noTouch.Load()},
	} {
		if f.on {
			flags += f.letter
		}
	}
	if flags == "" {
		return "N"
	}
	return flags
}
