package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A clientRow is a client library or tool that is run against the built binary with
// its defaults. clients/go/main.go tells what all of them do.
type clientRow struct {
	name    string
	script  string   // its example, in clients/
	run     []string // the program; the mode, the host and the ports follow
	version origin
	servers int // 1 if not said

	// parts are those of the session that a tool can do, all if empty.
	parts []part
	// cannot is what this client can't do, and why: a column of the matrix, or a
	// part in one mode ("cluster pipeline"). All else is tested.
	cannot map[string]string
	// unnamed says that its connections can't be looked at from outside.
	unnamed bool
}

// An origin is the lock that says which version is installed: "go MODULE",
// "npm PACKAGE" or "debian PACKAGE".
type origin string

// A mode is how a client talks, and what it needs from the server.
type mode struct {
	name, column string
	args         []string // of the server
	database     int
	protocol     string
}

var modes = []mode{
	{"resp2", "RESP2", nil, 3, "2"},
	{"resp3", "RESP3", nil, 3, "3"},
	{"cluster", "cluster face", []string{"--cluster-enabled", "yes"}, 0, ""},
}

// A part of the session, and its column of the matrix if it has one.
type part string

var session = []part{"connect", "limiters", "pipeline", "transaction", "error", "binary", "restart"}

const (
	onlyRESP2 = "speaks RESP2 only"
	noCluster = "has no cluster client"
)

var clientRows = []clientRow{
	{name: "go-redis", script: "go/goredis.go", run: []string{"./clients", "goredis"}, version: "go github.com/redis/go-redis/v9"},
	{name: "go-redis Ring", script: "go/goredis.go", run: []string{"./clients", "ring"}, version: "go github.com/redis/go-redis/v9",
		servers: 2, cannot: map[string]string{"cluster face": "spreads keys over servers by itself"}},
	{name: "rueidis", script: "go/rueidis.go", run: []string{"./clients", "rueidis"}, version: "go github.com/redis/rueidis"},
	{name: "redigo", script: "go/redigo.go", run: []string{"./clients", "redigo"}, version: "go github.com/gomodule/redigo",
		cannot: map[string]string{"RESP3": onlyRESP2, "cluster face": noCluster}},

	{name: "node-redis 4", script: "node/node-redis.js", run: node("node-redis.js", "redis4"), version: "npm redis4",
		cannot: map[string]string{"RESP3": onlyRESP2}},
	{name: "node-redis 5", script: "node/node-redis.js", run: node("node-redis.js", "redis5"), version: "npm redis5"},
	{name: "node-redis 6", script: "node/node-redis.js", run: node("node-redis.js", "redis6"), version: "npm redis6"},
	{name: "ioredis 5", script: "node/ioredis.js", run: node("ioredis.js", "ioredis5"), version: "npm ioredis5",
		cannot: map[string]string{"RESP3": onlyRESP2}},
	{name: "ioredis 6", script: "node/ioredis.js", run: node("ioredis.js", "ioredis6"), version: "npm ioredis6"},
	{name: "iovalkey", script: "node/ioredis.js", run: node("ioredis.js", "iovalkey"), version: "npm iovalkey",
		cannot: map[string]string{"RESP3": onlyRESP2}},
	{name: "valkey-glide (Node.js)", script: "node/valkey-glide.js", run: node("valkey-glide.js", "@valkey/valkey-glide"), version: "npm @valkey/valkey-glide"},

	// Debian's packages are of Debian's interpreters, whatever else a PATH has.
	{name: "redis-py", script: "python/redis_py.py", run: []string{"/usr/bin/python3", "clients/python/redis_py.py"}, version: "debian python3-redis",
		cannot: map[string]string{"RESP3": "this version " + onlyRESP2, "cluster transaction": "not with its cluster client"}},
	{name: "phpredis", script: "php/phpredis.php", run: []string{"/usr/bin/php", "clients/php/phpredis.php"}, version: "debian php-redis",
		cannot: map[string]string{"RESP3": onlyRESP2, "cluster pipeline": "not with its cluster client"}},
	{name: "Predis", script: "php/predis.php", run: []string{"/usr/bin/php", "clients/php/predis.php"}, version: "debian php-nrk-predis",
		cannot: map[string]string{"RESP3": "this version " + onlyRESP2, "cluster face": "its cluster client refuses commands that it doesn't know"}},
	{name: "redis-rb", script: "ruby/redis_rb.rb", run: []string{"/usr/bin/ruby", "clients/ruby/redis_rb.rb"}, version: "debian ruby-redis",
		cannot: map[string]string{"RESP3": "this version " + onlyRESP2}},
	{name: "Redis.pm", script: "perl/redis.pl", run: []string{"/usr/bin/perl", "clients/perl/redis.pl"}, version: "debian libredis-perl",
		cannot: map[string]string{"RESP3": onlyRESP2, "cluster face": noCluster}},
	{name: "hiredis", script: "c/hiredis.c", run: []string{"./hiredis"}, version: "debian libhiredis-dev",
		cannot: map[string]string{"RESP3": "this version " + onlyRESP2, "cluster face": noCluster}},
	{name: "redis-lua", script: "lua/redis.lua", run: []string{"/usr/bin/lua5.1", "clients/lua/redis.lua"}, version: "debian lua-redis",
		cannot: map[string]string{"RESP3": onlyRESP2, "cluster face": noCluster}},

	{name: "redis-cli", script: "shell/redis-cli.sh", run: []string{"sh", "clients/shell/redis-cli.sh"}, version: "debian redis-tools", unnamed: true},
	{name: "redis-benchmark", script: "shell/redis-benchmark.sh", run: []string{"sh", "clients/shell/redis-benchmark.sh"}, version: "debian redis-tools",
		parts: []part{"connect", "pipeline"}, unnamed: true,
		cannot: map[string]string{"transaction": "a load generator", "cluster face": "wants two masters or more"}},
	{name: "redis_exporter", script: "shell/redis-exporter.sh", run: []string{"bash", "clients/shell/redis-exporter.sh"}, version: "debian prometheus-redis-exporter",
		parts: []part{"connect", "restart"}, unnamed: true,
		cannot: map[string]string{"RESP3": onlyRESP2, "pipeline": "reads INFO and the like", "transaction": "reads INFO and the like", "cluster face": "not needed: it asks a server"}},
}

