#!/usr/bin/env python3
"""fuzz_http.py [N] - mutated requests for `zinc serve`; run by tests/cli/serve_fuzz.sh, best with a build with sanitizers

N requests [3000; ZINC_LONG: 20000], in batches on some connections each.  After each batch the server must answer a valid
request, and at the end it must stop with status 0 and without a report of a sanitizer.
"""
import os
import random
import re
import socket
import subprocess
import sys

from client import SLOW, ZINC, Server, check, same

PIECES = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b"%", b"%00", b"%2e%2e", b"%2f", b"..", b"//", b"\xff", b"\xc0\xae", b"?", b"&", b"=",
    b"HTTP/1.0", b"HTTP/1.1", b"HTTP/9.9", b"GET", b"HEAD", b"OPTIONS", b"PUT", b"Range: bytes=", b"-", b"18446744073709551616",
    b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n", b"Expect: 100-continue\r\n", b"Host: evil\r\n",
    b"If-None-Match: ", b'W/"', b'"', b"*", b"A" * 300, b"A" * 5000, b"X: y\r\n" * 100, b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
]


def seeds(base):
    head = "Host: localhost\r\n"
    for method, path, more in (
        ("GET", "/raw/zarr.json", ""),
        ("GET", "/raw/a/c/0", "Range: bytes=0-9\r\n"),
        ("GET", "/raw/a/c/0", "Range: bytes=-9\r\nIf-Range: \"x\"\r\n"),
        ("GET", "/raw/a/c/0", "If-None-Match: \"x\", W/\"y\"\r\n"),
        ("HEAD", "/v3/zarr.json", "If-Match: *\r\n"),
        ("GET", "/v3/a/c/0", ""),
        ("OPTIONS", "/raw/zarr.json", "Origin: http://x\r\nAccess-Control-Request-Method: GET\r\n"),
        ("GET", "/api/about", ""),
        ("GET", "/api/changed?path=a&s=0:5", ""),
        ("POST", "/raw/zarr.json", "Content-Length: 4\r\n"),
        ("GET", "/raw/%61%2Fb%20", ""),
        ("GET", "", ""),
    ):
        yield f"{method} {base}{path} HTTP/1.1\r\n{head}{more}\r\n".encode()


def mutate(r, data, others):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 3, 8))):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(6)
        if kind == 0:
            data[at:at] = r.choice(PIECES)
        elif kind == 1:
            data[at : at + r.choice((1, 2, 10, 60))] = b""
        elif kind == 2 and at < len(data):
            data[at] = r.randrange(256)
        elif kind == 3:
            data[at : at + 4] = r.choice(PIECES)
        elif kind == 4:
            data[at:] = r.choice(others)[r.randrange(20) :]
        else:
            data[at:at] = data[r.randrange(len(data) + 1) :][: r.choice((5, 50))]
    return bytes(data)


def throw(server, requests):
    """All on one connection, not read to the end."""
    try:
        with socket.create_connection((server.host, server.port), 5 * SLOW) as s:
            for data in requests:
                s.sendall(data)
            if requests[0][-1:] != b"\n":
                s.shutdown(socket.SHUT_WR)
            s.settimeout(0.02)
            while s.recv(1 << 16):
                pass
    except OSError:
        pass


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20000 if os.environ.get("ZINC_LONG") else 3000 // (10 if SLOW > 1 else 1)
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print(f"SEED={seed}", flush=True)
    r = random.Random(seed)
    subprocess.run([ZINC, "create", "s.zarr", "--group"], check=True)
    subprocess.run([ZINC, "create", "s.zarr/a", "--shape", "100", "--dtype", "uint8", "--codecs", "none"], check=True)
    with open("data", "wb") as f:
        f.write(bytes(range(100)))
    subprocess.run([ZINC, "put", "s.zarr/a", "--from", "data"], check=True)
    server = Server("s.zarr", "--token", "t")
    valid = list(seeds("/t"))
    done = 0
    while done < n:
        for _ in range(20):
            requests = [mutate(r, r.choice(valid), valid) for _ in range(r.choice((1, 1, 1, 5)))]
            throw(server, requests)
            done += len(requests)
        same(server.get("/raw/a/c/0").body, bytes(range(100)), "after", done, "requests of seed", seed)
    server.stop()
    log = server.log()
    check(not re.search(r"Sanitizer|runtime error", log), "a report:", log[log.find("ERROR") :][:3000], "seed", seed)
    print(f"{done} requests")


main()
