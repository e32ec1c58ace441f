package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// peer is the target that all others are compared with: the least that Redis does
// for a call that changes a key.
const peer = "Redis INCR"

// script is how a workload is called that is a script in Redis.
func script(workload string) string { return "Redis Lua " + strings.TrimPrefix(workload, "lua-") }

// verb is the command that a workload calls.
func (w Workload) verb() string {
	verb, _, _ := strings.Cut(w.Command, " ")
	switch w.Name {
	case "all-of-three":
		verb += " of three"
	case "lease-held":
		verb += " again"
	}
	return verb
}

// all is every command and every peer.
func (p Plan) all(servers Servers) []Target {
	targets := []Target{{peer, p.load("incr"), servers["redis"]}}
	for _, w := range Workloads() {
		switch {
		case w.Script != "":
			targets = append(targets, Target{script(w.Name), p.load(w.Name), servers["redis"]})
		case w.Name != "incr":
			targets = append(targets, Target{ours + w.verb(), p.load(w.Name), servers["sluice"]})
		}
	}
	if p.RedisCell != "" {
		targets = append(targets, Target{"redis-cell CL.THROTTLE", p.load("gcra"), servers.withModule(p.RedisCell)})
	}
	return targets
}

// withModule is a Redis that loads a module.
func (s Servers) withModule(file string) string {
	return fmt.Sprintf("%s --loadmodule %q", s["redis"], file)
}

// few is what a user would choose between, with the peer.
func (p Plan) few(servers Servers) []Target {
	return []Target{
		{peer, p.load("incr"), servers["redis"]},
		{ours + "CL.THROTTLE", p.load("gcra"), servers["sluice"]},
		{ours + "TB.TAKE", p.load("token-bucket"), servers["sluice"]},
		{script("lua-gcra"), p.load("lua-gcra"), servers["redis"]},
	}
}

// durable is a counter in Redis and a limiter in Sluice, each with every promise of
// what survives. It is nothing while this server has no log.
func (p Plan) durable(h help) []Target {
	if !h.has("--appendfsync") {
		return nil
	}
	var targets []Target
	for _, f := range fsyncs {
		targets = append(targets, Target{"Redis INCR, " + f.name, p.load("incr"), redis(f)})
	}
	for _, f := range fsyncs {
		targets = append(targets, Target{ours + "CL.THROTTLE, " + f.name, p.load("gcra"), h.sluice(f)})
	}
	return targets
}

// secure is a limiter in Sluice and a counter in Redis, each without TLS and with it;
// Redis only where it was built to speak it.
func (p Plan) secure(ctx context.Context, servers Servers) []Target {
	targets := []Target{
		{ours + "CL.THROTTLE", p.load("gcra"), servers["sluice"]},
		{ours + "CL.THROTTLE, TLS", p.load("gcra"), servers["sluice-tls"]},
	}
	s, err := StartServer(ctx, servers["redis-tls"])
	if err != nil {
		return targets
	}
	_ = s.Stop()
	return append(targets,
		Target{peer, p.load("incr"), servers["redis"]},
		Target{peer + ", TLS", p.load("incr"), servers["redis-tls"]})
}

// scaling is a limiter on one core and on two, which the load shares with it, and with
// all calls for one key. It is nothing where there is one core.
func (p Plan) scaling(servers Servers) []Target {
	if runtime.NumCPU() < 2 {
		return nil
	}
	row := func(name string, cores int, options string, spread Spread) Target {
		load := p.load("gcra")
		load.Cores, load.Spread = cores, spread
		return Target{ours + "CL.THROTTLE, " + name, load, fmt.Sprintf("taskset -c 0-%d %s%s", cores-1, servers["sluice"], options)}
	}
	return []Target{
		row("one core", 1, "", Uniform),
		row("two cores", 2, "", Uniform),
		row("two cores, two loops", 2, " --io-threads 2", Uniform),
		row("two cores, one key for all", 2, "", One),
	}
}

// sized is what is filled with many keys. Scripts that take minutes for that are
// left to unsized.
func (p Plan) sized(servers Servers) []Target {
	return []Target{
		{peer, p.load("incr"), servers["redis"]},
		{script("lua-fixed-window"), p.load("lua-fixed-window"), servers["redis"]},
		{ours + "CL.THROTTLE", p.load("gcra"), servers["sluice"]},
		{ours + "SW.HIT", p.load("sliding-window"), servers["sluice"]},
	}
}

// unsized is all the others, which are filled with few keys only.
func (p Plan) unsized(servers Servers) []Target {
	sized := p.sized(servers)
	return slices.DeleteFunc(p.all(servers), func(t Target) bool {
		return slices.ContainsFunc(sized, func(s Target) bool { return s.Name == t.Name })
	})
}
