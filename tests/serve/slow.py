#!/usr/bin/env python3
"""slow.py [CLIENTS] - slow clients, and clients that vanish; run by tests/cli/serve_slow.sh

CLIENTS [200; with ZINC_LONG 1000] read some bytes a second each: of a file, of a value of an archive, of an answer of api/.
Meanwhile other clients are served, and the memory of the server stays below a bound.  "http (1)" is promise 1 of server/http.c.
"""
import os
import selectors
import socket
import subprocess
import sys
import time

from client import SLOW, ZINC, Server, check, same, wait_until

BIG = 3 << 20  # less than a value in memory may have: the worst case
MOST = 400  # MiB
instrumented = b"__asan_init" in open(os.path.realpath(ZINC), "rb").read() or b"__tsan_init" in open(os.path.realpath(ZINC), "rb").read()


def make():
    with open("data", "wb") as f:
        f.write(os.urandom(BIG))
    subprocess.run([ZINC, "create", "s.zarr", "--group"], check=True)
    subprocess.run([ZINC, "create", "s.zarr/a", "--shape", str(BIG), "--dtype", "uint8", "--chunks", str(BIG), "--codecs", "none"], check=True)
    subprocess.run([ZINC, "put", "s.zarr/a", "--from", "data"], check=True)
    subprocess.run([ZINC, "cp", "s.zarr", "s.zip"], check=True)


def open_slow(s, path):
    c = socket.socket()
    c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    c.connect((s.host, s.port))
    c.sendall(f"GET {s.base}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    c.setblocking(False)
    return c


def read_some(clients, nbytes):
    """At most so many bytes of each; those that are still open, and the sum."""
    still, total = [], 0
    for c in clients:
        try:
            data = c.recv(nbytes)
        except BlockingIOError:
            still.append(c)
            continue
        except OSError:
            data = b""
        if data:
            total += len(data)
            still.append(c)
        else:
            c.close()
    return still, total


def drain(clients):
    """Read all to the end; the bytes of each."""
    counts = {c: 0 for c in clients}
    with selectors.DefaultSelector() as sel:
        for c in clients:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            sel.register(c, selectors.EVENT_READ)
        while sel.get_map():
            ready = sel.select(60 * SLOW)
            check(ready, "clients that got nothing for a minute:", len(sel.get_map()))
            for key, _ in ready:
                try:
                    data = key.fileobj.recv(1 << 18)
                except OSError:
                    data = b""
                counts[key.fileobj] += len(data)
                if not data:
                    sel.unregister(key.fileobj)
                    key.fileobj.close()
    return counts


def slow_clients(url, path, n, served):  # http (1), object (5)
    """Each gets the whole value."""
    with Server(url, log=f"log-{served}") as s:
        begin = time.monotonic()
        clients = [open_slow(s, path) for _ in range(n)]
        for _ in range(3):
            time.sleep(0.3)
            clients, _ = read_some(clients, 16)
            at = time.monotonic()
            same(s.get("/raw/zarr.json").status, 200, "another client")
            waited = time.monotonic() - at
        peak = s.memory()
        refused = n - len(clients)
        counts = drain(clients)
        whole = sum(k >= BIG for k in counts.values())
        check(whole > 0 and wait_until(lambda: s.get("/raw/zarr.json").status == 200), "served afterwards")
        same(whole, n, "whole values")
        print(f"{served}: {n} clients, {whole} whole values, peak {max(peak, s.memory()):.0f} MiB, "
              f"another client waited {1e3 * waited:.0f} ms, {time.monotonic() - begin:.1f} s, {refused} closed early", flush=True)
        if not instrumented:
            check(max(peak, s.memory()) < MOST, "peak memory", peak, s.memory())
        before = s.descriptors()
        check(wait_until(lambda: s.descriptors() < 60), "descriptors", before)


def vanishing_clients(n):
    """They close, or reset, in the middle of a download or of a request."""
    with Server("s.zarr", log="log-vanish") as s:
        for i in range(n):
            c = open_slow(s, "/raw/a/c/0" if i % 3 else "/api/tree")
            c.setblocking(True)
            if i % 3 == 1:
                c.recv(10)
            if i % 2:
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            c.close()
        with s.connect() as c:
            c.socket.sendall(b"GET ")
        same(s.get("/raw/zarr.json").status, 200)
        check(wait_until(lambda: s.descriptors() < 60), "descriptors", s.descriptors())
        check("broken off" in s.log(), "the log says so")


def slow_requests(n):  # http (1)
    """Headers that never end: closed after the idle time, 30 s; others are served meanwhile."""
    with Server("s.zarr", log="log-request") as s:
        begin = time.monotonic()
        clients = []
        for i in range(n):
            c = socket.create_connection((s.host, s.port))
            c.sendall(b"GET /x HTTP/1.1\r\nHost: loc"[: i % 27])
            if i % 4 == 0:
                c.shutdown(socket.SHUT_WR)
            clients.append(c)
        same(s.get("/raw/zarr.json").status, 200)
        ends = begin + 45 * SLOW
        for c in clients:
            c.settimeout(max(1, ends - time.monotonic()))
            check(c.recv(4096)[:12] in (b"", b"HTTP/1.1 408", b"HTTP/1.1 400"), "an idle connection is closed")
            c.close()
        print(f"requests that never end: {n} closed in {time.monotonic() - begin:.0f} s", flush=True)


def killed_server():
    """kill -9: clients go on with the same addresses and tags at the next one."""
    s = Server("s.zarr", "--token", "t")
    clients = [open_slow(s, "/raw/a/c/0") for _ in range(20)]
    time.sleep(0.2)
    tag = s.get("/raw/a/c/0", method="HEAD")["etag"]
    s.kill()
    for c in clients:
        c.close()
    with Server("s.zarr", "--token", "t", "--listen", f"127.0.0.1:{s.port}") as again:
        a = again.get("/raw/a/c/0", f"If-Range: {tag}", f"Range: bytes={BIG // 2}-")
        same((a.status, len(a.body), a["etag"]), (206, BIG - BIG // 2, tag), "a download goes on")
        with open("data", "rb") as f:
            same(a.body, f.read()[BIG // 2 :])


def main():
    default = 1000 if os.environ.get("ZINC_LONG") else 50 if os.environ.get("ZINC_QUICK") else 200
    n = int(sys.argv[1]) if len(sys.argv) > 1 else default
    make()
    slow_clients("s.zarr", "/raw/a/c/0", n, "file")
    slow_clients("s.zip", "/raw/a/c/0", n, "archive")
    slow_clients("s.zarr", "/api/slice?path=a&as=raw", min(n, 1000 if n >= 1000 else 50), "api")
    vanishing_clients(n)
    killed_server()
    slow_requests(min(n, 300))


main()
