package bench

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Run makes the load and measures it. It ends early, with an error, when ctx does or
// a connection breaks.
func Run(ctx context.Context, l Load) (Result, error) {
	if err := l.Validate(); err != nil {
		return Result{}, err
	}
	control, err := dial(l.Addr, l.Password, l.TLS)
	if err != nil {
		return Result{}, err
	}
	defer control.Close()
	template, err := l.prepare(control)
	if err != nil {
		return Result{}, err
	}
	if l.PID == 0 {
		l.PID = serverPID(control)
	}
	loops, err := l.loops(template)
	defer closeAll(loops)
	if err != nil {
		return Result{}, err
	}
	measured, err := l.drive(ctx, loops)
	if err != nil {
		return Result{}, err
	}
	return l.result(loops, measured), nil
}

// serverPID is the process that a server says it is, 0 where it does not say or is
// not on this machine.
func serverPID(c *client) int {
	reply, err := c.ask("INFO", "server")
	info, ok := reply.(string)
	if err != nil || !ok || !local(c) {
		return 0
	}
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(line, "process_id:"); ok {
			pid, _ := strconv.Atoi(strings.TrimSpace(text))
			return pid
		}
	}
	return 0
}

// local says whether both ends of a connection have one address, or it is a unix
// socket.
func local(c *client) bool {
	here, there := c.LocalAddr(), c.RemoteAddr()
	if here.Network() == "unix" {
		return true
	}
	host := func(addr string) string { return addr[:strings.LastIndexByte(addr, ':')] }
	return host(here.String()) == host(there.String())
}

// loops connects, and shares the connections out among the threads.
func (l Load) loops(template Template) ([]*loop, error) {
	var loops []*loop
	for i := range l.Threads {
		p, err := newLoop(l, i)
		if err != nil {
			return loops, err
		}
		loops = append(loops, p)
		for range (l.Connections + i) / l.Threads {
			if err := p.connect(l, template); err != nil {
				return loops, err
			}
		}
	}
	return loops, nil
}

func closeAll(loops []*loop) {
	for _, p := range loops {
		p.close()
	}
}

// drive runs the loops, and meanwhile notes the CPU that the measured time took.
func (l Load) drive(ctx context.Context, loops []*loop) (usage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := time.Now()
	var running sync.WaitGroup
	for _, p := range loops {
		running.Go(func() {
			if err := p.run(ctx, begin); err != nil {
				cancel(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	used := l.watch(loops, begin, done)
	return used, context.Cause(ctx)
}

// result puts together what the loops counted.
func (l Load) result(loops []*loop, used usage) Result {
	r := Result{Workload: l.Workload.Name, Command: l.Workload.Command, Addr: l.Addr, Connections: l.Connections,
		Depth: l.Depth, Keys: l.Keys, Spread: l.Spread, Rate: l.Rate, TLS: l.TLS != nil, ServerPID: l.PID, ErrorTexts: map[string]int64{}}
	latencies := newHistogram()
	var last time.Duration
	for _, p := range loops {
		latencies.Merge(p.latencies)
		r.Missed += p.missed
		last = max(last, time.Duration(p.last))
		for _, c := range p.conns {
			r.Errors += c.replies.Errors
			for text, n := range c.replies.Texts {
				r.ErrorTexts[text] += n
			}
		}
	}
	r.Calls = latencies.TotalCount()
	r.Seconds = max(0, (last - l.Warmup).Seconds())
	r.Latency = summarize(latencies)
	if r.Calls == 0 {
		return r
	}
	r.PerSec = float64(r.Calls) / r.Seconds
	r.LoadCPU = micros(used.load.Nanoseconds()) / float64(r.Calls)
	if used.serverKnown {
		cpu := micros(used.server.Nanoseconds()) / float64(r.Calls)
		r.ServerCPU = &cpu
	}
	return r
}
