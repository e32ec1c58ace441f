package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"sluice/engine"
	"sluice/persistence"
)

// verify reads a data directory as a start would, and says what is in it.
func verify(args, _ []string, stdout, stderr io.Writer) int {
	repair := false
	var dirs []string
	for _, arg := range args {
		switch arg {
		case "--help", "-h":
			fmt.Fprintln(stdout, verifyHelp)
			return exitOK
		case "--repair":
			repair = true
		default:
			dirs = append(dirs, arg)
		}
	}
	if len(dirs) != 1 {
		fmt.Fprintln(stderr, verifyHelp)
		return exitUsage
	}
	if info, err := os.Stat(dirs[0]); err != nil || !info.IsDir() {
		fmt.Fprintf(stderr, "sluice: %s is no directory\n", dirs[0])
		return exitError
	}
	report, err := persistence.Verify(dirs[0], repair)
	if err != nil {
		fmt.Fprintln(stderr, "sluice:", err)
		return exitError
	}
	printReport(stdout, &report)
	if report.Err != nil {
		fmt.Fprintln(stderr, "sluice:", report.Err)
		return exitError
	}
	return exitOK
}

const verifyHelp = `Usage: sluice verify DIR [--repair]

Reads a data directory as a start would and says what is in it: files, records,
keys by kind, the newest change, damage. It changes nothing, and ends with 1 if a
server would not start.

  --repair  cut what a start would cut; cut logs where they are damaged, and set
            what is cut and damaged snapshots aside as NAME.damaged`

func printReport(w io.Writer, r *persistence.Report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "file\tbytes\trecords\tnewest change\t")
	for _, f := range r.Files {
		note := f.Damage
		switch {
		case f.Repaired != "":
			note = f.Repaired
		case f.Damage != "":
			note = fmt.Sprintf("%s at offset %d", f.Damage, f.Offset)
		case !f.Needed:
			note = "kept in case a newer snapshot is damaged"
		}
		records := int64(0)
		for _, n := range f.Records {
			records += n
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\n", f.Name, f.Bytes, records, instant(f.Newest), note)
	}
	fmt.Fprintln(table, "\nkind\tkeys")
	for _, k := range slices.Sorted(maps.Keys(r.Keys)) {
		fmt.Fprintf(table, "%s\t%d\n", k, r.Keys[k])
	}
	table.Flush()
	fmt.Fprintf(w, "\nnewest change: %s\n", instant(r.Newest))
}

// instant is a moment as people read it, "-" for none.
func instant(at engine.Instant) string {
	if at == 0 {
		return "-"
	}
	return time.Unix(0, int64(at)).UTC().Format("2006-01-02 15:04:05.000 UTC")
}
