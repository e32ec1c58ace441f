package bench

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A Memory is what keys cost a target.
type Memory struct {
	Name  string   `json:"name"`
	Sizes []Filled `json:"sizes"`
}

// A Filled is a server with so many keys.
type Filled struct {
	Keys        int     `json:"keys"`
	BytesPerKey float64 `json:"bytes_per_key"`              // of resident memory, more than at first
	PerSec      *Sample `json:"calls_per_second,omitempty"` // of the targets that are measured with many keys
}

// settle is how long a server is given, after it was filled, to give back what it
// used only for growing.
const settle = 500 * time.Millisecond

// firstKeys is how many keys are there before the memory is read for the first time:
// what a server takes for its first connection and call is not the price of a key.
const firstKeys = 1000

// memoryDepth is deep enough for the server to be what limits, and not the machine's
// way to it.
const memoryDepth = 16

// memories is what keys cost every target, few of them, and some targets many.
func (p Plan) memories(ctx context.Context, servers Servers, progress io.Writer) ([]Memory, error) {
	sized, err := p.memory(ctx, p.sized(servers), []int{p.Few, p.Many}, progress)
	if err != nil {
		return nil, err
	}
	unsized, err := p.memory(ctx, p.unsized(servers), []int{p.Few}, progress)
	return append(sized, unsized...), err
}

// memory fills a server of each target with keys, for each number of them a new one.
func (p Plan) memory(ctx context.Context, targets []Target, sizes []int, progress io.Writer) ([]Memory, error) {
	var rows []Memory
	for _, t := range targets {
		row := Memory{Name: t.Name}
		for _, keys := range sizes {
			t.Load.Keys, t.Load.Depth = keys, memoryDepth
			filled, err := p.filled(ctx, t, len(sizes) > 1, progress)
			if err != nil {
				return nil, fmt.Errorf("%s with %d keys: %w", t.Name, keys, err)
			}
			note(progress, "%s with %d keys: %.0f bytes a key\n", t.Name, keys, filled.BytesPerKey)
			row.Sizes = append(row.Sizes, filled)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// filled fills one, and measures how fast it is then where that is asked.
func (p Plan) filled(ctx context.Context, t Target, speed bool, progress io.Writer) (Filled, error) {
	targets := []Target{t}
	stop, err := start(ctx, targets)
	if err != nil {
		return Filled{}, err
	}
	defer stop()
	first := targets[0].Load
	first.Keys = firstKeys
	if _, err := Fill(ctx, first); err != nil {
		return Filled{}, err
	}
	pid := strconv.Itoa(targets[0].Load.PID)
	before, err := resident(pid)
	if err != nil {
		return Filled{}, err
	}
	if _, err := Fill(ctx, targets[0].Load); err != nil {
		return Filled{}, err
	}
	time.Sleep(settle)
	after, err := resident(pid)
	if err != nil {
		return Filled{}, err
	}
	f := Filled{Keys: t.Load.Keys, BytesPerKey: float64(after-before) / float64(t.Load.Keys-firstKeys)}
	if speed {
		c, err := measure(ctx, targets, p.Rounds, progress)
		if err != nil {
			return f, err
		}
		f.PerSec = &c.Rows[0].PerSec
	}
	return f, nil
}
