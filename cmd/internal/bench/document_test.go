package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const docs = "../../../docs"

// TestDocument holds that the tables and pictures that are in the documents come
// from the data that is: nobody wrote a number by hand.
func TestDocument(t *testing.T) {
	report, err := ReadReport(docs)
	if err != nil {
		t.Fatal(err)
	}
	files, err := report.Files(read(t, documentFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 5 {
		t.Errorf("a report is %d files, want data, document and three pictures", len(files))
	}
	for name, want := range files {
		if read(t, name) != want {
			t.Errorf("%s is not what sluice bench report --render writes", name)
		}
		if name != dataFile && name != documentFile && !strings.Contains(files[documentFile], "]("+name+")") {
			t.Errorf("%s does not show %s", documentFile, name)
		}
	}
	for name := range report.tables() {
		if !strings.Contains(files[documentFile], "<!-- measured: "+name+" -->") {
			t.Errorf("%s has no place for %s", documentFile, name)
		}
	}
}

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUnknownBlock(t *testing.T) {
	if _, err := (Report{}).Files("<!-- measured: nothing -->\n<!-- end -->"); err == nil {
		t.Error("a table that nothing measures is not an error")
	}
}

func twoRows(depth int) Comparison {
	cpu := Sample{Median: 1.234}
	return Comparison{Depth: depth, Rows: []Row{
		{Name: "a", Ratio: 1, PerSec: Sample{1000, 900, 1100}, ServerCPU: &cpu, P99: Sample{Median: 20}},
		{Name: "b", Ratio: 0.5, PerSec: Sample{500, 500, 500}, P50: Sample{Median: 7}, P99: Sample{Median: 30}, P999: Sample{Median: 40}, Missed: 3},
	}}
}

func TestByDepth(t *testing.T) {
	got := byDepth([]Comparison{twoRows(1), twoRows(16)})
	want := `|  | depth 1 | depth 16 | server's CPU, µs a call, at 1 / 16 |
|---|--:|--:|--:|
| a | 1.00 ±10 % | 1.00 ±10 % | 1.23 / 1.23 |
| b | 0.50 ±0 % | 0.50 ±0 % | ? / ? |

1.00 is 1000 / 1000 calls a second.
`
	if got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
}

func TestLatencies(t *testing.T) {
	c := twoRows(1)
	const row = "| b | 7 | 30 | 40 | 1.50 | 500 |"
	if got := latencies(c); !strings.HasSuffix(got, row+"\n") {
		t.Errorf("%swants %s", got, row)
	}
	c.Rate = 1000
	if got := latencies(c); !strings.HasSuffix(got, row+" 3 |\n") {
		t.Errorf("%swants the calls that were never sent", got)
	}
}

func TestBytes(t *testing.T) {
	fast, slow := Sample{Median: 100}, Sample{Median: 90}
	r := Report{Plan: Plan{Few: 100_000, Many: 10_000_000}, Memory: []Memory{
		{"a", []Filled{{100_000, 50.4, &fast}, {10_000_000, 40, &slow}}},
		{"b", []Filled{{100_000, 60, nil}}},
	}}
	want := `|  | bytes a key, 100k keys | bytes a key, 10M keys | calls a second at 10M / at 100k |
|---|--:|--:|--:|
| a | 50 | 40 | 0.90 |
| b | 60 |  |  |
`
	if got := r.bytes(); got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
}

// TestPart: rows are compared with the first of their part.
func TestPart(t *testing.T) {
	whole := []Comparison{{Rows: []Row{
		{Name: "a", PerSec: Sample{Median: 100}, Ratio: 1},
		{Name: "b", PerSec: Sample{Median: 40}, Ratio: 0.4},
		{Name: "c", PerSec: Sample{Median: 10}, Ratio: 0.1},
	}}}
	rows := part(whole, 1, 3)[0].Rows
	if len(rows) != 2 || rows[0].Ratio != 1 || rows[1].Ratio != 0.25 || whole[0].Rows[1].Ratio != 0.4 {
		t.Errorf("the part is %+v of %+v", rows, whole[0].Rows)
	}
}
