package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sluice/cmd/internal/bench"
)

// shared are the flags of bench and of bench compare.
type shared struct {
	load     bench.Load
	workload string
	command  string
	spread   string
	safe     bool
	files    bench.TLSFiles
	json     bool
}

func benchFlags(stderr io.Writer) (*flag.FlagSet, *shared) {
	f, flags := &shared{}, newFlags(stderr)
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
	flags.BoolVar(&f.safe, "tls", false, "speak TLS with a server that runs")
	flags.StringVar(&f.files.CA, "cacert", "", "`file` of the authorities to trust, in PEM; the system's by default")
	flags.StringVar(&f.files.Cert, "cert", "", "`file` of a certificate to show")
	flags.StringVar(&f.files.Key, "key", "", "`file` of its key")
	flags.BoolVar(&f.files.Insecure, "insecure", false, "trust any server")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return flags, f
}

func newFlags(stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("sluice bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {} // after a wrong option the error is enough
	return flags
}

// parse reads the options, and says how to end where that is all there is to do.
func parse(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) (code int, ok bool) {
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: sluice %s\n\n", usage)
		flags.VisitAll(func(f *flag.Flag) { describe(stdout, f) })
		return exitOK, false
	case err != nil:
		return exitUsage, false
	}
	return exitOK, true
}

func describe(w io.Writer, f *flag.Flag) {
	value, text := flag.UnquoteUsage(f)
	line := "  --" + f.Name
	if value != "" {
		line += " " + value
	}
	fmt.Fprintf(w, "%s\n        %s", line, strings.ReplaceAll(text, "\n", "\n        "))
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		fmt.Fprintf(w, " (%s)", f.DefValue)
	}
	fmt.Fprintln(w)
}

func workloadNames() string {
	var names strings.Builder
	for _, w := range bench.Workloads() {
		fmt.Fprintf(&names, "\n  %-20s %s", w.Name, w.Doc)
	}
	return names.String() + "\nby default"
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
	if load.Spread, err = bench.ParseSpread(f.spread); err != nil {
		return load, err
	}
	if f.safe {
		load.TLS, err = f.files.Config()
	} else if f.files != (bench.TLSFiles{}) {
		err = errors.New("certificates are for --tls")
	}
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
