package commands

import (
	"fmt"
	"slices"
	"strings"
)

// A section is a part of INFO.
type section struct {
	title string
	extra bool // shown only when asked for, by name or by "all"
	write func(c *Session, b *infoText)
}

// sections is all of INFO, in Redis's order and then ours.
func sections() []section {
	return []section{
		{title: "Server", write: infoServer},
		{title: "Clients", write: infoClients},
		{title: "Memory", write: infoMemory},
		{title: "Persistence", write: infoPersistence},
		{title: "Stats", write: infoStats},
		{title: "Replication", write: infoReplication},
		{title: "CPU", write: infoCPU},
		{title: "Modules", write: func(*Session, *infoText) {}}, // there are none
		{title: "Commandstats", extra: true, write: infoCommandStats},
		{title: "Errorstats", write: infoErrorStats},
		{title: "Latencystats", extra: true, write: infoLatencyStats},
		{title: "Cluster", write: infoCluster},
		{title: "Keyspace", write: infoKeyspace},
		{title: "Ratelimit", write: infoRateLimit},
	}
}

// infoText is the text of INFO so far.
type infoText struct {
	strings.Builder
	err error // of the store
}

// field adds a line.
func (b *infoText) field(name string, value any) { fmt.Fprintf(b, "%s:%v\r\n", name, value) }

// info answers the sections that are named: by their titles, or "default", "all"
// or "everything". A name that no section has is nothing, as in Redis.
func info(c *Session, args [][]byte) (Reply, error) {
	c.Settle()
	wanted := make([]string, 0, len(args))
	for _, arg := range args[1:] {
		wanted = append(wanted, strings.ToLower(string(arg[:min(len(arg), maxNameBytes)])))
	}
	if len(wanted) == 0 {
		wanted = []string{"default"}
	}
	all := slices.Contains(wanted, "all") || slices.Contains(wanted, "everything")
	usual := slices.Contains(wanted, "default")
	var b infoText
	for _, s := range sections() {
		if !all && (!usual || s.extra) && !slices.Contains(wanted, strings.ToLower(s.title)) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("# " + s.title + "\r\n")
		s.write(c, &b)
	}
	return bulk(b.String()), b.err
}
