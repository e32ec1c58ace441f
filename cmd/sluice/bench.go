package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"sluice/cmd/internal/bench"
)

const benchUsage = `bench [OPTION]...
       sluice bench compare --help
       sluice bench report --help

Calls a server again and again, and prints how fast it answers.`

// benchmark runs one load, or what the first word asks for.
func benchmark(args, _ []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "compare":
			return benchCompare(args[1:], stdout, stderr)
		case "report":
			return benchReport(args[1:], stdout, stderr)
		}
	}
	flags, f := benchFlags(stderr)
	addr := flags.String("addr", "127.0.0.1:6390", "`address` of the server: host:port, or the path of a unix socket")
	flags.StringVar(&f.workload, "workload", "gcra", "what is called, by `name`:"+workloadNames())
	flags.StringVar(&f.workload, "algorithm", "gcra", "the same as --workload")
	flags.IntVar(&f.load.PID, "pid", 0, "`process` whose CPU is measured; by default the one that the server says it is")
	fill := flags.Bool("fill", false, "call with every key once before the measurement")
	if code, ok := parse(flags, args, benchUsage, stdout); !ok {
		return code
	}
	if flags.NArg() > 0 {
		return failed(stderr, fmt.Errorf("%q is not an option", flags.Arg(0)), exitUsage)
	}
	load, err := f.finish(f.workload)
	if err != nil {
		return failed(stderr, err, exitUsage)
	}
	load.Addr = *addr
	if err := load.Validate(); err != nil {
		return failed(stderr, err, exitUsage)
	}
	load.Progress = f.progress(stderr, load.Warmup+load.Duration)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *fill {
		if _, err := bench.Fill(ctx, load); err != nil {
			return failed(stderr, err, exitError)
		}
	}
	result, err := bench.Run(ctx, load)
	if err != nil {
		return failed(stderr, err, exitError)
	}
	if err := show(stdout, result, f.json); err != nil {
		return failed(stderr, err, exitError)
	}
	return withErrors(result.Errors)
}
