package commands

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A latencyMonitor keeps the spikes of each event, as Redis's latency monitor.
type latencyMonitor struct {
	mu     sync.Mutex
	events map[string]*latencySeries
}

// A latencySeries is the latest spikes of an event, one a second, the oldest first.
type latencySeries struct {
	spikes []latencySpike
	worst  time.Duration
}

type latencySpike struct {
	second int64
	took   time.Duration
}

// latencySpikes is how many spikes of an event are kept.
const latencySpikes = 160

// latencyEvent is the name of the event that a slow command is.
func latencyEvent(cmd *Command) string {
	if cmd.Flags&Fast != 0 {
		return "fast-command"
	}
	return "command"
}

func (m *latencyMonitor) add(event string, at time.Time, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.events == nil {
		m.events = map[string]*latencySeries{}
	}
	s := m.events[event]
	if s == nil {
		s = &latencySeries{}
		m.events[event] = s
	}
	s.worst = max(s.worst, took)
	if n := len(s.spikes); n > 0 && s.spikes[n-1].second == at.Unix() {
		s.spikes[n-1].took = max(s.spikes[n-1].took, took)
		return
	}
	s.spikes = append(s.spikes, latencySpike{at.Unix(), took})
	if over := len(s.spikes) - latencySpikes; over > 0 {
		s.spikes = slices.Delete(s.spikes, 0, over)
	}
}

func latencyCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: ServerSide, Since: "0.1.0",
			Arity: arity, Flags: Admin | NoScript | Loading | Stale, Run: f,
		}
	}
	return []*Command{
		sub("LATEST", "", "Shows the latest and the worst spike of each event.", 2, latencyLatest),
		sub("HISTORY", "event", "Shows the spikes of an event.", 3, latencyHistory),
		sub("RESET", "[event ...]", "Forgets the spikes of events, of all if none is named.", -2, latencyReset),
		sub("DOCTOR", "", "Says in words what the spikes are.", 2, latencyDoctor),
		sub("HISTOGRAM", "[command ...]", "Shows how long calls took, counted by powers of two.", -2, latencyHistogram),
		helpRow(ServerSide),
	}
}

// each calls f with the events in the order of their names.
func (m *latencyMonitor) each(f func(event string, s *latencySeries)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, event := range slices.Sorted(maps.Keys(m.events)) {
		f(event, m.events[event])
	}
}

func latencyLatest(c *Session, _ [][]byte) (Reply, error) {
	reply := array()
	c.service.latency.each(func(event string, s *latencySeries) {
		last := s.spikes[len(s.spikes)-1]
		reply.Items = append(reply.Items, array(
			bulk(event), integer(last.second), integer(last.took.Milliseconds()), integer(s.worst.Milliseconds())))
	})
	return reply, nil
}

func latencyHistory(c *Session, args [][]byte) (Reply, error) {
	reply := array()
	c.service.latency.each(func(event string, s *latencySeries) {
		if !strings.EqualFold(event, string(args[2])) {
			return
		}
		for _, spike := range s.spikes {
			reply.Items = append(reply.Items, array(integer(spike.second), integer(spike.took.Milliseconds())))
		}
	})
	return reply, nil
}

func latencyReset(c *Session, args [][]byte) (Reply, error) {
	m := &c.service.latency
	m.mu.Lock()
	defer m.mu.Unlock()
	had := len(m.events)
	if len(args) == 2 {
		m.events = nil
	}
	for _, event := range args[2:] {
		delete(m.events, strings.ToLower(string(event)))
	}
	return integer(int64(had - len(m.events))), nil
}

func latencyDoctor(c *Session, _ [][]byte) (Reply, error) {
	var b strings.Builder
	c.service.latency.each(func(event string, s *latencySeries) {
		last := s.spikes[len(s.spikes)-1]
		fmt.Fprintf(&b, "%s: %d spikes, the worst of %d ms, the latest of %d ms at %s.\n", event, len(s.spikes),
			s.worst.Milliseconds(), last.took.Milliseconds(), time.Unix(last.second, 0).UTC().Format(time.RFC3339))
	})
	if b.Len() == 0 {
		return bulk("No spikes were seen. (CONFIG SET latency-monitor-threshold <milliseconds> has them kept.)\n"), nil
	}
	return bulk(b.String()), nil
}

// A histogram counts calls by how long they took: bucket n those of less than 2^n
// microseconds that are in no bucket before.
type histogram [32]atomic.Int64

func (h *histogram) add(each time.Duration, calls int64) {
	h[min(bits.Len64(uint64(max(0, each.Microseconds()))), len(h)-1)].Add(calls)
}

// percentile is the microseconds under which so many of a thousand calls stayed.
func (h *histogram) percentile(thousandths int64) int64 {
	total := int64(0)
	for n := range h {
		total += h[n].Load()
	}
	seen := int64(0)
	for n := range h {
		if seen += h[n].Load(); seen*1000 >= total*thousandths {
			return 1 << n
		}
	}
	return 0
}

func latencyHistogram(c *Session, args [][]byte) (Reply, error) {
	reply := mapOf()
	c.service.Table.each(func(cmd *Command) {
		wanted := len(args) == 2 || slices.ContainsFunc(args[2:], func(name []byte) bool {
			return c.service.Table.LookupFull(name) == cmd
		})
		if calls := cmd.stats.calls.Load(); wanted && calls > 0 {
			reply.Items = append(reply.Items, bulk(cmd.FullName()), mapOf(
				bulk("calls"), integer(calls), bulk("histogram_usec"), cmd.stats.latency.reply()))
		}
	})
	return reply, nil
}

// reply is the buckets that have calls, each with those of the buckets before.
func (h *histogram) reply() Reply {
	reply := mapOf()
	seen := int64(0)
	for n := range h {
		if calls := h[n].Load(); calls > 0 {
			seen += calls
			reply.Items = append(reply.Items, integer(1<<n), integer(seen))
		}
	}
	return reply
}
