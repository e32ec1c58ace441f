package bench

import (
	"context"
	"fmt"
	"strings"
)

// A Target is one of several servers or workloads that are compared.
type Target struct {
	Name string
	Load Load
	// Start is the command line of the server, "" for one that runs at Load.Addr. A
	// target has a server of its own: what one target leaves in memory is not in the
	// way of another.
	Start string
}

// ParseTarget reads [name=]workload@server, the server an address or the name of one
// that can be started. The rest of the load is common to all targets.
func ParseTarget(text string, common Load, servers Servers) (Target, error) {
	name, rest, named := strings.Cut(text, "=")
	if !named {
		name, rest = text, text
	}
	workload, server, ok := strings.Cut(rest, "@")
	if !ok || name == "" || workload == "" || server == "" {
		return Target{}, fmt.Errorf("target %q is not of the form [name=]workload@server", text)
	}
	t := Target{Name: name, Load: common}
	var err error
	if workload == "command" && common.Workload.Name == "command" {
		t.Load.Workload = common.Workload
	} else if t.Load.Workload, err = Find(workload); err != nil {
		return t, err
	}
	t.Start = servers[server]
	if t.Start != "" {
		return t, nil
	}
	if !strings.ContainsAny(server, ":/") {
		return t, fmt.Errorf("target %q: %q is neither an address nor a server that --start tells how to start", text, server)
	}
	t.Load.Addr = server
	return t, nil
}

// start starts the servers that are to be started. What it returns ends them.
func start(ctx context.Context, targets []Target) (stop func(), err error) {
	var servers []*Server
	stop = func() {
		for _, s := range servers {
			_ = s.Stop()
		}
	}
	for i := range targets {
		t := &targets[i]
		if t.Start == "" {
			continue
		}
		s, err := StartServer(ctx, t.Start)
		if err != nil {
			stop()
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		servers = append(servers, s)
		t.Load.Addr, t.Load.PID, t.Load.TLS = s.Addr, s.PID, s.TLS
	}
	return stop, nil
}
