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
	self, err := sluice("--appendonly no", `--save ""`)
	if err != nil {
		return nil, err
	}
	return Servers{"sluice": self, "redis": redis(`--appendonly no --save ""`)}, nil
}

func redis(options string) string {
	return "redis-server --bind 127.0.0.1 --port {port} --dir {dir} " + options
}

// sluice is the command line of this program as a server, with those of the options
// that it has.
func sluice(options ...string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	help, err := exec.Command(path, "serve", "--help").Output()
	if err != nil {
		return "", fmt.Errorf("%s serve --help: %w", path, err)
	}
	line := fmt.Sprintf("%q serve --port {port} --loglevel warning", path)
	for _, option := range append(options, "--dir {dir}") {
		if hasOption(string(help), option) {
			line += " " + option
		}
	}
	return line, nil
}

// hasOption looks for "--name " at the beginning of a line of a help text.
func hasOption(help, option string) bool {
	name, _, _ := strings.Cut(option, " ")
	for line := range strings.Lines(help) {
		if first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first == name {
			return true
		}
	}
	return false
}
