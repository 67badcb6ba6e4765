#!/usr/bin/env python3
"""postgresql_faults.py STORE_DO HOST:PORT USER/DATABASE - connections that break after k bytes, in both directions

A read, a creation and a conditional change are tried with a proxy that resets or closes the first connection after k
bytes: each must succeed, because it is tried again, and a creation must not take its own change for somebody else's.  A
connection that stalls must end with the deadline.  A transaction of a client that is gone must not hinder others for longer
than they wait.
"""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tcp_proxy import Proxy  # noqa: E402

STEP, MOST, SECONDS = 41, 700, 4
program, (host, port), (user, database) = sys.argv[1], sys.argv[2].split(":"), sys.argv[3].split("/")
proxy = Proxy((host, int(port)))
url = f"postgresql://{user}@127.0.0.1:{proxy.port}/{database}?table=faults&sslmode=disable"
tried = failed = 0


def do(*words, at=None, seconds=SECONDS):
    return subprocess.run([program, str(seconds), at or url, *words], capture_output=True, text=True, check=False,
                          timeout=60).stdout.strip()


def expect(what, want, got):
    global tried, failed
    tried += 1
    if not got.startswith(want):
        failed += 1
        print(f"FAILED: {what}: {got}")


def sent():
    """The bytes of the last connection, when no more arrive at the proxy"""
    before = -1
    while proxy.count["up"] != before:
        before = proxy.count["up"]
        time.sleep(0.5)
    return before


expect("a put", "ok", do("put", "k", "hello"))
for direction in ("down", "up"):
    for fault in ("reset", "cut"):
        for at in range(0, MOST, STEP):
            for want, *words in (("value 5", "get", "k"), ("ok", "create", f"c{tried}", "x"), ("ok", "replace", "k", "hello")):
                proxy.plan(fault, direction, at, 1)
                expect(f"{fault} {direction} {at} {words[0]}", want, do(*words))
proxy.plan("stall", "down", 300, 0)
began = time.monotonic()
expect("a stall", "error E_CANCELLED", do("get", "k"))
expect("its time", "True", str(time.monotonic() - began < SECONDS + 2))
# the COMMIT does not arrive, and the server waits for it with the row locked
proxy.plan("none")
expect("a put", "ok", do("put", "k", "hello"))
proxy.plan("stall", "up", sent() - 57, 1)  # of COMMIT and farewell
expect("a lost commit", "error E_UNCERTAIN", do("put", "k", "never"))
direct = url.replace(f":{proxy.port}/", f":{port}/")
expect("its lock", "ok", do("put", "k", "other", at=direct, seconds=40))
expect("its value", "value 5", do("get", "k", at=direct))
print(f"postgresql_faults.py: {tried} tried, {failed} failed")
sys.exit(failed != 0)
