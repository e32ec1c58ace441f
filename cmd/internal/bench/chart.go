package bench

import (
	"fmt"
	"html"
	"strings"
)

// A Chart is bars side by side: for each row one of each series.
type Chart struct {
	Title  string
	Series []string
	Rows   []ChartRow
	Format string  // of the number at the end of a bar
	Mark   float64 // a line to compare with, 0 for none
}

// A ChartRow has a value for each series, or fewer.
type ChartRow struct {
	Name   string
	Values []float64
}

// Measures of a chart, in pixels.
const (
	chartWidth = 860
	nameWidth  = 230
	valueWidth = 70
	barHeight  = 11
	rowGap     = 9
	headHeight = 62
	footHeight = 12
)

// chartStyle has colours for light and for dark pages: a picture takes no style from
// the page it is in.
const chartStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 15px; font-weight: 600 }
.value { font-size: 10px }
.mark { stroke: #57606a; stroke-dasharray: 3 3 }
.s0 { fill: #0969da } .s1 { fill: #bf8700 } .s2 { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.mark { stroke: #9198a1 }
.s0 { fill: #58a6ff } .s1 { fill: #d29922 } .s2 { fill: #3fb950 }
}
</style>
`

// SVG draws the chart.
func (c Chart) SVG() string {
	rowHeight := len(c.Series)*barHeight + rowGap
	height := headHeight + len(c.Rows)*rowHeight + footHeight
	scale := (chartWidth - nameWidth - valueWidth) / max(c.most(), c.Mark, 1e-9)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		chartWidth, height, chartWidth, height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", html.EscapeString(c.Title), chartStyle)
	fmt.Fprintf(&b, `<text class="title" x="8" y="22">%s</text>`+"\n", html.EscapeString(c.Title))
	c.legend(&b)
	for i, row := range c.Rows {
		c.row(&b, row, headHeight+i*rowHeight, scale)
	}
	if c.Mark > 0 {
		x := nameWidth + c.Mark*scale
		fmt.Fprintf(&b, `<line class="mark" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+"\n", x, x, headHeight-6, height-footHeight)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c Chart) most() (most float64) {
	for _, row := range c.Rows {
		for _, v := range row.Values {
			most = max(most, v)
		}
	}
	return most
}

func (c Chart) legend(b *strings.Builder) {
	const between = 150
	for i, name := range c.Series {
		x := nameWidth + i*between
		fmt.Fprintf(b, `<rect class="s%d" x="%d" y="34" width="12" height="12"/><text x="%d" y="44">%s</text>`+"\n",
			i, x, x+17, html.EscapeString(name))
	}
}

func (c Chart) row(b *strings.Builder, row ChartRow, y int, scale float64) {
	middle := y + len(c.Series)*barHeight/2 + 4
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", nameWidth-8, middle, html.EscapeString(row.Name))
	for i, v := range row.Values {
		top := y + i*barHeight
		fmt.Fprintf(b, `<rect class="s%d" x="%d" y="%d" width="%.1f" height="%d"/>`, i, nameWidth, top, v*scale, barHeight-1)
		fmt.Fprintf(b, `<text class="value" x="%.1f" y="%d">`+c.Format+"</text>\n", nameWidth+v*scale+4, top+barHeight-2, v)
	}
}
