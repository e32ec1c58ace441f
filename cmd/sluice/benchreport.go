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

const reportUsage = `bench report [OPTION]...

Measures Sluice, redis-server and scripts in Redis, and writes the tables and pictures
of performance.md.`

// benchReport measures all that docs/performance.md shows, and writes it there.
func benchReport(args []string, stdout, stderr io.Writer) int {
	flags := newFlags(stderr)
	dir := flags.String("docs", "docs", "`folder` of performance.md")
	quick := flags.Bool("quick", false, "measure for a minute instead of eight: to see that it works")
	render := flags.Bool("render", false, "measure nothing: write tables and pictures from performance.json anew")
	cell := flags.String("redis-cell", "", "`file` of the module redis-cell, to measure it too")
	if code, ok := parse(flags, args, reportUsage, stdout); !ok {
		return code
	}
	report, err := bench.ReadReport(*dir)
	if !*render {
		plan := bench.FullPlan()
		if *quick {
			plan = bench.QuickPlan()
		}
		plan.RedisCell = *cell
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		report, err = bench.Measure(ctx, plan, fullVersion(), stderr)
	}
	if err == nil {
		err = report.Write(*dir)
	}
	if err != nil {
		return failed(stderr, err, exitError)
	}
	fmt.Fprintf(stdout, "wrote %s/performance.md, its data and its pictures\n", *dir)
	return withErrors(report.Errors())
}
