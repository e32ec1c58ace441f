package bench

import (
	"fmt"
	"strconv"
	"time"
)

// A usage is the CPU time that server and load took while the measurement went on.
type usage struct {
	server, load time.Duration
	serverKnown  bool
}

// watch sees the loops through: it notes the CPU at the end of the warmup and at the
// end, and tells each second how it goes.
func (l Load) watch(loops []*loop, begin time.Time, done <-chan struct{}) usage {
	warm := time.After(l.Warmup)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	before := l.usage()
	var calls int64
	for {
		select {
		case <-warm:
			before = l.usage()
		case <-second.C:
			now := total(loops)
			l.progress(time.Since(begin), now-calls)
			calls = now
		case <-done:
			return l.usage().since(before)
		}
	}
}

func (l Load) usage() usage {
	var u usage
	u.load, _ = cpuTime("self")
	if l.PID != 0 {
		server, err := cpuTime(strconv.Itoa(l.PID))
		u.server, u.serverKnown = server, err == nil
	}
	return u
}

func (u usage) since(before usage) usage {
	return usage{u.server - before.server, u.load - before.load, u.serverKnown && before.serverKnown}
}

func total(loops []*loop) (calls int64) {
	for _, p := range loops {
		calls += p.calls.Load()
	}
	return calls
}

func (l Load) progress(passed time.Duration, calls int64) {
	if l.Progress == nil {
		return
	}
	phase := "measuring"
	if passed < l.Warmup {
		phase = "warming up"
	}
	fmt.Fprintf(l.Progress, "%s %s: %s, %d calls in the last second\n",
		l.Workload.Name, phase, passed.Round(time.Second), calls)
}
