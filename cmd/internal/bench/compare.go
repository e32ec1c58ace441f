package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// A Comparison is what several targets came to under the same load.
type Comparison struct {
	Rounds      int     `json:"rounds"`
	Connections int     `json:"connections"`
	Depth       int     `json:"depth"`
	Keys        int     `json:"keys"`
	Spread      Spread  `json:"spread"`
	Rate        float64 `json:"rate,omitempty"`
	Seconds     float64 `json:"seconds"` // of one measurement
	Rows        []Row   `json:"rows"`
}

// A Row is one target's measurements, a round each, summarized.
type Row struct {
	Name      string  `json:"name"`
	PerSec    Sample  `json:"calls_per_second"`
	Ratio     float64 `json:"ratio"` // of the medians, to the first target
	ServerCPU *Sample `json:"server_cpu_us_per_call,omitempty"`
	LoadCPU   Sample  `json:"load_cpu_us_per_call"`
	P50       Sample  `json:"p50_us"`
	P99       Sample  `json:"p99_us"`
	P999      Sample  `json:"p999_us"`
	Missed    int64   `json:"missed,omitempty"`

	Errors     int64            `json:"errors"`
	ErrorTexts map[string]int64 `json:"error_texts,omitempty"`
	Results    []Result         `json:"results,omitempty"`
}

// Compare starts what is to be started, fills all targets with their keys where they
// were started here, and measures them in turn, so that what changes on the machine
// meanwhile hits all of them.
func Compare(ctx context.Context, targets []Target, rounds int, progress io.Writer) (Comparison, error) {
	stop, err := start(ctx, targets)
	if err != nil {
		return Comparison{}, err
	}
	defer stop()
	if err := fill(ctx, targets, progress); err != nil {
		return Comparison{}, err
	}
	return measure(ctx, targets, rounds, progress)
}

// fill fills the servers that were started here; others are left as they are.
func fill(ctx context.Context, targets []Target, progress io.Writer) error {
	for _, t := range targets {
		if t.Start == "" {
			continue
		}
		note(progress, "%s: filling with %d keys\n", t.Name, t.Load.Keys)
		if _, err := Fill(ctx, t.Load); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

// measure measures targets that run.
func measure(ctx context.Context, targets []Target, rounds int, progress io.Writer) (Comparison, error) {
	results := make([][]Result, len(targets))
	for round := range rounds {
		for _, i := range order(round, len(targets)) {
			r, err := Run(ctx, targets[i].Load)
			if err != nil {
				return Comparison{}, fmt.Errorf("%s: %w", targets[i].Name, err)
			}
			results[i] = append(results[i], r)
			note(progress, "round %d of %d, depth %d: %s: %.0f calls a second\n", round+1, rounds, r.Depth, targets[i].Name, r.PerSec)
		}
	}
	l := targets[0].Load
	c := Comparison{Rounds: rounds, Connections: l.Connections, Depth: l.Depth, Keys: l.Keys, Spread: l.Spread,
		Rate: l.Rate, Seconds: l.Duration.Seconds()}
	for i, t := range targets {
		c.Rows = append(c.Rows, summary(t.Name, results[i]))
		c.Rows[i].Ratio = ratio(c.Rows[i].PerSec.Median, c.Rows[0].PerSec.Median)
	}
	return c, nil
}

// order is in which order targets are measured: forth, and back in the next round, so
// that none always comes after the same other.
func order(round, n int) []int {
	var indexes []int
	for i := range n {
		indexes = append(indexes, i)
	}
	if round%2 == 1 {
		slices.Reverse(indexes)
	}
	return indexes
}

func summary(name string, results []Result) Row {
	of := func(value func(Result) float64) Sample {
		var values []float64
		for _, r := range results {
			values = append(values, value(r))
		}
		return sample(values)
	}
	row := Row{Name: name, Results: results, ErrorTexts: map[string]int64{},
		PerSec:  of(func(r Result) float64 { return r.PerSec }),
		LoadCPU: of(func(r Result) float64 { return r.LoadCPU }),
		P50:     of(func(r Result) float64 { return r.Latency.P50 }),
		P99:     of(func(r Result) float64 { return r.Latency.P99 }),
		P999:    of(func(r Result) float64 { return r.Latency.P999 }),
	}
	if !slices.ContainsFunc(results, func(r Result) bool { return r.ServerCPU == nil }) {
		cpu := of(func(r Result) float64 { return *r.ServerCPU })
		row.ServerCPU = &cpu
	}
	for _, r := range results {
		row.Missed += r.Missed
		row.Errors += r.Errors
		for text, n := range r.ErrorTexts {
			row.ErrorTexts[text] += n
		}
	}
	return row
}

// Errors is how many there were in all.
func (c Comparison) Errors() (n int64) {
	for _, row := range c.Rows {
		n += row.Errors
	}
	return n
}

// Print writes the comparison for people.
func (c Comparison) Print(w io.Writer) {
	fmt.Fprintf(w, "%d rounds of %.1f s: %d connections, depth %d, %d keys (%s)", c.Rounds, c.Seconds, c.Connections, c.Depth, c.Keys, c.Spread)
	if c.Rate > 0 {
		fmt.Fprintf(w, ", %.0f calls a second asked for", c.Rate)
	}
	fmt.Fprintln(w, "; medians")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "target\tratio\tcalls/s\tspread\tserver µs/call\tload µs/call\tp50 µs\tp99 µs\tp99.9 µs\t")
	for _, r := range c.Rows {
		cpu := "?"
		if r.ServerCPU != nil {
			cpu = fmt.Sprintf("%.2f", r.ServerCPU.Median)
		}
		fmt.Fprintf(table, "%s\t%.2f\t%.0f\t±%.0f %%\t%s\t%.2f\t%.0f\t%.0f\t%.0f\t\n", r.Name, r.Ratio, r.PerSec.Median,
			50*r.PerSec.Spread(), cpu, r.LoadCPU.Median, r.P50.Median, r.P99.Median, r.P999.Median)
	}
	table.Flush()
	for _, r := range c.Rows {
		if r.Missed > 0 {
			fmt.Fprintf(w, "%s: %d calls were due and never sent: it was behind\n", r.Name, r.Missed)
		}
		if r.Errors > 0 {
			fmt.Fprintf(w, "%s: ", r.Name)
			printErrors(w, r.Errors, r.ErrorTexts)
		}
	}
}

func note(w io.Writer, format string, args ...any) {
	if w != nil {
		fmt.Fprintf(w, format, args...)
	}
}
