package commands

import (
	"fmt"
	"sync"
	"time"

	"sluice/commands/config"
)

// A slowlog keeps the commands that took long, the newest first in what it tells.
type slowlog struct {
	mu     sync.Mutex
	lastID int64
	kept   []slowCommand // the oldest first
}

type slowCommand struct {
	id   int64
	at   time.Time
	took time.Duration
	args []string
	addr string
	name string
}

// Bounds of what an entry keeps, as in Redis.
const (
	slowArguments = 32
	slowBytes     = 128
)

// observe notes how long a command took. Fast commands are timed one by one only
// if the config asks for what is that short: see precise.
func (c *Session) observe(cmd *Command, args [][]byte, began time.Time) {
	took := time.Since(began)
	cfg := c.service.Config
	if limit := cfg.Number(config.SlowlogSlowerThan); limit >= 0 && took >= time.Duration(limit)*time.Microsecond {
		c.mu.Lock()
		name := c.name
		c.mu.Unlock()
		entry := slowCommand{at: began, took: took, args: shorten(redact(cmd, args)), addr: c.Addr, name: name}
		c.service.slowlog.add(entry, int(cfg.Number(config.SlowlogMaxLen)))
	}
	if limit := cfg.Number(config.LatencyThreshold); limit > 0 && took >= time.Duration(limit)*time.Millisecond {
		c.service.latency.add(latencyEvent(cmd), began, took)
	}
}

// precise says whether fast commands, too, are to be timed one by one.
func (s *Service) precise() bool {
	limit := s.Config.Number(config.SlowlogSlowerThan)
	return 0 <= limit && limit < 1000
}

func (l *slowlog) add(entry slowCommand, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry.id = l.lastID
	l.lastID++
	l.kept = append(l.kept, entry)
	if over := len(l.kept) - most; over > 0 {
		l.kept = append([]slowCommand(nil), l.kept[over:]...)
	}
}

// shorten is the arguments as an entry keeps them.
func shorten(args [][]byte) []string {
	short := make([]string, 0, min(len(args), slowArguments))
	for i, arg := range args {
		if i == slowArguments-1 && len(args) > slowArguments {
			short = append(short, fmt.Sprintf("... (%d more arguments)", len(args)-i))
			break
		}
		if over := len(arg) - slowBytes; over > 0 {
			short = append(short, fmt.Sprintf("%s... (%d more bytes)", arg[:slowBytes], over))
			continue
		}
		short = append(short, string(arg))
	}
	return short
}

func slowlogCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: ServerSide, Since: "0.1.0",
			Arity: arity, Flags: Admin | Loading | Stale, Run: f,
		}
	}
	return []*Command{
		sub("GET", "[count]", "Shows the newest entries, 10 of them or so many, all for -1.", -2, slowlogGet),
		sub("LEN", "", "Counts the entries.", 2, slowlogLen),
		sub("RESET", "", "Forgets the entries.", 2, slowlogReset),
		helpRow(ServerSide),
	}
}

func slowlogGet(c *Session, args [][]byte) (Reply, error) {
	count := int64(10)
	switch len(args) {
	case 2:
	case 3:
		var err error
		if count, err = parseInt(args[2]); err != nil || count < -1 {
			return Reply{}, errorf("ERR count should be greater than or equal to -1")
		}
	default:
		return Reply{}, errorf("ERR wrong number of arguments for 'slowlog|get' command")
	}
	l := &c.service.slowlog
	l.mu.Lock()
	defer l.mu.Unlock()
	reply := array()
	for i := len(l.kept) - 1; i >= 0 && (count < 0 || int64(len(reply.Items)) < count); i-- {
		e := l.kept[i]
		reply.Items = append(reply.Items, array(
			integer(e.id), integer(e.at.Unix()), integer(e.took.Microseconds()), bulks(e.args), bulk(e.addr), bulk(e.name)))
	}
	return reply, nil
}

func slowlogLen(c *Session, _ [][]byte) (Reply, error) {
	l := &c.service.slowlog
	l.mu.Lock()
	defer l.mu.Unlock()
	return integer(int64(len(l.kept))), nil
}

func slowlogReset(c *Session, _ [][]byte) (Reply, error) {
	l := &c.service.slowlog
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = nil
	return OK, nil
}
