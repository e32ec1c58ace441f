package bench

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Servers are command lines of servers by name, as StartServer takes them.
type Servers map[string]string

// KnownServers are this very program and the redis-server in the path, both without
// persistence.
func KnownServers() (Servers, error) {
	help, err := serveHelp()
	if err != nil {
		return nil, err
	}
	return help.servers(), nil
}

func (h help) servers() Servers {
	ours, theirs := h.sluice(fsyncs[0]), redis(fsyncs[0])
	return Servers{"sluice": ours, "redis": theirs, "sluice-tls": overTLS(ours), "redis-tls": overTLS(theirs)}
}

// overTLS is the command line of a server that speaks TLS and nothing else.
func overTLS(line string) string {
	const options = "--port 0 --tls-port {port} --tls-cert-file {cert} --tls-key-file {key} --tls-auth-clients no"
	return strings.Replace(line, "--port {port}", options, 1)
}

// A fsync is a promise of what survives a crash, and the options that make it.
type fsync struct {
	name    string
	options []string
}

// fsyncs are the promises, the weakest first.
var fsyncs = [...]fsync{
	{"no log", []string{"--appendonly no", `--save ""`}},
	{"log, fsync every second", []string{"--appendonly yes", "--appendfsync everysec", `--save ""`}},
	{"log, fsync always", []string{"--appendonly yes", "--appendfsync always", `--save ""`}},
}

func redis(f fsync) string {
	return "redis-server --bind 127.0.0.1 --port {port} --dir {dir} " + strings.Join(f.options, " ")
}

// A help is what a Sluice says of its options.
type help struct{ program, text string }

// serveHelp asks this program.
func serveHelp() (help, error) {
	program, err := os.Executable()
	if err != nil {
		return help{}, err
	}
	text, err := exec.Command(program, "serve", "--help").Output()
	if err != nil {
		return help{}, fmt.Errorf("%s serve --help: %w", program, err)
	}
	return help{program, string(text)}, nil
}

// sluice is the command line of the program as a server, with those of the options
// that it has.
func (h help) sluice(f fsync) string {
	line := fmt.Sprintf("%q serve --port {port} --loglevel warning", h.program)
	for _, option := range append([]string{"--dir {dir}"}, f.options...) {
		if h.has(option) {
			line += " " + option
		}
	}
	return line
}

// has looks for "--name" at the beginning of a line.
func (h help) has(option string) bool {
	name, _, _ := strings.Cut(option, " ")
	for line := range strings.Lines(h.text) {
		if first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first == name {
			return true
		}
	}
	return false
}
