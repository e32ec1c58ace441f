package persistence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type fileKind uint8

const (
	logFile fileKind = iota
	snapshotFile
)

var suffixes = [...]string{logFile: ".log", snapshotFile: ".snapshot"}

const (
	lockName  = "LOCK"
	temporary = ".tmp"     // behind the name of a file that is not whole yet
	aside     = ".damaged" // behind the name of what a repair has set aside
	digits    = 10
)

// A name is the name of a file.
type name struct {
	kind   fileKind
	number uint64
}

func (n name) String() string { return fmt.Sprintf("%0*d%s", digits, n.number, suffixes[n.kind]) }

func parseName(s string) (name, bool) {
	for kind, suffix := range suffixes {
		number, ok := strings.CutSuffix(s, suffix)
		if !ok || len(number) < digits {
			continue
		}
		n, err := strconv.ParseUint(number, 10, 63)
		if found := (name{fileKind(kind), n}); err == nil && n > 0 && found.String() == s {
			return found, true
		}
	}
	return name{}, false
}

// A listing is what lies in a directory, in order of number.
type listing struct {
	snapshots, logs []uint64
	temporary       []string
}

func list(d Disk) (listing, error) {
	var l listing
	names, err := d.List()
	for _, s := range names {
		n, ok := parseName(s)
		switch {
		case strings.HasSuffix(s, temporary):
			l.temporary = append(l.temporary, s)
		case ok && n.kind == logFile:
			l.logs = append(l.logs, n.number)
		case ok && n.kind == snapshotFile:
			l.snapshots = append(l.snapshots, n.number)
		}
	}
	slices.Sort(l.logs)
	slices.Sort(l.snapshots)
	return l, err
}

// last is the greatest number that any file has.
func (l listing) last() uint64 {
	return max(last(l.logs), last(l.snapshots))
}

func last(numbers []uint64) uint64 {
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

// from is the logs with a number of at least n.
func (l listing) from(n uint64) []uint64 {
	i, _ := slices.BinarySearch(l.logs, n)
	return l.logs[i:]
}
