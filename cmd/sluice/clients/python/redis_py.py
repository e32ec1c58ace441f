"""redis-py: python3 redis_py.py resp2|resp3|cluster HOST PORT"""
import sys

import redis

NAME = "demo"  # of the connection
BINARY = b"bin\x00\r\n\xff"  # a key may be any bytes
THROTTLED = [0, 5, 4, -1, 6]  # CL.THROTTLE key 4 10 60, the first time

# The calls of which we compare the reply's beginning: the time until a clock's
# window ends is left open.
CALLS = [
    ("TB.TAKE tb 10 1 4", "[0, 10, 6, -1, 4000]"),
    ("FW.INCR fw 100 1h", "[0, 100, 99, -1, "),
    ("SW.HIT sw 100 60", "[0, 100, 99, -1, "),
    ("SL.HIT sl 100 60", "[0, 100, 99, -1, 60000]"),
    ("LB.ADD lb 4 1", "[0, 5, 4, -1, 1000]"),
    ("GCRA gcra 4 10 60", "[0, 5, 4, -1, 6]"),
    ("CC.ACQUIRE cc 2 60 TOKEN t1", "[0, 2, 1, -1, 60000, b't1']"),
    ("CC.RENEW cc t1 90s", "1"),
    ("CC.RELEASE cc t1", "1"),
    ("CC.RELEASE cc t1", "0"),
    ("RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60",
     "[0, None, -1, [0, 10, 9, -1, 100], [0, 100, 99, -1, 60000]]"),
]


def connect(mode, host, port):
    if mode == "cluster":
        return redis.RedisCluster(host=host, port=port, client_name=NAME)
    protocol = {"protocol": 3} if mode == "resp3" else {}  # from redis-py 5 on
    return redis.Redis(host=host, port=port, db=3, client_name=NAME, **protocol)


def want(what, got, expected):
    if got != expected:
        sys.exit(f"{what}: got {got!r}, want {expected!r}")


def ok(part):
    print("ok", part, flush=True)


def main(mode, host, port):
    print("version", redis.__version__, flush=True)
    client = connect(mode, host, int(port))
    call = client.execute_command
    want("the connection's name", client.client_getname(), NAME)
    ok("connect")

    want("CL.THROTTLE", call("CL.THROTTLE", "user:42", 4, 10, 60), THROTTLED)
    for line, beginning in CALLS:
        reply = str(call(*line.split()))
        if not reply.startswith(beginning):
            sys.exit(f"{line} answered {reply}, want {beginning}")
    ok("limiters")

    pipeline = client.pipeline() if mode == "cluster" else client.pipeline(transaction=False)
    for _ in range(1000):
        pipeline.execute_command("FW.INCR", "pipe", 600, "year")
    want("limited of 1000", sum(reply[0] for reply in pipeline.execute()), 400)
    ok("pipeline")

    if mode != "cluster":  # whose pipelines know no transactions
        transaction = client.pipeline()
        transaction.execute_command("CL.THROTTLE", "{tx}:a", 4, 10, 60)
        transaction.execute_command("TB.TAKE", "{tx}:b", 10, 1)
        want("MULTI … EXEC", transaction.execute(), [THROTTLED, [0, 10, 9, -1, 1000]])
        ok("transaction")

    try:
        sys.exit(f"TB.TAKE on a CL.THROTTLE key answered {call('TB.TAKE', 'user:42', 10, 1)}")
    except redis.ResponseError as error:
        if "WRONGTYPE" not in str(error):
            sys.exit(f"not the error we wanted: {error}")
    ok("error")

    want("CL.THROTTLE with a binary key", call("CL.THROTTLE", BINARY, 4, 10, 60), THROTTLED)
    want("EXISTS of a binary key", client.exists(BINARY), 1)
    ok("binary")

    print("ready for restart", flush=True)
    sys.stdin.readline()
    # redis-py finds the connection dead, and dials anew.
    want("CL.THROTTLE after a restart", call("CL.THROTTLE", "after:restart", 4, 10, 60), THROTTLED)
    want("the connection's name after a restart", client.client_getname(), NAME)
    ok("restart")


main(*sys.argv[1:])
