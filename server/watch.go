package server

import (
	"time"

	"sluice/commands/config"
)

// strangerFor is how long a client may take to say who it is.
const strangerFor = 10 * time.Second

// trimAfter is how many ticks a connection is quiet before it gives back large buffers.
const trimAfter = 2

// watch looks at all connections once in a while. Its ticks are also the clock that
// connections note times with, which costs them less than asking for the time.
func (s *Server) watch() {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case now := <-tick.C:
			s.ticks.Add(1)
			idle := time.Duration(s.service.Config.Number(config.Timeout)) * time.Second
			write := time.Duration(s.service.Config.Number(config.WriteTimeout)) * time.Second
			s.each(func(c *conn) { s.look(c, now, idle, write) })
		}
	}
}

// look ends a connection that has had its time, and has a quiet one tidy up.
func (s *Server) look(c *conn, now time.Time, idle, write time.Duration) {
	quiet := now.Sub(c.session.LastActive())
	if why := c.overdue(quiet, idle, write); why != "" {
		s.log.Info("closing a client", "client", c.session.Addr, "why", why)
		c.cut()
		return
	}
	if c.large.Load() && c.doing.Load() == reading && quiet > trimAfter*s.every {
		c.wake()
	}
}

// overdue says why a connection is to be closed, or "". A client is idle while no
// command of it is complete, however many bytes it sends.
func (c *conn) overdue(quiet, idle, write time.Duration) string {
	doing, pushing := c.doing.Load(), c.inbox.began.Load()
	switch {
	case pushing > 0 && c.server.since(pushing) > write, doing > 0 && c.server.since(doing) > write:
		return "does not read its replies"
	case doing == running || doing == resting:
		return ""
	case doing == reading && idle > 0 && quiet > idle && !c.session.Listening():
		return "idle"
	}
	if tick := c.stranger.Load(); tick > 0 && c.server.since(tick) > strangerFor {
		return "does not authenticate"
	}
	return ""
}

// since is the time since a tick of the watch, to the precision of its ticks.
func (s *Server) since(tick int64) time.Duration {
	return time.Duration(s.ticks.Load()-tick) * s.every
}

// noteStranger keeps the time since which the client has not said who it is.
func (c *conn) noteStranger() {
	if known := c.session.Authenticated(); known == (c.stranger.Load() > 0) {
		if known {
			c.stranger.Store(0)
		} else {
			c.stranger.Store(c.server.ticks.Load())
		}
	}
}
