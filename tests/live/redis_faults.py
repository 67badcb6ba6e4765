#!/usr/bin/env python3
"""redis_faults.py STORE_DO PORT [quick] - the redis store behind a network that fails at every byte

Needs a Redis server on loopback at PORT, and its password in REDISCLI_AUTH.  tests/support/tcp_proxy.py disturbs the first
connection of an operation after k bytes, for many k, in both directions: it is reset, cut, or drips.  The operation must
succeed nevertheless, with the right result, and leave the right values: a change with a condition is made exactly once,
and is never taken for somebody else's.  A connection that stalls, and a server that is never reached, must fail by the
deadline, and not as "missing".
"""
import os
import pathlib
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tcp_proxy import Proxy  # noqa: E402

STORE_DO, PORT = sys.argv[1], int(sys.argv[2])
QUICK = "quick" in sys.argv[3:]
DEADLINE = 8
OLD = b"0123456789"
LONG = bytes(i % 251 for i in range(40000))
failed = cases = 0
redis = None


class Redis:
    """The server itself, past the proxy"""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT))
        self.answers = self.socket.makefile("rb")
        if os.environ.get("REDISCLI_AUTH"):
            self("AUTH", os.environ["REDISCLI_AUTH"])
        self("SELECT", "2")

    def __call__(self, *args):
        args = [a if isinstance(a, bytes) else a.encode() for a in args]
        self.socket.sendall(b"*%d\r\n" % len(args) + b"".join(b"$%d\r\n%s\r\n" % (len(a), a) for a in args))
        line = self.answers.readline()
        if line[:1] == b"-":
            sys.exit(f"redis_faults: {line.decode()}")
        if line[:1] != b"$" or line[1:2] == b"-":
            return None
        return self.answers.read(int(line[1:]) + 2)[:-2]


def value(key):
    return redis("GET", "fault:" + key)


def prepare():
    redis("SET", "fault:k", OLD)
    redis("SET", "fault:long", LONG)
    redis("DEL", "fault:new")


def run(port, operation, timeout=DEADLINE, settings=""):
    began = time.monotonic()
    url = f"redis://127.0.0.1:{port}/2?prefix=fault{settings}"
    try:
        done = subprocess.run([STORE_DO, str(timeout), url, *operation], capture_output=True, timeout=timeout + 15)
        return done.stdout.decode("utf-8", "replace").strip(), time.monotonic() - began
    except subprocess.TimeoutExpired:
        return "HANGS", time.monotonic() - began


def complain(what):
    global failed
    failed += 1
    if failed < 20:
        print("FAILED", what)


def fnv(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 % 2**64
    return f"{h:016x}"


# operation, what it must print (None: the same as without faults), what must be there afterwards
OPERATIONS = [
    (["get", "k"], None, {}),
    (["get", "long"], None, {}),
    (["get", "none"], None, {}),
    (["range", "k", "2", "3"], None, {}),
    (["suffix", "long", "30000"], None, {}),
    (["stat", "k"], None, {}),
    (["ranges", "k"], None, {}),
    (["list"], None, {}),
    (["put", "new", "x"], "ok", {"new": b"x"}),
    (["putn", "new", "40000"], "ok", {"new": LONG}),
    (["create", "new", "x"], "ok", {"new": b"x"}),
    (["replace", "k", "y"], "ok", {"k": b"y"}),
    (["update", "k"], "ok", {"k": OLD + b"x"}),
    (["update", "new"], "ok", {"new": b"x"}),
    (["del", "k"], "ok", {"k": None}),
]


def places(total):
    """Every byte of the last 300, and some before; in the short form a few"""
    if QUICK:
        return sorted(set(range(0, total, max(1, total // 4))) | set(range(max(0, total - 60), total, 17)) | {total - 1})
    return sorted(set(range(0, total, max(1, total // 40))) | set(range(max(0, total - 300), total, 3)) | {0, total - 1})


def some(all_, first, step):
    """All of them; in the short form those from `first` on, with a step"""
    return all_[first % step::step] if QUICK else all_


def check(proxy, operation, want, after, plan):
    """One operation under one fault"""
    global cases
    cases += 1
    prepare()
    proxy.plan(*plan)
    got, seconds = run(proxy.port, operation)
    if got != want:
        complain(f"{operation} {plan}: {got!r}, not {want!r}")
    if seconds > DEADLINE + 1:
        complain(f"{operation} {plan}: {seconds:.1f} s")
    for key, bytes_ in after.items():
        if value(key) != bytes_:
            complain(f"{operation} {plan}: {key} is {str(value(key))[:60]}, not {str(bytes_)[:60]}")


def sweep(proxy):
    for operation, want, after in OPERATIONS:
        prepare()
        proxy.plan("none")
        clean, _ = run(proxy.port, operation)
        time.sleep(0.02)
        total = dict(proxy.count)
        want = want or clean
        if clean != want or "error" in clean:
            complain(f"{operation} without faults: {clean!r}")
            continue
        for i, fault in enumerate(("reset", "cut")):
            for direction in ("up", "down"):
                for at in some(places(total[direction]), i, 2):
                    check(proxy, operation, want, after, (fault, direction, at))
        if operation[0] in ("create", "replace", "update"):  # the look at the marker is lost, too
            for at in places(total["down"]):
                check(proxy, operation, want, after, ("cut", "down", at, 2))
        if QUICK:
            continue
        check(proxy, operation, want, after, ("drip", "down", max(0, total["down"] - 100)))
        check(proxy, operation, want, after, ("drip", "up", max(0, total["up"] - 100)))


def never(proxy):
    """Every connection is disturbed: no success, no "missing", and an end by the deadline"""
    global cases
    faults = [("stall", "down", 0), ("stall", "up", 40), ("stall", "down", 300), ("cut", "down", 5), ("reset", "up", 0)]
    for i, (operation, _, _) in enumerate(OPERATIONS):
        for fault, direction, at in some(faults, i, 5):
            prepare()
            cases += 1
            proxy.plan(fault, direction, at, 0)
            got, seconds = run(proxy.port, operation, 1)
            if not got.startswith("error E_") or "E_NOTFOUND" in got or "E_EXISTS" in got or "E_CONFLICT" in got:
                complain(f"{operation} {fault} {direction} {at}, always: {got!r}")
            if seconds > 3:
                complain(f"{operation} {fault} {direction} {at}, always: {seconds:.1f} s")


def stalled_once(proxy):
    """Without a deadline a silent connection is given up after the setting timeout, and another one is used"""
    global cases
    for i, (operation, want, after) in enumerate(OPERATIONS[-5:]):
        for direction, at in some([("down", 300), ("down", 720), ("up", 100), ("up", 300)], i, 2):
            prepare()
            cases += 1
            proxy.plan("stall", direction, at)
            got, seconds = run(proxy.port, operation, DEADLINE, "&timeout=0.3")
            if got != want or seconds > 10:
                complain(f"{operation} stalls {direction} {at}: {got!r} after {seconds:.1f} s")
            for key, bytes_ in after.items():
                if value(key) != bytes_:
                    complain(f"{operation} stalls {direction} {at}: {key} is {str(value(key))[:60]}")


def main():
    global redis
    redis = Redis()
    proxy = Proxy(("127.0.0.1", PORT))
    prepare()
    got, _ = run(PORT, ["get", "long"])
    if got != f"value 40000 {fnv(LONG)}":
        complain(f"get long: {got!r}")
    sweep(proxy)
    never(proxy)
    stalled_once(proxy)
    redis("DEL", "fault:k", "fault:long", "fault:new")
    print(f"redis_faults: {cases} operations under faults, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
