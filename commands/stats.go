package commands

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sluice/engine"
)

// Stats counts what a server has done since it started or since CONFIG RESETSTAT.
type Stats struct {
	Connections atomic.Int64 // accepted
	Rejected    atomic.Int64 // refused by maxclients or protected mode
	Commands    atomic.Int64
	InputBytes  atomic.Int64
	OutputBytes atomic.Int64
	Errors      errorCounts

	rates     rates
	usageBase atomic.Pointer[engine.Usage] // the store's at the last reset, or nil
	decisions [kinds][2]atomic.Int64       // by kind; 0 granted, 1 limited
}

// kinds is one more than the highest engine.Kind a record can hold.
const kinds = 16

// Decisions is how many calls of a kind were granted and how many were limited.
func (s *Stats) Decisions(k engine.Kind) (granted, limited int64) {
	return s.decisions[k][0].Load(), s.decisions[k][1].Load()
}

// commandStats counts the calls of one command.
type commandStats struct {
	calls    atomic.Int64
	nanos    atomic.Int64
	rejected atomic.Int64 // before it ran: arity, authentication, key too long
	failed   atomic.Int64 // answered with an error
	latency  histogram
}

// usage is what the store has done since the last reset.
func (s *Stats) usage(now engine.Usage) engine.Usage {
	if base := s.usageBase.Load(); base != nil {
		now.Expired -= base.Expired
		now.Evicted -= base.Evicted
	}
	return now
}

// reset sets everything back to zero (CONFIG RESETSTAT).
func (s *Stats) reset(t *Table, u engine.Usage) {
	for _, n := range []*atomic.Int64{&s.Connections, &s.Rejected, &s.Commands, &s.InputBytes, &s.OutputBytes} {
		n.Store(0)
	}
	for k := range s.decisions {
		s.decisions[k][0].Store(0)
		s.decisions[k][1].Store(0)
	}
	s.Errors.reset()
	s.rates.reset()
	s.usageBase.Store(&u)
	t.each(func(c *Command) {
		for _, n := range []*atomic.Int64{&c.stats.calls, &c.stats.nanos, &c.stats.rejected, &c.stats.failed} {
			n.Store(0)
		}
		for i := range c.stats.latency {
			c.stats.latency[i].Store(0)
		}
	})
}

// A tally is what a session has done since it last settled, so that the counters
// all sessions share are touched once a batch and not once a command. It times
// commands by their runs: one clock read for a hundred calls of one command. (Those of
// a Batch are timed by that.)
type tally struct {
	command   *Command
	calls     int64
	spent     time.Duration // on calls in batches, which are timed by others
	since     time.Time     // when the others began, zero if there are none
	decisions [kinds][2]int32
	decided   bool
}

// begin notes that a command is about to run.
func (c *Session) begin(cmd *Command) {
	t := &c.tally
	if t.command != cmd || t.since.IsZero() {
		now := time.Now()
		c.settleRun(now)
		t.command, t.since = cmd, now
	}
	t.calls++
}

// ran notes that a command has run in a batch, which began at a time and took so long
// for each.
func (c *Session) ran(cmd *Command, began time.Time, took time.Duration) {
	t := &c.tally
	if t.command != cmd || !t.since.IsZero() {
		c.settleRun(began)
		t.command = cmd
	}
	t.calls++
	t.spent += took
}

func (c *Session) countDecision(k engine.Kind, limited bool) {
	i := 0
	if limited {
		i = 1
	}
	c.tally.decisions[k][i]++
	c.tally.decided = true
}

func (c *Session) settleRun(now time.Time) {
	t := &c.tally
	if t.command == nil {
		return
	}
	took := t.spent
	if !t.since.IsZero() {
		took += now.Sub(t.since)
	}
	t.command.stats.calls.Add(t.calls)
	t.command.stats.nanos.Add(int64(took))
	t.command.stats.latency.add(took/time.Duration(t.calls), t.calls)
	c.service.Stats.Commands.Add(t.calls)
	c.lastCommand.Store(t.command)
	c.commands.Add(t.calls)
	t.command, t.calls, t.spent, t.since = nil, 0, 0, time.Time{}
}

// Settle adds what the session did to the counters that all share.
func (c *Session) Settle() { c.SettleAt(time.Now()) }

// SettleAt is Settle for who knows the time. The server calls it when what has come
// was answered.
func (c *Session) SettleAt(now time.Time) {
	c.settleRun(now)
	c.active.Store(now.UnixNano())
	c.refresh()
	c.service.Stats.rates.note(c.service.Stats, now)
	if !c.tally.decided {
		return
	}
	for k := range c.tally.decisions {
		for i, n := range c.tally.decisions[k] {
			if n > 0 {
				c.service.Stats.decisions[k][i].Add(int64(n))
			}
		}
	}
	c.tally.decisions, c.tally.decided = [kinds][2]int32{}, false
}

// errorCounts counts error replies by their prefix.
type errorCounts struct {
	mu sync.Mutex
	n  map[string]int64
}

// count counts an error. Only our own texts get here, so prefixes are few.
func (e *errorCounts) count(err Error) {
	prefix, _, _ := strings.Cut(string(err), " ")
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n == nil {
		e.n = map[string]int64{}
	}
	e.n[prefix]++
}

// reset forgets the counts.
func (e *errorCounts) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n = nil
}

// all is a copy of the counts.
func (e *errorCounts) all() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.n)
}
