package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// tables is the parts of the document by name, in Markdown.
func (r Report) tables() map[string]string {
	return map[string]string{
		"machine":    r.machine(),
		"throughput": byDepth(r.Throughput),
		"latency":    latencies(r.Latency),
		"single":     latencies(r.Single),
		"memory":     r.bytes(),
		"durability": r.durability(),
		"tls":        r.secure(),
		"scaling":    r.scaling(),
		"better":     r.better(),
	}
}

func (r Report) machine() string {
	p := r.Plan
	text := fmt.Sprintf("Measured on %s: %s. Each number is the median of %d measurements of %s, on %d connections.\n",
		r.Date, r.Machine, p.Rounds, p.Duration, p.Connections)
	text += fmt.Sprintf("Load average when it began: %.1f, on %d cores.\n", r.Machine.Busy, r.Machine.Cores)
	if p.Duration < time.Second {
		text += "**This was a quick run, which shows that all works. Its numbers are rough.**\n"
	}
	return text
}

// byDepth is a row a target, with ratio and CPU at each depth.
func byDepth(comparisons []Comparison) string {
	if len(comparisons) == 0 {
		return ""
	}
	header := []string{""}
	for _, c := range comparisons {
		header = append(header, fmt.Sprintf("depth %d", c.Depth))
	}
	var depths []string
	for _, c := range comparisons {
		depths = append(depths, fmt.Sprint(c.Depth))
	}
	t := newTable(append(header, "server's CPU, µs a call, at "+strings.Join(depths, " / "))...)
	for i, row := range comparisons[0].Rows {
		cells := []string{row.Name}
		var cpu []string
		for _, c := range comparisons {
			cells = append(cells, fmt.Sprintf("%.2f ±%.0f %%", c.Rows[i].Ratio, 50*c.Rows[i].PerSec.Spread()))
			cpu = append(cpu, cpuText(c.Rows[i].ServerCPU))
		}
		t.row(append(cells, strings.Join(cpu, " / "))...)
	}
	var absolute []string
	for _, c := range comparisons {
		absolute = append(absolute, fmt.Sprintf("%.0f", c.Rows[0].PerSec.Median))
	}
	return t.String() + fmt.Sprintf("\n1.00 is %s calls a second.\n", strings.Join(absolute, " / "))
}

func cpuText(s *Sample) string {
	if s == nil {
		return "?"
	}
	return fmt.Sprintf("%.2f", s.Median)
}

// latencies is a row a target, with its percentiles.
func latencies(c Comparison) string {
	header := []string{"µs", "p50", "p99", "p99.9", "p99 to the first", "calls a second"}
	if c.Rate > 0 {
		header = append(header, "due but never sent")
	}
	t := newTable(header...)
	for _, row := range c.Rows {
		cells := []string{row.Name, fmt.Sprintf("%.0f", row.P50.Median), fmt.Sprintf("%.0f", row.P99.Median), fmt.Sprintf("%.0f", row.P999.Median),
			fmt.Sprintf("%.2f", ratio(row.P99.Median, c.Rows[0].P99.Median)), fmt.Sprintf("%.0f", row.PerSec.Median)}
		if c.Rate > 0 {
			cells = append(cells, fmt.Sprint(row.Missed))
		}
		t.row(cells...)
	}
	return t.String()
}

func (r Report) bytes() string {
	few, many := keysText(r.Plan.Few), keysText(r.Plan.Many)
	t := newTable("", "bytes a key, "+few+" keys", "bytes a key, "+many+" keys", "calls a second at "+many+" / at "+few)
	for _, m := range r.Memory {
		cells := []string{m.Name, fmt.Sprintf("%.0f", m.Sizes[0].BytesPerKey), "", ""}
		if len(m.Sizes) > 1 {
			cells[2] = fmt.Sprintf("%.0f", m.Sizes[1].BytesPerKey)
			cells[3] = fmt.Sprintf("%.2f", ratio(m.Sizes[1].PerSec.Median, m.Sizes[0].PerSec.Median))
		}
		t.row(cells...)
	}
	return t.String()
}

// durability is a table for Redis and one for Sluice, each compared with itself
// without a log: what the log costs, not who is faster.
func (r Report) durability() string {
	if len(r.Durability) == 0 {
		return "The server that was measured keeps no log: nothing to measure yet.\n"
	}
	return byDepth(part(r.Durability, 0, len(fsyncs))) + "\n" + byDepth(part(r.Durability, len(fsyncs), 2*len(fsyncs)))
}

// secure is a table for Sluice and one for Redis, each compared with itself without TLS.
func (r Report) secure() string {
	if len(r.TLS) == 0 {
		return "Not measured yet.\n"
	}
	text := byDepth(part(r.TLS, 0, 2))
	if len(r.TLS[0].Rows) > 2 {
		text += "\n" + byDepth(part(r.TLS, 2, 4))
	}
	return text
}

func (r Report) scaling() string {
	if len(r.Scaling) == 0 {
		return "Not measured yet, or on a machine with one core.\n"
	}
	return byDepth(r.Scaling)
}

// part is some rows of comparisons, with ratios to the first of them.
func part(comparisons []Comparison, from, to int) (parts []Comparison) {
	for _, c := range comparisons {
		c.Rows = slices.Clone(c.Rows[from:to])
		for i := range c.Rows {
			c.Rows[i].Ratio = ratio(c.Rows[i].PerSec.Median, c.Rows[0].PerSec.Median)
		}
		parts = append(parts, c)
	}
	return parts
}

// A table is one in Markdown.
type table struct{ strings.Builder }

func newTable(header ...string) *table {
	t := &table{}
	t.row(header...)
	t.WriteString("|---|" + strings.Repeat("--:|", len(header)-1) + "\n")
	return t
}

func (t *table) row(cells ...string) {
	t.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
