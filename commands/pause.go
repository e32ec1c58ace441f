package commands

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// What a pause holds up.
const (
	pauseNothing = iota
	pauseWrites
	pauseAll
)

// A pause holds up clients until it is over (CLIENT PAUSE). What operators do goes
// on, unlike in Redis: whoever paused can undo it.
type pause struct {
	level   atomic.Int32 // all that a command costs without a pause
	waiting atomic.Int32 // clients that wait

	mu    sync.Mutex
	until time.Time
	timer *time.Timer
	over  chan struct{} // closed at the end
}

func clientPause(c *Session, args [][]byte) (Reply, error) {
	ms, err := parseInt(args[2])
	if err != nil {
		return Reply{}, errorf("ERR timeout is not an integer or out of range")
	}
	level := int32(pauseAll)
	switch {
	case ms < 0:
		return Reply{}, errorf("ERR timeout is negative")
	case len(args) == 4 && is(args[3], "WRITE"):
		level = pauseWrites
	case len(args) == 4 && !is(args[3], "ALL"):
		return Reply{}, errorf("ERR CLIENT PAUSE mode must be WRITE or ALL")
	case len(args) > 4:
		return Reply{}, errSyntax
	}
	c.service.pause.begin(time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond)))*time.Millisecond, level)
	return OK, nil
}

func clientUnpause(c *Session, _ [][]byte) (Reply, error) {
	c.service.pause.end(true)
	return OK, nil
}

// begin pauses. If there is a pause already the longer and the stricter of the two
// hold, as in Redis.
func (p *pause) begin(length time.Duration, level int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.over == nil {
		p.over, p.until = make(chan struct{}), now
	}
	if until := now.Add(length); until.After(p.until) {
		p.until = until
	}
	p.level.Store(max(level, p.level.Load()))
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(p.until.Sub(now), func() { p.end(false) })
}

// end ends the pause, if its time is up or in any case.
func (p *pause) end(early bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == nil || !early && time.Now().Before(p.until) {
		return
	}
	p.timer.Stop()
	close(p.over)
	p.over, p.timer = nil, nil
	p.level.Store(pauseNothing)
}

// ended is closed when the pause ends, nil if there is none.
func (p *pause) ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// holdOn waits while a command is held up. It says false if the connection is to
// end instead.
func (c *Session) holdOn(cmd *Command) bool {
	p := &c.service.pause
	for c.heldUp(cmd) {
		over := p.ended()
		if over == nil {
			return true
		}
		p.waiting.Add(1)
		c.resting.Store(true)
		on := c.peer.Rest(over)
		c.resting.Store(false)
		p.waiting.Add(-1)
		if !on {
			return false
		}
	}
	return true
}

func (c *Session) heldUp(cmd *Command) bool {
	switch c.service.pause.level.Load() {
	case pauseAll:
		return cmd.Flags&Admin == 0 && !c.monitoring.Load()
	case pauseWrites:
		return c.changes(cmd)
	}
	return false
}

// changes says whether a command may change something that others see.
func (c *Session) changes(cmd *Command) bool {
	switch cmd.Name {
	case "PUBLISH", "SPUBLISH":
		return true
	case "EXEC":
		for _, q := range c.queuedCommands() {
			if c.changes(q.command) {
				return true
			}
		}
	}
	return cmd.Flags&Write != 0
}

func (c *Session) queuedCommands() []queuedCommand {
	if c.tx == nil {
		return nil
	}
	return c.tx.queued
}
