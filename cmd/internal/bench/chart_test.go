package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestChart(t *testing.T) {
	svg := Chart{Title: "a < b", Series: []string{"x", "y"}, Format: "%.1f", Mark: 1, Rows: []ChartRow{
		{"first & best", []float64{2, 1}},
		{"with one value", []float64{0}},
	}}.SVG()
	var bars []string
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars = append(bars, attribute(e, "width"))
		}
	}
	// Two squares of the legend; then the longest bar has all the room, and one half of it the half.
	if got, want := strings.Join(bars, " "), "12 12 560.0 280.0 0.0"; got != want {
		t.Errorf("the bars are %s, want %s", got, want)
	}
	for _, want := range []string{"a &lt; b", "first &amp; best", ">2.0<", `x1="510.0" x2="510.0"`, "prefers-color-scheme: dark"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestEmptyChart(t *testing.T) {
	if svg := (Chart{Title: "nothing"}).SVG(); !strings.Contains(svg, "</svg>") || strings.Contains(svg, "NaN") {
		t.Errorf("%s", svg)
	}
}
