#!/bin/bash
# redis_exporter, which shows INFO to Prometheus: redis-exporter.sh resp2 HOST PORT
set -eu
host=$2 port=$3
exporter=$((port + 5000)) # where it listens
log=$(mktemp)
prometheus-redis-exporter -redis.addr "redis://$host:$port" -web.listen-address "$host:$exporter" 2>"$log" &
trap 'kill $!; rm -f "$log"' EXIT

scrape() { # the page that Prometheus would get, or nothing
	printf 'GET /metrics HTTP/1.0\r\n\r\n' | { cat >&3 && cat <&3; } 3<>"/dev/tcp/$host/$exporter"
}
# want LINE: the page has one that begins so.
want() { grep -q "^$1" <<<"$page" || { echo "no '$1' in:" >&2; grep '^redis_' <<<"$page" >&2; exit 1; }; }

for _ in $(seq 400); do
	page=$(scrape 2>/dev/null) && break
	sleep 0.05
done
echo "version $(sed -n 's/^redis_exporter_build_info{.*version="\([0-9.]*\).*/\1/p' <<<"$page")"
want 'redis_up 1'
want 'redis_instance_info{'
redis-cli -h "$host" -p "$port" -n 3 CL.THROTTLE after:restart 4 10 60 >/dev/null
page=$(scrape)
want 'redis_commands_total{cmd="cl.throttle"} 1'
want 'redis_db_keys{db="db3"} 1'
want 'redis_connected_clients '
want 'redis_memory_used_bytes '
echo ok connect

echo ready for restart
read -r _
page=$(scrape)
want 'redis_up 1'
redis-cli -h "$host" -p "$port" -n 3 CL.THROTTLE after:restart 4 10 60 >/dev/null
echo ok restart
