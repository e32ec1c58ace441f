package bench

import (
	"fmt"
	"strings"
)

// ours is how the names of Sluice's rows begin.
const ours = "Sluice "

// better lists where the peer was ahead of Sluice. It comes from the numbers, so that
// it is neither forgotten when they change nor kept when they got better.
func (r Report) better() string {
	var b strings.Builder
	list := func(behind []string, format string, args ...any) {
		if len(behind) > 0 {
			fmt.Fprintf(&b, "- "+format+": %s.\n", append(args, strings.Join(behind, ", "))...)
		}
	}
	for _, c := range r.Throughput {
		list(behind(c.Rows, func(row Row) float64 { return ratio(1, row.PerSec.Median) }), "Time a call at depth %d", c.Depth)
		list(behind(c.Rows, cpu), "CPU a call at depth %d", c.Depth)
	}
	list(behind(r.Latency.Rows, p50), "p50 at a fixed rate")
	list(behind(r.Latency.Rows, p99), "p99 at a fixed rate")
	list(behind(r.Single.Rows, p50), "p50 on one connection")
	list(behind(r.Single.Rows, p99), "p99 on one connection")
	list(larger(r.Memory), "Bytes a key, with %s keys", keysText(r.Plan.Few))
	if b.Len() == 0 {
		return "Nowhere in this run.\n"
	}
	return "As multiples of what redis-server's `INCR` took in the same run:\n\n" + b.String()
}

// behind is Sluice's rows with more of something than the first row, which is the
// peer's, and how much more.
func behind(rows []Row, value func(Row) float64) (names []string) {
	for _, row := range rows {
		name, isOurs := strings.CutPrefix(row.Name, ours)
		if times := ratio(value(row), value(rows[0])); isOurs && times > 1 {
			names = append(names, fmt.Sprintf("%s %.2f", name, times))
		}
	}
	return names
}

func cpu(row Row) float64 {
	if row.ServerCPU == nil {
		return 0
	}
	return row.ServerCPU.Median
}

func p50(row Row) float64 { return row.P50.Median }

func p99(row Row) float64 { return row.P99.Median }

// larger is behind for bytes.
func larger(memory []Memory) (names []string) {
	for _, m := range memory {
		name, isOurs := strings.CutPrefix(m.Name, ours)
		if times := ratio(m.Sizes[0].BytesPerKey, memory[0].Sizes[0].BytesPerKey); isOurs && times > 1 {
			names = append(names, fmt.Sprintf("%s %.2f", name, times))
		}
	}
	return names
}
