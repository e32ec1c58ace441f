package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Print writes a result for people.
func (r Result) Print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s: %d connections, depth %d, %d keys (%s)", r.Command, r.Addr, r.Connections, r.Depth, r.Keys, r.Spread)
	if r.Rate > 0 {
		fmt.Fprintf(w, ", %.0f calls a second asked for", r.Rate)
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "calls\t%d in %.2f s\n", r.Calls, r.Seconds)
	fmt.Fprintf(table, "calls a second\t%.0f\n", r.PerSec)
	l := r.Latency
	fmt.Fprintf(table, "latency, µs\tmean %.0f  p50 %.0f  p90 %.0f  p99 %.0f  p99.9 %.0f  max %.0f\n", l.Mean, l.P50, l.P90, l.P99, l.P999, l.Max)
	if r.ServerCPU != nil {
		fmt.Fprintf(table, "server's CPU, µs a call\t%.2f (process %d)\n", *r.ServerCPU, r.ServerPID)
	}
	fmt.Fprintf(table, "the load's CPU, µs a call\t%.2f\n", r.LoadCPU)
	if r.Missed > 0 {
		fmt.Fprintf(table, "due but never sent\t%d: the server was behind\n", r.Missed)
	}
	table.Flush()
	printErrors(w, r.Errors, r.ErrorTexts)
}

func printErrors(w io.Writer, n int64, texts map[string]int64) {
	if n == 0 {
		return
	}
	fmt.Fprintf(w, "%d errors\n", n)
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(w, "  %d × %s\n", texts[text], text)
	}
}