func node(script, library string) []string {
	return []string{"node", "clients/node/" + script, library}
}

// expected are the parts of the session that a client has to do in a mode.
func (row clientRow) expected(m mode) (parts []part) {
	for _, p := range session {
		_, never := row.cannot[string(p)]
		_, notHere := row.cannot[m.name+" "+string(p)]
		left := len(row.parts) > 0 && !slices.Contains(row.parts, p)
		if !never && !notHere && !left {
			parts = append(parts, p)
		}
	}
	return parts
}

// locked is the version that a lock file names.
func locked(t *testing.T, from origin) string {
	kind, name, _ := strings.Cut(string(from), " ")
	var version string
	switch kind {
	case "go":
		version = match(readFile(t, "../../go.mod"), `(?m)^\s*`+regexp.QuoteMeta(name)+` v(\S+)`)
	case "debian":
		version = match(readFile(t, "clients/debian.lock"), `(?m)^`+regexp.QuoteMeta(name)+` (\S+)$`)
	case "npm":
		var lock struct {
			Packages map[string]struct{ Version string }
		}
		if err := json.Unmarshal([]byte(readFile(t, "clients/node/package-lock.json")), &lock); err != nil {
			t.Fatal(err)
		}
		version = lock.Packages["node_modules/"+name].Version
	}
	if version == "" {
		t.Fatalf("no lock file names the version of %q", from)
	}
	return version
}

func match(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// clientMatrix is the table of clients in the documents, whose folder is at root
// from there. A yes is a test that runs: TestClients runs all of them.
func clientMatrix(t *testing.T, root string) string {
	var b strings.Builder
	fmt.Fprint(&b, "| client | version | RESP2 | RESP3 | pipeline | transaction | cluster face | why not |\n|---|---|---|---|---|---|---|---|\n")
	columns := []string{"RESP2", "RESP3", "pipeline", "transaction", "cluster face"}
	for _, row := range clientRows {
		fmt.Fprintf(&b, "| [%s](%scmd/sluice/clients/%s) | %s |", row.name, root, row.script, locked(t, row.version))
		var reasons []string
		for _, column := range columns {
			reason, cannot := row.cannot[column]
			fmt.Fprintf(&b, " %s |", map[bool]string{true: "–", false: "yes"}[cannot])
			if cannot {
				reasons = append(reasons, column+": "+reason)
			}
			if reason := row.cannot["cluster "+column]; reason != "" {
				reasons = append(reasons, column+": "+reason)
			}
		}
		fmt.Fprintf(&b, " %s |\n", strings.Join(reasons, "; "))
	}
	return b.String()
}
