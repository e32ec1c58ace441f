package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/commands"
	"sluice/commands/config"
)

var update = flag.Bool("update", false, "write the generated parts of the documents anew")

var generated = regexp.MustCompile(`(?s)<!-- generated: ([^>]*) -->\n.*?<!-- end -->`)

// TestDocuments compares the tables in the documents with the tables in the code.
// go test ./cmd/sluice -run TestDocuments -update writes them.
func TestDocuments(t *testing.T) {
	for _, file := range documents(t) {
		old := readFile(t, file)
		now := generated.ReplaceAllStringFunc(old, func(block string) string {
			what := generated.FindStringSubmatch(block)[1]
			return "<!-- generated: " + what + " -->\n" + generate(t, what) + "<!-- end -->"
		})
		if now == old {
			continue
		}
		if !*update {
			t.Errorf("%s is out of date: go test ./cmd/sluice -run TestDocuments -update", file)
			continue
		}
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryCommandIsDocumented holds that no group of commands is left out.
func TestEveryCommandIsDocumented(t *testing.T) {
	text := readFile(t, "../../docs/commands.md")
	for _, c := range commands.NewTable().Rows() {
		if !strings.Contains(text, "`"+c.Name) {
			t.Errorf("docs/commands.md has no row for %s", c.Name)
		}
	}
}

func documents(t *testing.T) []string {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(files, "../../README.md")
}

func readFile(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func generate(t *testing.T, what string) string {
	var b strings.Builder
	kind, group, _ := strings.Cut(what, " ")
	switch kind {
	case "commands":
		fmt.Fprint(&b, "| command | arguments | what it does |\n|---|---|---|\n")
		for _, c := range commands.NewTable().Rows() {
			if string(c.Group) == group {
				commandRows(&b, c)
			}
		}
	case "clients":
		return clientMatrix(t, group)
	case "options":
		fmt.Fprint(&b, "| option | default | values | live | meaning |\n|---|---|---|---|---|\n")
		for _, o := range config.Options {
			fmt.Fprintf(&b, "| `%s` | `%q` | %s | %s | %s |\n", o.Name, o.Default, cell(o.Type.Usage), map[bool]string{true: "yes"}[o.Live], cell(o.Doc))
		}
	default:
		t.Fatalf("nothing generates %q", what)
	}
	return b.String()
}

func commandRows(b *strings.Builder, c *commands.Command) {
	if len(c.Subcommands) == 0 || c.Run != nil {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, code(c.Usage), cell(c.Summary))
	}
	for _, sub := range c.Subcommands {
		fmt.Fprintf(b, "| `%s %s` | %s | %s |\n", c.Name, sub.Name, code(sub.Usage), cell(sub.Summary))
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

// cell is text that a cell of a table can hold.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// TestReadmeSession types the README's session into redis-cli and compares what
// comes back with what is printed there.
func TestReadmeSession(t *testing.T) {
	server := start(t, "--enable-debug-command", "yes")
	server.cli(t, "DEBUG", "CLOCK", "SET", "1800000000000")
	const prompt = "127.0.0.1:6390> "
	asked := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(readFile(t, "../../README.md"), -1) {
		calls := strings.Split(block[1], prompt)
		for _, call := range calls[1:] {
			command, want, _ := strings.Cut(call, "\n")
			got := server.cli(t, append([]string{"--no-raw"}, strings.Fields(command)...)...)
			if strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("%s\n printed %s\nREADME %s", command, got, want)
			}
			asked++
		}
	}
	if asked < 5 {
		t.Errorf("the README has %d commands in its session, want 5 or more", asked)
	}
}
