// Command sluice is the rate limit server. This package owns flags, wiring,
// signals and exit codes; everything else is a room of its own.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// version is set by the release build; a build from source says which commit.
var version = "0.1.0"

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// A subcommand is a row of what the program can do.
type subcommand struct {
	name, usage, summary string
	run                  func(args, environ []string, stdout, stderr io.Writer) int
}

// subcommands is every subcommand; the first is what runs when none is named.
func subcommands() []subcommand {
	return []subcommand{
		{"serve", "[CONFIG-FILE] [--OPTION VALUE]...", "run the server (the default)", serve},
		{"verify", "DIR [--repair]", "say what is in a data directory, and whether a server would start from it", verify},
		{"bench", "[compare|report] [OPTION]...", "make load, measure and compare servers", benchmark},
	}
}

func run(args, environ []string, stdout, stderr io.Writer) int {
	all := subcommands()
	if len(args) > 0 {
		switch args[0] {
		case "--help", "-h", "help":
			usage(stdout)
			return exitOK
		case "--version", "-v", "version":
			fmt.Fprintln(stdout, "sluice", fullVersion())
			return exitOK
		}
		for _, sub := range all {
			if args[0] == sub.name {
				return sub.run(args[1:], environ, stdout, stderr)
			}
		}
	}
	return all[0].run(args, environ, stdout, stderr)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Sluice is a rate limit server that speaks Redis.")
	fmt.Fprintln(w, "\nUsage:")
	for _, sub := range subcommands() {
		fmt.Fprintf(w, "  sluice %s %s\n        %s\n", sub.name, sub.usage, sub.summary)
	}
	fmt.Fprintln(w, "  sluice --version\n\nsluice serve --help lists the options.")
}

func fullVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return version + " (" + s.Value[:min(12, len(s.Value))] + ")"
			}
		}
	}
	return version
}
