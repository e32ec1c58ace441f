#!/bin/sh
# redis-cli: redis-cli.sh resp2|resp3|cluster HOST PORT
set -eu
mode=$1 host=$2 port=$3
case $mode in
resp2) options='-n 3' ;;
resp3) options='-n 3 -3' ;;
cluster) options='-c' ;;
esac
cli() { redis-cli -h "$host" -p "$port" $options "$@"; }
# want WHAT REPLY: what is read is to begin so, its lines joined by spaces.
want() {
	got=$(tr '\n' ' ')
	case $got in
	"$2"*) ;;
	*) echo "$1: got $got, want $2" >&2 && exit 1 ;;
	esac
}

echo "version $(redis-cli --version | cut -d' ' -f2)"
printf 'CLIENT SETNAME demo\nCLIENT GETNAME\n' | cli | want "the connection's name" 'OK demo'
[ "$mode" = resp3 ] && protocol=3 || protocol=2
cli CLIENT INFO | grep -q " resp=$protocol" || { echo "not RESP$protocol" >&2; exit 1; }
echo ok connect

cli CL.THROTTLE user:42 4 10 60 | want CL.THROTTLE '0 5 4 -1 6 '
while read -r call; do
	read -r reply
	cli $call | want "$call" "$reply"
done <<END
TB.TAKE tb 10 1 4
0 10 6 -1 4000
FW.INCR fw 100 1h
0 100 99 -1
SW.HIT sw 100 60
0 100 99 -1
SL.HIT sl 100 60
0 100 99 -1 60000
LB.ADD lb 4 1
0 5 4 -1 1000
GCRA gcra 4 10 60
0 5 4 -1 6
CC.ACQUIRE cc 2 60 TOKEN t1
0 2 1 -1 60000 t1
CC.RENEW cc t1 90s
1
CC.RELEASE cc t1
1
CC.RELEASE cc t1
0
RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60
0  -1 0 10 9 -1 100 0 100 99 -1 60000
END
echo ok limiters

i=0
while [ $i -lt 1000 ]; do
	echo FW.INCR pipe 600 year
	i=$((i + 1))
done | cli --pipe | grep -q 'errors: 0, replies: 1000' || { echo '--pipe lost something' >&2; exit 1; }
cli FW.INCR pipe 600 year | want 'after 1000 calls' '1 600 0 '
echo ok pipeline

printf 'MULTI\nCL.THROTTLE {tx}:a 4 10 60\nTB.TAKE {tx}:b 10 1\nEXEC\n' | cli |
	want 'MULTI ... EXEC' 'OK QUEUED QUEUED 0 5 4 -1 6 0 10 9 -1 1000 '
echo ok transaction

cli TB.TAKE user:42 10 1 | want 'TB.TAKE on a CL.THROTTLE key' 'WRONGTYPE '
if cli -e TB.TAKE user:42 10 1 >/dev/null 2>&1; then echo 'an error with -e exits 0' >&2 && exit 1; fi
echo ok error

printf 'CL.THROTTLE "bin\\x00\\r\\n\\xff" 4 10 60\nEXISTS "bin\\x00\\r\\n\\xff"\n' | cli | want 'a binary key' '0 5 4 -1 6 1 '
echo ok binary

echo ready for restart
read -r _
cli CL.THROTTLE after:restart 4 10 60 | want 'CL.THROTTLE after a restart' '0 5 4 -1 6 '
echo ok restart
