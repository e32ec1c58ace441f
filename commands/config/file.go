package config

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadFile sets options from a file in redis.conf's syntax: a line an option, #
// for comments, `include path` for another file. An error names the file and line.
func (c *Config) ReadFile(path string) error { return c.readFile(path, nil) }

// readFile reads a file that is included by others.
func (c *Config) readFile(path string, by []string) error {
	if slices.Contains(by, path) {
		return fmt.Errorf("%s includes itself", path)
	}
	by = append(by, path)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := c.line(lines.Text(), by); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (c *Config) line(line string, by []string) error {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return nil
	}
	words, ok := Words([]byte(line))
	if !ok {
		return fmt.Errorf("unbalanced quotes")
	}
	if len(words) == 0 {
		return nil
	}
	values := make([]string, len(words)-1)
	for i, w := range words[1:] {
		values[i] = string(w)
	}
	if len(values) == 0 {
		return fmt.Errorf("option '%s' has no value", words[0])
	}
	if strings.EqualFold(string(words[0]), "include") {
		other := values[0]
		if !filepath.IsAbs(other) {
			other = filepath.Join(filepath.Dir(by[len(by)-1]), other)
		}
		return c.readFile(other, by)
	}
	return c.Start(string(words[0]), c.gather(string(words[0]), strings.Join(values, " ")))
}

// gather is the value of a line. Several lines of save are one list, as in Redis,
// unless the last is empty.
func (c *Config) gather(name, text string) string {
	if !strings.EqualFold(name, string(Save)) {
		return text
	}
	if c.saves && text != "" {
		text = c.String(Save) + " " + text
	}
	c.saves = true
	return text
}

// envPrefix begins the name of an environment variable that sets an option.
const envPrefix = "SLUICE_"

// ReadEnv sets options from environment variables: SLUICE_MAXCLIENTS=100,
// SLUICE_PROTECTED_MODE=no. environ is as os.Environ gives it.
func (c *Config) ReadEnv(environ []string) error {
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if option, ours := strings.CutPrefix(name, envPrefix); ours && !isServiceLink(name, text) {
			option = strings.ReplaceAll(strings.ToLower(option), "_", "-")
			if err := c.Start(option, text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// isServiceLink spots what Kubernetes sets in every container beside a Service that
// is called sluice: SLUICE_PORT=tcp://10.0.0.1:6390, SLUICE_SERVICE_HOST, ….
func isServiceLink(name, text string) bool {
	return strings.HasPrefix(name, envPrefix+"SERVICE_") || strings.HasPrefix(name, envPrefix+"PORT_") ||
		name == envPrefix+"PORT" && strings.Contains(text, "://")
}

// ReadFlags sets options from a command line: --port 6390, --port=6390, and
// several values up to the next flag (--bind 127.0.0.1 ::1).
func (c *Config) ReadFlags(args []string) error {
	for i := 0; i < len(args); {
		name, isFlag := strings.CutPrefix(args[i], "--")
		if !isFlag {
			return fmt.Errorf("unexpected argument '%s'", args[i])
		}
		i++
		name, text, hasText := strings.Cut(name, "=")
		if !hasText {
			first := i
			for i < len(args) && !strings.HasPrefix(args[i], "--") {
				i++
			}
			if first == i {
				return fmt.Errorf("option '--%s' has no value", name)
			}
			text = strings.Join(args[first:i], " ")
		}
		if err := c.Start(name, text); err != nil {
			return err
		}
	}
	return nil
}
