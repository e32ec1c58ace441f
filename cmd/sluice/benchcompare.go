package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"sluice/cmd/internal/bench"
)

const compareUsage = `bench compare [OPTION]... TARGET...

Measures targets in turn and prints medians, and ratios to the first. A target is
[name=]workload@server, as in incr@redis, gcra@sluice or mine=gcra@127.0.0.1:6390:
a workload of sluice bench (command for that of --command), and an address or a
server to start: sluice, redis, these with -tls behind the name, or one of --start.
Servers that are started are filled with all keys, and ended.`

// benchCompare measures several targets in turn.
func benchCompare(args []string, stdout, stderr io.Writer) int {
	flags, f := benchFlags(stderr)
	servers, err := bench.KnownServers()
	if err != nil {
		return failed(stderr, err, exitError)
	}
	rounds := flags.Int("rounds", 3, "how often each target is measured, at least 3")
	flags.Func("start", "`name=command` to start a server that targets can name, with {port} and {dir} in it, and\n"+
		"{cert}, {key} and {ca}, which are made, if it speaks TLS,\n"+
		"such as 'cell=redis-server --port {port} --save \"\" --loadmodule ./libredis_cell.so'", func(text string) error {
		name, line, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("it is not of the form name=command")
		}
		servers[name] = line
		return nil
	})
	if code, ok := parse(flags, args, compareUsage, stdout); !ok {
		return code
	}
	targets, err := f.targets(flags.Args(), servers)
	if err == nil && *rounds < 3 {
		err = errors.New("fewer than 3 rounds say nothing of the spread")
	}
	if err != nil {
		return failed(stderr, err, exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	comparison, err := bench.Compare(ctx, targets, *rounds, stderr)
	if err != nil {
		return failed(stderr, err, exitError)
	}
	if err := show(stdout, comparison, f.json); err != nil {
		return failed(stderr, err, exitError)
	}
	return withErrors(comparison.Errors())
}

func (f *shared) targets(texts []string, servers bench.Servers) ([]bench.Target, error) {
	if len(texts) == 0 {
		return nil, errors.New("no target to measure; sluice bench compare --help tells what one is")
	}
	common, err := f.finish("gcra")
	if err != nil {
		return nil, err
	}
	var targets []bench.Target
	for _, text := range texts {
		t, err := bench.ParseTarget(text, common, servers)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}
