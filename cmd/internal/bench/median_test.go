package bench

import (
	"fmt"
	"testing"
)

func TestSample(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   Sample
		spread float64
	}{
		{nil, Sample{}, 0},
		{[]float64{4}, Sample{4, 4, 4}, 0},
		{[]float64{3, 1, 2}, Sample{2, 1, 3}, 1},
		{[]float64{4, 1, 3, 2}, Sample{2.5, 1, 4}, 1.2},
		{[]float64{0, 0, 5}, Sample{0, 0, 5}, 0},
	} {
		got := sample(test.values)
		if got != test.want || got.Spread() != test.spread {
			t.Errorf("%v: %+v, spread %v; want %+v, %v", test.values, got, got.Spread(), test.want, test.spread)
		}
	}
	values := []float64{2, 1}
	if sample(values); values[0] != 2 {
		t.Error("sample reorders what it is given")
	}
}

func TestOrder(t *testing.T) {
	got := fmt.Sprint(order(0, 3), order(1, 3), order(2, 3), order(1, 1))
	if want := "[0 1 2] [2 1 0] [0 1 2] [0]"; got != want {
		t.Errorf("the rounds go %s, want %s", got, want)
	}
}

func TestSummary(t *testing.T) {
	cpu := func(v float64) *float64 { return &v }
	results := []Result{
		{PerSec: 100, ServerCPU: cpu(3), Errors: 1, ErrorTexts: map[string]int64{"ERR": 1}, Latency: Latency{P99: 7}},
		{PerSec: 300, ServerCPU: cpu(1), Missed: 4, Latency: Latency{P99: 5}},
		{PerSec: 200, ServerCPU: cpu(2), Errors: 2, ErrorTexts: map[string]int64{"ERR": 1, "OOM": 1}, Latency: Latency{P99: 6}},
	}
	row := summary("x", results)
	if row.PerSec != (Sample{200, 100, 300}) || *row.ServerCPU != (Sample{2, 1, 3}) || row.P99.Median != 6 {
		t.Errorf("%+v", row)
	}
	if row.Errors != 3 || row.Missed != 4 || row.ErrorTexts["ERR"] != 2 || row.ErrorTexts["OOM"] != 1 {
		t.Errorf("%d errors %v, %d missed", row.Errors, row.ErrorTexts, row.Missed)
	}
	results[1].ServerCPU = nil
	if row := summary("x", results); row.ServerCPU != nil {
		t.Error("a median of the CPU that one round does not know")
	}
}
