package commands

import (
	"fmt"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"

	"sluice/commands/config"
)

func infoMemory(c *Session, b *infoText) {
	m := readMemory()
	b.field("used_memory", m.heap)
	b.field("used_memory_human", human(m.heap))
	b.field("used_memory_rss", m.resident)
	b.field("used_memory_rss_human", human(m.resident))
	b.field("used_memory_dataset", c.store.Usage().Bytes)
	b.field("used_memory_lua", 0)
	most := c.service.Config.Number(config.MaxMemory)
	b.field("maxmemory", most)
	b.field("maxmemory_human", human(most))
	b.field("maxmemory_policy", c.service.Config.String(config.MaxMemoryPolicy))
	b.field("mem_fragmentation_ratio", fmt.Sprintf("%.2f", float64(m.resident)/float64(max(m.heap, 1))))
	b.field("mem_allocator", "go")
}

// memory is what the process has: the heap in use, and all that the system has
// given it for good.
type memory struct{ heap, resident int64 }

func readMemory() memory {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	n := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	m := memory{heap: n(0) + n(1), resident: n(2) - n(3)}
	// Linux knows better, for the code and the stacks of C are resident too.
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				m.resident = pages * int64(os.Getpagesize())
			}
		}
	}
	return m
}

// human is a number of bytes as Redis writes it for people.
func human(n int64) string {
	value, unit := float64(n), "B"
	for _, next := range []string{"K", "M", "G", "T"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	if unit == "B" {
		return strconv.FormatInt(n, 10) + unit
	}
	return strconv.FormatFloat(value, 'f', 2, 64) + unit
}
