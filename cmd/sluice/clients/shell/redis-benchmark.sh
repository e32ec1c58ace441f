#!/bin/sh
# redis-benchmark: redis-benchmark.sh resp2|resp3 HOST PORT
set -eu
mode=$1 host=$2 port=$3
options='-q --dbnum 3'
[ "$mode" = resp3 ] && options="$options -3"
measure() {
	redis-benchmark -h "$host" -p "$port" $options "$@" >"$out" 2>&1 || { cat "$out" >&2; exit 1; }
	if ! grep -q 'requests per second' "$out" || grep -qi error "$out"; then cat "$out" >&2 && exit 1; fi
}
limited() { redis-cli -h "$host" -p "$port" -n 3 FW.INCR "$1" 2000 year 0 | head -1; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT

echo "version $(redis-benchmark --version | cut -d' ' -f2)"
measure -n 2000 -c 10 FW.INCR plain 2000 year
[ "$(limited plain)" = 1 ] || { echo '2000 requests did not count 2000' >&2; exit 1; }
echo ok connect

measure -n 2000 -c 10 -P 100 FW.INCR piped 2000 year
[ "$(limited piped)" = 1 ] || { echo '2000 piped requests did not count 2000' >&2; exit 1; }
echo ok pipeline
