package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sluice/cmd/internal/bench"
)

// benchmark runs one load, or what the first word asks for.
func benchmark(args, _ []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "compare":
			return benchCompare(args[1:], stdout, stderr)
		}
	}
	flags, f := benchFlags("bench [OPTION]...", stderr)
	addr := flags.String("addr", "127.0.0.1:6390", "`address` of the server: host:port, or the path of a unix socket")
	flags.StringVar(&f.workload, "workload", "gcra", "what is called, by `name`:"+workloadNames())
	flags.StringVar(&f.workload, "algorithm", "gcra", "the same as --workload")
	flags.IntVar(&f.load.PID, "pid", 0, "`process` whose CPU is measured; by default the one that the server says it is")
	fill := flags.Bool("fill", false, "call with every key once before the measurement")
	if code, ok := parsed(flags.Parse(args), flags); !ok {
		return code
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

// shared are the flags of bench and of bench compare.
type shared struct {
	load     bench.Load
	workload string
	command  string
	spread   string
	json     bool
}

func benchFlags(usage string, stderr io.Writer) (*flag.FlagSet, *shared) {
	f := &shared{}
	flags := flag.NewFlagSet("sluice bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "Usage: sluice %s\n\n", usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&f.command, "command", "", "call this `line` instead of a workload, such as 'INCR key:{key}'")
	flags.IntVar(&f.load.Connections, "connections", 50, "connections at a time")
	flags.IntVar(&f.load.Depth, "depth", 1, "calls that a connection sends at once, and then waits for")
	flags.IntVar(&f.load.Threads, "threads", 1, "threads that make the load")
	flags.IntVar(&f.load.Keys, "keys", 1_000_000, "keys in use")
	flags.StringVar(&f.spread, "spread", "uniform", "how calls are spread over keys: uniform, zipf, or one key for all")
	flags.DurationVar(&f.load.Duration, "duration", 10*time.Second, "how long to measure")
	flags.DurationVar(&f.load.Warmup, "warmup", time.Second, "how long to call before that")
	flags.Float64Var(&f.load.Rate, "rate", 0, "calls a second, sent when they are due whatever the server does, and timed from then;\n0 sends when replies come")
	flags.StringVar(&f.load.Password, "password", "", "password of the server")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return flags, f
}

func workloadNames() string {
	var names string
	for _, w := range bench.Workloads() {
		names += fmt.Sprintf("\n  %-20s %s", w.Name, w.Doc)
	}
	return names + "\n"
}

// finish is the load that the flags say, for a workload by name or --command.
func (f *shared) finish(workload string) (bench.Load, error) {
	var err error
	load := f.load
	if f.command != "" {
		load.Workload = bench.Custom(f.command)
	} else if load.Workload, err = bench.Find(workload); err != nil {
		return load, err
	}
	load.Spread, err = bench.ParseSpread(f.spread)
	return load, err
}

// progress is where lines of progress go: nowhere where a run is short and nobody
// looks on.
func (f *shared) progress(stderr io.Writer, length time.Duration) io.Writer {
	if length > 5*time.Second || isTerminal(stderr) {
		return stderr
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// parsed says how to go on after flags were read: a request for help is no failure.
func parsed(err error, flags *flag.FlagSet) (code int, ok bool) {
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, false
	case err != nil:
		return exitUsage, false
	case flags.NArg() > 0:
		fmt.Fprintf(flags.Output(), "sluice bench: %q is not an option\n", flags.Arg(0))
		return exitUsage, false
	}
	return exitOK, true
}

func failed(stderr io.Writer, err error, code int) int {
	fmt.Fprintln(stderr, "sluice bench:", err)
	return code
}

// withErrors fails a measurement in which the server said errors.
func withErrors(n int64) int {
	if n > 0 {
		return exitError
	}
	return exitOK
}

func show(w io.Writer, result interface{ Print(io.Writer) }, asJSON bool) error {
	if !asJSON {
		result.Print(w)
		return nil
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}
