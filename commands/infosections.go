package commands

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"sluice/commands/config"
	"sluice/engine"
)

// Every value below is true. Where Redis has a field for something that does not
// exist here, it is there only if zero or "no" is the truth.

func infoServer(c *Session, b *infoText) {
	s := c.service
	up := time.Since(s.Started)
	b.field("redis_version", redisVersion)
	b.field("sluice_version", s.Version)
	b.field("redis_mode", s.mode())
	b.field("os", runtime.GOOS+" "+runtime.GOARCH)
	b.field("arch_bits", 32<<(^uint(0)>>63))
	b.field("go_version", runtime.Version())
	b.field("process_id", os.Getpid())
	b.field("run_id", s.RunID)
	if port := cmp.Or(s.Config.Number(config.Port), s.Config.Number(config.TLSPort)); port != 0 {
		b.field("tcp_port", port)
	}
	b.field("server_time_usec", int64(s.Store.Now())/int64(time.Microsecond))
	b.field("uptime_in_seconds", seconds(up))
	b.field("uptime_in_days", seconds(up)/(24*60*60))
	if path, err := os.Executable(); err == nil {
		b.field("executable", path)
	}
}

func infoClients(c *Session, b *infoText) {
	b.field("connected_clients", c.service.Sessions.Len())
	b.field("cluster_connections", 0)
	b.field("maxclients", c.service.Config.Number(config.MaxClients))
	b.field("blocked_clients", c.service.pause.waiting.Load())
	b.field("tracking_clients", c.service.tracking.any.Load())
	b.field("clients_in_timeout_table", 0)
}

func infoPersistence(c *Session, b *infoText) {
	for _, f := range c.service.Persistence.Fields() {
		if f.Text != "" {
			b.field(f.Name, f.Text)
			continue
		}
		b.field(f.Name, f.Number)
	}
}

func infoStats(c *Session, b *infoText) {
	s := c.service.Stats
	now := s.rates.at(s, time.Now())
	b.field("total_connections_received", s.Connections.Load())
	b.field("total_commands_processed", s.Commands.Load())
	b.field("instantaneous_ops_per_sec", int64(now.commands))
	b.field("total_net_input_bytes", s.InputBytes.Load())
	b.field("total_net_output_bytes", s.OutputBytes.Load())
	b.field("instantaneous_input_kbps", fmt.Sprintf("%.2f", now.inputBytes/1024))
	b.field("instantaneous_output_kbps", fmt.Sprintf("%.2f", now.outputBytes/1024))
	b.field("rejected_connections", s.Rejected.Load())
	usage := s.usage(c.store.Usage())
	b.field("expired_keys", usage.Expired)
	b.field("evicted_keys", usage.Evicted)
	b.field("evicted_clients", 0)
	b.field("pubsub_channels", c.service.pubSub.topics(channels))
	b.field("pubsub_patterns", c.service.pubSub.topics(patterns))
	b.field("pubsubshard_channels", c.service.pubSub.topics(shardChannels))
	keys, pairs, prefixes := c.service.tracking.counts()
	b.field("tracking_total_keys", keys)
	b.field("tracking_total_items", pairs)
	b.field("tracking_total_prefixes", prefixes)
	b.field("latest_fork_usec", 0)
	b.field("total_forks", 0)
	var errors int64
	for _, n := range s.Errors.all() {
		errors += n
	}
	b.field("total_error_replies", errors)
}

func infoReplication(_ *Session, b *infoText) {
	b.field("role", "master")
	b.field("connected_slaves", 0)
	b.field("master_failover_state", "no-failover")
	b.field("repl_backlog_active", 0)
}

func infoCommandStats(c *Session, b *infoText) {
	c.service.Table.each(func(cmd *Command) {
		calls, rejected := cmd.stats.calls.Load(), cmd.stats.rejected.Load()
		if calls == 0 && rejected == 0 {
			return
		}
		micros := cmd.stats.nanos.Load() / 1000
		b.field("cmdstat_"+cmd.FullName(), fmt.Sprintf(
			"calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			calls, micros, float64(micros)/float64(max(calls, 1)), rejected, cmd.stats.failed.Load()))
	})
}

func infoLatencyStats(c *Session, b *infoText) {
	c.service.Table.each(func(cmd *Command) {
		if h := &cmd.stats.latency; cmd.stats.calls.Load() > 0 {
			b.field("latency_percentiles_usec_"+cmd.FullName(), fmt.Sprintf(
				"p50=%d,p99=%d,p99.9=%d", h.percentile(500), h.percentile(990), h.percentile(999)))
		}
	})
}

func infoErrorStats(c *Session, b *infoText) {
	errors := c.service.Stats.Errors.all()
	for _, prefix := range slices.SortedFunc(maps.Keys(errors), cmp.Compare[string]) {
		b.field("errorstat_"+prefix, fmt.Sprintf("count=%d", errors[prefix]))
	}
}

func infoCluster(c *Session, b *infoText) {
	b.field("cluster_enabled", c.service.Config.Number(config.ClusterEnabled))
}

// infoKeyspace tells the databases that have keys. All keys here expire.
func infoKeyspace(c *Session, b *infoText) {
	for db := range int(c.service.Config.Number(config.Databases)) {
		n, err := c.store.Len(c.ctx, db)
		if err != nil {
			b.err = err
			return
		}
		if n > 0 {
			b.field(fmt.Sprintf("db%d", db), fmt.Sprintf("keys=%d,expires=%d", n, n))
		}
	}
}

// infoRateLimit tells how many calls were granted and limited, in all and by
// algorithm.
func infoRateLimit(c *Session, b *infoText) {
	var granted, limited int64
	var each strings.Builder
	for _, k := range engine.Kinds() {
		g, l := c.service.Stats.Decisions(k)
		granted, limited = granted+g, limited+l
		fmt.Fprintf(&each, "decisions_%s:granted=%d,limited=%d\r\n", k, g, l)
	}
	b.field("granted", granted)
	b.field("limited", limited)
	b.WriteString(each.String())
}
