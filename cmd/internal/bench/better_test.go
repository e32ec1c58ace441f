package bench

import "testing"

func TestBetter(t *testing.T) {
	row := func(name string, perSec, cpu, p99 float64) Row {
		return Row{Name: name, PerSec: Sample{Median: perSec}, ServerCPU: &Sample{Median: cpu}, P99: Sample{Median: p99}}
	}
	r := Report{
		Plan: Plan{Few: 1000},
		Throughput: []Comparison{{Depth: 16, Rows: []Row{
			row(peer, 100, 2, 0), row("Sluice A", 50, 1, 0), row("Sluice B", 200, 3, 0), row("Redis Lua c", 10, 9, 0),
		}}},
		Latency: Comparison{Rows: []Row{row(peer, 0, 0, 10), row("Sluice A", 0, 0, 12), row("Sluice B", 0, 0, 10)}},
		Memory:  []Memory{{peer, []Filled{{1000, 80, nil}}}, {"Sluice A", []Filled{{1000, 50, nil}}}, {"Sluice B", []Filled{{1000, 100, nil}}}},
	}
	want := "As multiples of what redis-server's `INCR` took in the same run:\n\n" + `- Time a call at depth 16: A 2.00.
- CPU a call at depth 16: B 1.50.
- p99 at a fixed rate: A 1.20.
- Bytes a key, with 1k keys: B 1.25.
`
	if got := r.better(); got != want {
		t.Errorf("the list is\n%swant\n%s", got, want)
	}
	if got := (Report{}).better(); got != "Nowhere in this run.\n" {
		t.Errorf("of nothing: %s", got)
	}
}
