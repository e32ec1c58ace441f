"""redis-py over TLS, with a certificate of its own: python3 redis_py_tls.py HOST PORT CA CERT KEY"""
import sys

import redis

host, port, ca, cert, key = sys.argv[1:]
files = dict(ssl=True, ssl_ca_certs=ca, ssl_certfile=cert, ssl_keyfile=key)

client = redis.Redis(host=host, port=int(port), **files)
assert client.ping()
assert client.execute_command("CL.THROTTLE", "py", 4, 10, 60) == [0, 5, 4, -1, 6]

pipeline = client.pipeline(transaction=False)
for _ in range(1000):
    pipeline.execute_command("FW.INCR", "pipe:py", 600, "year")
assert sum(five[0] for five in pipeline.execute()) == 400

subscriber = client.pubsub()
subscriber.subscribe("news")
assert subscriber.get_message(timeout=5)["type"] == "subscribe"
assert client.publish("news", "hello") == 1
assert subscriber.get_message(timeout=5)["data"] == b"hello"
print("ok tls")
