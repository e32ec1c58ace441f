package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Names of what a report is written to, in the folder of the documents.
const (
	dataFile     = "performance.json"
	documentFile = "performance.md"
)

var measured = regexp.MustCompile(`(?s)<!-- measured: (\S+) -->\n.*?<!-- end -->`)

// Write writes a report: its data, its pictures, and the tables in the document
// between <!-- measured: NAME --> and <!-- end -->. The words around them are left as
// they are.
func (r Report) Write(dir string) error {
	old, err := os.ReadFile(filepath.Join(dir, documentFile))
	if err != nil {
		return err
	}
	files, err := r.Files(string(old))
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Files is what Write writes, by name; document is what the document is so far.
func (r Report) Files(document string) (map[string]string, error) {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return nil, err
	}
	files := map[string]string{dataFile: string(data) + "\n"}
	for name, chart := range r.charts() {
		files["performance-"+name+".svg"] = chart.SVG()
	}
	tables := r.tables()
	files[documentFile] = measured.ReplaceAllStringFunc(document, func(block string) string {
		name := measured.FindStringSubmatch(block)[1]
		table, ok := tables[name]
		if !ok {
			err = fmt.Errorf("%s: nothing measures %q", documentFile, name)
		}
		return "<!-- measured: " + name + " -->\n" + table + "<!-- end -->"
	})
	return files, err
}

// ReadReport reads the data of a report that was written.
func ReadReport(dir string) (r Report, err error) {
	data, err := os.ReadFile(filepath.Join(dir, dataFile))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

// charts is the pictures by name.
func (r Report) charts() map[string]Chart {
	throughput := Chart{Title: "Calls a second, redis-server's INCR = 1", Format: "%.2f", Mark: 1}
	for _, c := range r.Throughput {
		throughput.Series = append(throughput.Series, fmt.Sprintf("depth %d", c.Depth))
		for i, row := range c.Rows {
			if len(throughput.Rows) <= i {
				throughput.Rows = append(throughput.Rows, ChartRow{Name: row.Name})
			}
			throughput.Rows[i].Values = append(throughput.Rows[i].Values, row.Ratio)
		}
	}
	latency := Chart{Title: fmt.Sprintf("Latency in µs at %.0f calls a second, from when each was due", r.Plan.Rate),
		Series: []string{"p50", "p99", "p99.9"}, Format: "%.0f"}
	for _, row := range r.Latency.Rows {
		latency.Rows = append(latency.Rows, ChartRow{row.Name, []float64{row.P50.Median, row.P99.Median, row.P999.Median}})
	}
	bytes := Chart{Title: "Bytes of resident memory a key of 17 bytes", Format: "%.0f",
		Series: []string{keysText(r.Plan.Few) + " keys", keysText(r.Plan.Many) + " keys"}}
	for _, m := range r.Memory {
		row := ChartRow{Name: m.Name}
		for _, f := range m.Sizes {
			row.Values = append(row.Values, f.BytesPerKey)
		}
		bytes.Rows = append(bytes.Rows, row)
	}
	return map[string]Chart{"throughput": throughput, "latency": latency, "memory": bytes}
}

// keysText is 100k, 10M.
func keysText(n int) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n%1000 == 0:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
