package bench

import (
	"context"
	"io"
	"slices"
	"time"
)

// A Report is all that docs/performance.md shows.
type Report struct {
	Date       string       `json:"date"`
	Machine    Machine      `json:"machine"`
	Plan       Plan         `json:"plan"`
	Throughput []Comparison `json:"throughput"` // a depth each
	Latency    Comparison   `json:"latency"`    // at a fixed rate
	Single     Comparison   `json:"single"`     // one connection
	Memory     []Memory     `json:"memory"`
	Durability []Comparison `json:"durability,omitempty"` // a depth each; none while the server has no log
	TLS        []Comparison `json:"tls,omitempty"`        // a depth each
	Scaling    []Comparison `json:"scaling,omitempty"`    // of the greatest depth; none on a single core
}

// Measure makes the report.
func Measure(ctx context.Context, p Plan, version string, progress io.Writer) (r Report, err error) {
	r = Report{Date: time.Now().UTC().Format(time.DateOnly), Plan: p}
	if r.Machine, err = thisMachine(version); err != nil {
		return r, err
	}
	help, err := serveHelp()
	if err != nil {
		return r, err
	}
	servers := help.servers()
	if r.Throughput, err = p.depths(ctx, p.all(servers), progress); err != nil {
		return r, err
	}
	if r.Latency, r.Single, err = p.latencies(ctx, p.few(servers), progress); err != nil {
		return r, err
	}
	if r.Memory, err = p.memories(ctx, servers, progress); err != nil {
		return r, err
	}
	if durable := p.durable(help); durable != nil {
		if r.Durability, err = p.depths(ctx, durable, progress); err != nil {
			return r, err
		}
	}
	if r.TLS, err = p.depths(ctx, p.secure(ctx, servers), progress); err != nil {
		return r, err
	}
	if scaling := p.scaling(servers); scaling != nil {
		p.Depths = p.Depths[len(p.Depths)-1:]
		r.Scaling, err = p.depths(ctx, scaling, progress)
	}
	return r, err
}

// depths compares targets at each depth. They stay filled in between.
func (p Plan) depths(ctx context.Context, targets []Target, progress io.Writer) ([]Comparison, error) {
	stop, err := start(ctx, targets)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := fill(ctx, targets, progress); err != nil {
		return nil, err
	}
	var comparisons []Comparison
	for _, depth := range p.Depths {
		for i := range targets {
			targets[i].Load.Depth = depth
		}
		c, err := measure(ctx, targets, p.Rounds, progress)
		if err != nil {
			return nil, err
		}
		comparisons = append(comparisons, c.brief())
	}
	return comparisons, nil
}

// latencies compares targets under a fixed rate, and on a single connection.
func (p Plan) latencies(ctx context.Context, targets []Target, progress io.Writer) (fixed, single Comparison, err error) {
	stop, err := start(ctx, targets)
	if err != nil {
		return fixed, single, err
	}
	defer stop()
	if err := fill(ctx, targets, progress); err != nil {
		return fixed, single, err
	}
	for i := range targets {
		targets[i].Load.Rate, targets[i].Load.Duration = p.Rate, 2*p.Duration
	}
	if fixed, err = measure(ctx, targets, p.Rounds, progress); err != nil {
		return fixed, single, err
	}
	for i := range targets {
		targets[i].Load.Rate, targets[i].Load.Duration, targets[i].Load.Connections = 0, p.Duration, 1
	}
	single, err = measure(ctx, targets, p.Rounds, progress)
	return fixed.brief(), single.brief(), err
}

// brief is a comparison without every measurement.
func (c Comparison) brief() Comparison {
	for i := range c.Rows {
		c.Rows[i].Results = nil
	}
	return c
}

// Errors is how many the servers gave in all comparisons.
func (r Report) Errors() int64 {
	n := r.Latency.Errors() + r.Single.Errors()
	for _, c := range slices.Concat(r.Throughput, r.Durability, r.TLS, r.Scaling) {
		n += c.Errors()
	}
	return n
}
