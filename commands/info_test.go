package commands

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/engine/memstore"
)

// asked are the fields that redis-cli --stat, the Prometheus exporter and client
// libraries look for, with the sections they look in.
const asked = `
Server redis_version redis_mode os process_id run_id tcp_port uptime_in_seconds sluice_version
Clients connected_clients blocked_clients maxclients tracking_clients
Memory used_memory used_memory_human used_memory_rss maxmemory maxmemory_policy mem_fragmentation_ratio
Persistence loading rdb_bgsave_in_progress aof_enabled aof_rewrite_in_progress
Stats total_connections_received total_commands_processed instantaneous_ops_per_sec total_net_input_bytes
Stats total_net_output_bytes rejected_connections expired_keys evicted_keys pubsub_channels pubsub_patterns latest_fork_usec
Replication role connected_slaves
CPU used_cpu_sys used_cpu_user
Errorstats errorstat_ERR
Cluster cluster_enabled
Keyspace db0 db3
Ratelimit granted limited decisions_token-bucket`

// sectionsOf reads an INFO: a map of sections to maps of fields.
func sectionsOf(t *testing.T, text string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for part := range strings.SplitSeq(text, "\r\n\r\n") {
		lines := strings.Split(strings.TrimSuffix(part, "\r\n"), "\r\n")
		title, ok := strings.CutPrefix(lines[0], "# ")
		if !ok || all[title] != nil {
			t.Fatalf("not a section of its own: %q", lines[0])
		}
		all[title] = map[string]string{}
		for _, line := range lines[1:] {
			name, value, ok := strings.Cut(line, ":")
			if _, twice := all[title][name]; !ok || twice {
				t.Errorf("%s: %q", title, line)
			}
			all[title][name] = value
		}
	}
	return all
}

func TestInfoHasWhatToolsAskFor(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	for _, line := range []string{"TB.TAKE k 1 1", "TB.TAKE k 1 1", "NOPE", "SELECT 3", "TB.TAKE k 1 1"} {
		session.do(strings.Fields(line)...)
	}
	for _, arg := range []string{"", "default", "all", "everything"} {
		got := sectionsOf(t, session.do(strings.Fields("INFO "+arg)...).Text)
		for line := range strings.SplitSeq(strings.TrimSpace(asked), "\n") {
			words := strings.Fields(line)
			for _, name := range words[1:] {
				if got[words[0]][name] == "" {
					t.Errorf("INFO %s: no %s in %s", arg, name, words[0])
				}
			}
		}
		if (got["Commandstats"] != nil) != (arg == "all" || arg == "everything") {
			t.Errorf("INFO %s: %v", arg, got["Commandstats"])
		}
		if got["Ratelimit"]["decisions_token-bucket"] != "granted=2,limited=1" || got["Keyspace"]["db3"] != "keys=1,expires=1" {
			t.Errorf("%v %v", got["Ratelimit"], got["Keyspace"])
		}
	}
}

func TestInfoMemoryIsTrue(t *testing.T) {
	m := readMemory()
	if m.heap < 1<<18 || m.heap > 1<<32 || m.resident < m.heap/2 || m.resident > 1<<34 {
		t.Errorf("%+v", m)
	}
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.00K", 1536: "1.50K", 3 << 20: "3.00M", 5 << 40: "5.00T"} {
		if got := human(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestCommandStats(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	session := testSession(t, store)
	for _, line := range []string{"PING", "PING", "PING a b", "ECHO", "TB.TAKE k x 1", "CLIENT SETNAME me"} {
		session.do(strings.Fields(line)...)
	}
	fields := sectionsOf(t, session.do("INFO", "commandstats").Text)["Commandstats"]
	for name, want := range map[string]string{
		"cmdstat_ping":           `calls=3,.*,rejected_calls=0,failed_calls=1`,
		"cmdstat_echo":           `calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0`,
		"cmdstat_tb.take":        `calls=1,.*,rejected_calls=0,failed_calls=1`,
		"cmdstat_client|setname": `calls=1,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=0`,
	} {
		if !regexp.MustCompile("^" + want + "$").MatchString(fields[name]) {
			t.Errorf("%s: %s", name, fields[name])
		}
	}
}

func TestRates(t *testing.T) {
	start := time.Unix(1000, 0)
	var s Stats
	tests := []struct {
		after    time.Duration
		commands int64
		want     float64
	}{
		{0, 0, 0},
		{time.Second, 500, 500},
		{1500 * time.Millisecond, 1250, 1500}, // the first sample is still of lately, the rate since then
		{10 * time.Second, 1250, 0},
	}
	tests[2].want = 1250 / 1.5
	for _, test := range tests {
		t.Run(strconv.Itoa(int(test.after.Milliseconds())), func(t *testing.T) {
			now := start.Add(test.after)
			s.Commands.Store(test.commands)
			if got := s.rates.at(&s, now).commands; got < test.want-1 || got > test.want+1 {
				t.Errorf("%v a second, want %v", got, test.want)
			}
			s.rates.note(&s, now)
			s.rates.note(&s, now.Add(time.Millisecond)) // too soon to count
		})
	}
	if n := s.rates.next; n != len(tests) {
		t.Errorf("%d samples", n)
	}
}
