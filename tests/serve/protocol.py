#!/usr/bin/env python3
"""protocol.py - what `zinc serve` answers, byte by byte; run by tests/cli/serve.sh in an empty directory

Each function is one test.  "http (2)" in a comment is promise 2 of server/http.c, likewise object, route, host.
"""
import fcntl
import functools
import hashlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

from client import SLOW, ZINC, Failure, Server, check, same, wait_until
import client

BIG = 6 << 20  # more than a value in memory may have


def zinc(*args, status=0):
    p = subprocess.run([ZINC, *args], capture_output=True, text=True, timeout=30 * SLOW)
    same(p.returncode, status, "zinc", *args, p.stderr)
    return p


@functools.lru_cache
def pattern(n):
    """n bytes, no part of which looks like another."""
    return b"".join(hashlib.sha256(b"%d" % i).digest() * 64 for i in range(n // 2048 + 1))[:n]


def write(path, data):
    """As the store does: a new file in place of the old one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "wb") as f:
        f.write(data)
    os.rename(path + ".new", path)


def make_store():
    zinc("create", "s.zarr", "--group")
    zinc("create", "s.zarr/small", "--shape", "1000", "--dtype", "uint8", "--chunks", "1000", "--codecs", "none")
    zinc("create", "s.zarr/big", "--shape", str(BIG), "--dtype", "uint8", "--chunks", str(BIG), "--codecs", "none")
    for name, data in (("small", pattern(1000)), ("big", pattern(BIG))):
        with open("data", "wb") as f:
            f.write(data)
        zinc("put", f"s.zarr/{name}", "--from", "data")
    write("s.zarr/empty", b"")
    write("s.zarr/a b", b"blank")
    write("s.zarr/ü", b"umlaut")
    write("s.zarr/50%", b"percent")
    write("s.zarr/a+b", b"plus")
    write("s.zarr/q?x", b"question")
    write("s.zarr/deep/er/k", b"deep")
    write("outside/secret", b"SECRET")
    os.symlink("../outside/secret", "s.zarr/leak")
    os.symlink("/etc/passwd", "s.zarr/passwd")
    os.symlink("../outside", "s.zarr/leakdir")
    os.symlink("small/zarr.json", "s.zarr/inside")
    os.mkfifo("s.zarr/fifo")


# ---- values ----


def reads_whole_values(s):
    want = pattern(1000)
    a = s.get("/raw/small/c/0")
    same((a.status, a.body), (200, want))
    same(a["content-type"], "application/octet-stream")
    same(a["accept-ranges"], "bytes")
    same(a["x-content-type-options"], "nosniff")
    same(a["referrer-policy"], "no-referrer")
    check(re.fullmatch(r'"[0-9a-f]{32}"', a["etag"] or ""), "a strong tag:", a["etag"])
    h = s.get("/raw/small/c/0", method="HEAD")  # object (4)
    same((h.status, h["content-length"], h["etag"], h["content-type"]), (200, "1000", a["etag"], a["content-type"]))
    h = s.get("/raw/small/c/0", "Range: bytes=0-9", method="HEAD")  # a range is for GET only
    same((h.status, h["content-length"]), (200, "1000"))
    same(s.get("/raw/big/c/0").body, pattern(BIG), "a large value")
    same(s.get("/raw/big/c/0", method="HEAD")["content-length"], str(BIG))


RANGES = [  # header, first byte, bytes; None: the whole value; 416: none of it
    ("bytes=0-0", 0, 1),
    ("bytes=0-99", 0, 100),
    ("bytes=100-", 100, 900),
    ("bytes=999-", 999, 1),
    ("bytes=999-999", 999, 1),
    ("bytes=990-2000", 990, 10),
    ("bytes=0-99999999999999999999999", 0, 1000),
    ("bytes=-1", 999, 1),
    ("bytes=-1000", 0, 1000),
    ("bytes=-5000", 0, 1000),
    ("bytes=-99999999999999999999999", 0, 1000),
    ("Bytes=5-6", 5, 2),
    ("bytes= 5-6 ", 5, 2),
    ("bytes=1000-", 416, 0),
    ("bytes=1000-1001", 416, 0),
    ("bytes=18446744073709551615-", 416, 0),
    ("bytes=99999999999999999999999-", 416, 0),
    ("bytes=-0", 416, 0),
    ("bytes=", None, 0),
    ("bytes=-", None, 0),
    ("bytes=5-4", None, 0),
    ("bytes=5", None, 0),
    ("bytes=a-b", None, 0),
    ("bytes=0x1-5", None, 0),
    ("bytes=+1-5", None, 0),
    ("bytes=1-5x", None, 0),
    ("bytes=1-2,4-5", None, 0),
    ("bytes 1-2", None, 0),
    ("items=1-2", None, 0),
    ("", None, 0),
]


def reads_ranges(s):
    whole = pattern(1000)
    for header, first, n in RANGES:
        a = s.get("/raw/small/c/0", "Range: " + header)
        if first is None:
            same((a.status, a.body, a["content-range"]), (200, whole, None), header)
        elif first == 416:
            same((a.status, a["content-range"]), (416, "bytes */1000"), header)
        else:
            same((a.status, a.body), (206, whole[first : first + n]), header)
            same(a["content-range"], f"bytes {first}-{first + n - 1}/1000", header)
    a = s.get("/raw/big/c/0", "Range: bytes=10-")
    same((a.status, a.body == pattern(BIG)[10:]), (206, True))
    a = s.get("/raw/big/c/0", f"Range: bytes=-{5 << 20}")
    same((a.status, a.body == pattern(BIG)[-(5 << 20) :]), (206, True))
    a = s.get("/raw/big/c/0", "Range: bytes=4194304-4194313")
    same(a.body, pattern(BIG)[4194304:4194314])


def answers_conditions(s):  # object (3)
    path, whole = "/raw/small/c/0", pattern(1000)
    tag = s.get(path)["etag"]
    other = '"0123456789abcdef0123456789abcdef"'
    for method in ("GET", "HEAD"):
        for header in (tag, f"W/{tag}", f"{other}, {tag}", f"{other},W/{tag}", "*", f' , {tag} ,, "x"'):
            a = s.get(path, "If-None-Match: " + header, method=method)
            same((a.status, a.body, a["etag"]), (304, b"", tag), header)
            check(a["content-length"] in (None, "1000"), "no wrong length in 304", a.headers)
        for header in (other, f"W/{other}", '"', "x", tag.strip('"'), f'"{tag[1:9]}"'):
            same(s.get(path, "If-None-Match: " + header, method=method).status, 200, header)
        for header, status in ((tag, 200), ("*", 200), (f"{other}, {tag}", 200), (f"W/{tag}", 412), (other, 412), ("", 412)):
            same(s.get(path, "If-Match: " + header, method=method).status, status, header)
    a = s.get(path, "If-Match: " + other, "Range: bytes=0-1")
    same((a.status, a["content-range"]), (412, None))
    same(s.get(path, "If-None-Match: " + tag, "Range: bytes=5000-").status, 304, "the tag before the range")
    for header, status in ((tag, 206), (f"W/{tag}", 200), (other, 200), ("Wed, 21 Oct 2015 07:28:00 GMT", 200), ("", 200)):
        a = s.get(path, "If-Range: " + header, "Range: bytes=1-2")
        same((a.status, a.body), (status, whole[1:3] if status == 206 else whole), "If-Range", header)
    same(s.get(path, "If-Range: " + other, "Range: bytes=5000-").status, 200)
    same(s.get(path, "If-Range: " + tag, "Range: bytes=5000-").status, 416)


def answers_empty_values(s):
    a = s.get("/raw/empty")
    same((a.status, a.body, a["content-length"]), (200, b"", "0"))
    same(s.get("/raw/empty", method="HEAD")["content-length"], "0")
    for header in ("bytes=0-", "bytes=0-0", "bytes=-5", "bytes=-0"):
        a = s.get("/raw/empty", "Range: " + header)
        same((a.status, a["content-range"]), (416, "bytes */0"), header)
    same(s.get("/raw/empty", "If-None-Match: " + a_tag(s, "/raw/empty")).status, 304)


def a_tag(s, path):
    return s.get(path)["etag"]


def names_generations(s):
    path = "/raw/deep/er/k"
    tag = a_tag(s, path)
    same(a_tag(s, path), tag)
    write("s.zarr/deep/er/k", b"peed")
    new = a_tag(s, path)
    check(new != tag, "a new value has a new tag")
    a = s.get(path, "If-None-Match: " + tag)
    same((a.status, a.body), (200, b"peed"))
    with Server("s.zarr") as t:
        same(a_tag(t, path), new, "the tag is the same in another server")
    write("s.zarr/deep/er/k", b"deep")


# ---- keys ----

KEYS = [  # as in the request, status, body
    ("a%20b", 200, b"blank"),
    ("%61%20%62", 200, b"blank"),
    ("%C3%BC", 200, b"umlaut"),
    ("%c3%bc", 200, b"umlaut"),
    ("50%25", 200, b"percent"),
    ("a+b", 200, b"plus"),
    ("a%2Bb", 200, b"plus"),
    ("a%2bb", 200, b"plus"),
    ("q%3Fx", 200, b"question"),
    ("deep/er/k", 200, b"deep"),
    ("deep%2Fer%2Fk", 200, b"deep"),
    ("inside", 200, None),
    ("deep/er/k?x=1", 200, b"deep"),
    ("deep/er/k#part", 404, None),
    ("", 404, None),
    ("nothing", 404, None),
    ("deep", 404, None),
    ("deep/", 404, None),
    ("deep/er", 404, None),
    ("deep/er/k/", 404, None),
    ("deep/er/k/x", 404, None),
    ("deep//er/k", 404, None),
    ("/deep/er/k", 404, None),
    (".", 404, None),
    ("..", 404, None),
    ("./deep/er/k", 404, None),
    ("deep/../deep/er/k", 404, None),
    ("../outside/secret", 404, None),
    ("%2e%2e/outside/secret", 404, None),
    ("%2E%2E%2Foutside%2Fsecret", 404, None),
    ("..%2foutside/secret", 404, None),
    ("deep/%2e%2e/%2e%2e/outside/secret", 404, None),
    ("..%5coutside%5csecret", 404, None),
    ("%252e%252e/outside/secret", 404, None),
    ("small/c/0.__lock", 404, None),
    ("%00", 400, None),
    ("deep%00/er/k", 400, None),
    ("50%", 400, None),
    ("50%2", 400, None),
    ("50%zz", 400, None),
    ("%ff", 400, None),
    ("%c0%ae%c0%ae/outside/secret", 400, None),
    ("%e0%80%ae", 400, None),
    ("%ed%a0%80", 400, None),
    ("%f4%90%80%80", 400, None),
    ("%c3", 400, None),
    ("x" * 300, 404, None),
    ("/".join("y" * 200 for _ in range(20)), 404, None),
    ("leak", 403, None),
    ("passwd", 403, None),
    ("leakdir/secret", 403, None),
]


def finds_keys(s):
    for key, status, body in KEYS:
        for method in ("GET", "HEAD"):
            a = s.get("/raw/" + key, method=method)
            same(a.status, status, method, key)
            check(b"SECRET" not in a.body and b"root:" not in a.body, "out of the store:", key)
            if body is not None and method == "GET":
                same(a.body, body, key)
            if status >= 400:
                same(a["content-type"], "text/plain; charset=utf-8", key)
                same(a["cache-control"], "no-store", key)
                check(method == "HEAD" or a.body.endswith(b"\n") and a.body.count(b"\n") == 1, "one line:", a.body)
    for _ in range(3):
        check(s.get("/raw/fifo").status >= 403, "a FIFO is no value")
    same(s.get("/raw/nothing%0d%0aX-Bad:%201").headers.get("x-bad"), None)


def answers_other_paths(s):
    a = s.get("")
    same((a.status, a["location"]), (308, s.token + "/"))
    same(s.get("/").status, 200)
    same(s.get("/raw").status, 404)
    same(s.get("/nothing").status, 404)
    same(s.get("/api/nothing").status, 404)
    same(s.get("/v3/zarr.json").status, 200)
    same(s.get("/v3/nothing").status, 404)


# ---- who may ask ----


def wants_the_token(s):  # route (1)
    t, path = s.token, "raw/small/c/0"
    texts = set()
    for bad in (
        "/", "", f"/{path}", f"/{t[:-1]}/{path}", f"/{t}x/{path}", f"/x{t}/{path}", f"/{t[1:]}/{path}", f"//{t}/{path}",
        f"/{t.swapcase()}/{path}", f"/{'A' * len(t)}/{path}", f"/.{t}", f"/{t}%00/{path}", f"/?{t}/{path}", f"/%2F{t}/{path}",
        f"http://127.0.0.1/{path}", f"http://127.0.0.1/x/{path}", "http://127.0.0.1", f"https://127.0.0.1/{t}/{path}",
    ):
        with s.connect() as c:
            c.send("GET", bad)
            a = c.answer()
            check(a.status == 400 if "%00" in bad or not bad else a.status == 403, bad, a.status)
            if a.status == 403:
                texts.add(a.body)
            check(t.encode() not in a.body, "the token is told:", bad)
    same(len(texts), 1, "the same text whatever is there", texts)
    for good in (f"/{t}/{path}", f"/%{ord(t[0]):02x}{t[1:]}/{path}", f"http://127.0.0.1:{s.port}/{t}/{path}", f"http://x/{t}/{path}"):
        with s.connect() as c:
            c.send("GET", good)
            same(c.answer().status, 200, good)


HOSTS = [
    ("localhost", 200), ("LocalHost:99", 200), ("127.0.0.1", 200), ("127.0.0.1:1", 200), ("10.1.2.3:80", 200),
    ("[::1]", 200), ("[::1]:8080", 200), ("[fe80::1]", 200), ("my.name", 200), ("MY.NAME:443", 200),
    ("evil.example", 403), ("evil.example:80", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403),
    ("my.name.evil", 403), ("xmy.name", 403), ("my.nam", 403), ("localhost:80:80", 403), ("localhost:x", 403), ("::1", 403),
    ("[::1", 403), ("[::1]x", 403), ("[evil.example]", 403), ("127.1", 403), ("2130706433", 403), ("0x7f.0.0.1", 403), ("", 403),
    ("[]", 403), (":80", 403), ("localhost/", 403), ("user@localhost", 403), ("localhost,evil", 403), ("a" * 300, 403),
]


def checks_the_host(_):  # route (1), host (1), host (2)
    with Server("s.zarr", "--host", "my.name") as s:
        for host, status in HOSTS:
            for path in ("/raw/small/c/0", "/raw/nothing", "/api/about", "/"):
                with s.connect() as c:
                    c.send("GET", s.base + path, host=host)
                    a = c.answer()
                    same(a.status == 403, status == 403, "Host", host, path, a.status)
        with s.connect() as c:
            c.send("GET", s.base + "/raw/small/c/0", host=None)
            same(c.answer().status, 400, "HTTP/1.1 without Host")
        with s.connect() as c:
            c.send("GET", s.base + "/raw/small/c/0", host=None, version="1.0")
            same(c.answer().status, 200, "HTTP/1.0 has none")
    with Server("s.zarr", "--host", "*") as s:
        same(s.get("/raw/small/c/0", host="evil.example").status, 200)


def answers_other_origins(s):  # route (3)
    for path, status in (("/raw/small/c/0", 200), ("/raw/nothing", 404), ("/nothing", 404)):
        a = s.get(path, "Origin: https://neuroglancer-demo.appspot.com")
        same((a.status, a["access-control-allow-origin"]), (status, "*"))
        exposed = [w.strip().lower() for w in a["access-control-expose-headers"].split(",")]
        for name in ("content-range", "content-length", "etag", "accept-ranges"):
            check(name in exposed, name, "is exposed")
    a = s.get(
        "/raw/small/c/0", "Origin: https://x.example", "Access-Control-Request-Method: GET",
        "Access-Control-Request-Headers: range, if-none-match", method="OPTIONS",
    )
    same((a.status, a.body, a["access-control-allow-origin"]), (204, b"", "*"))
    same(a["content-length"], None, "204 has no length")
    check("range" in a["access-control-allow-headers"].lower(), "Range is allowed")
    check({"GET", "HEAD"} <= set(a["access-control-allow-methods"].replace(",", " ").split()), "methods")
    check(int(a["access-control-max-age"]) > 0, "a preflight is kept")
    a = s.get("/raw/small/c/0", "Range: bytes=0-1", "Origin: https://x.example")
    same((a.status, a["access-control-allow-origin"]), (206, "*"))


def refuses_other_methods(s):  # route (2), http (2)
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get", "X"):
        with s.connect() as c:
            c.send(method, s.base + "/raw/small/c/0")
            a = c.answer()
            same((a.status, a["allow"]), (405, "GET, HEAD, OPTIONS"), method)
            check(c.closed(), "and the connection is closed")
        with s.connect() as c:
            c.send(method, s.base + "/raw/small/c/0", "Content-Length: 4")
            c.socket.sendall(b"GET ")
            same(c.answer().status, 405, method, "with a body")
    with s.connect() as c:
        c.send("CONNECT", "127.0.0.1:80")
        check(c.answer().status in (403, 405), "CONNECT")
    with s.connect() as c:
        c.send("OPTIONS", "*")
        check(c.answer("OPTIONS").status in (204, 403), "OPTIONS *")
    same(open("s.zarr/small/c/0", "rb").read(), pattern(1000), "nothing was written")


def takes_no_body_for_a_request(s):  # http (2)
    inner = f"GET {s.base}/raw/a%20b HTTP/1.1\r\nHost: localhost\r\n\r\n"
    chunked = f"{len(inner):x}\r\n{inner}\r\n0\r\n\r\n"
    for method in ("GET", "HEAD", "OPTIONS", "POST"):
        for headers, body in (
            ([f"Content-Length: {len(inner)}"], inner),
            (["Transfer-Encoding: chunked"], chunked),
            (["Transfer-Encoding: chunked", f"Content-Length: {len(inner)}"], chunked),
            ([f"Content-Length: {len(inner)}", "Transfer-Encoding: chunked"], chunked),
            (["Transfer-Encoding: identity"], inner),
            (["Transfer-Encoding: x, chunked"], chunked),
            (["Transfer-Encoding : chunked"], chunked),
            (["Content-Length: 0", f"Content-Length: {len(inner)}"], inner),
            ([f"Content-Length: {len(inner)}", "Content-Length: 0"], inner),
            (["Content-Length: +5"], inner),
            (["Content-Length: -1"], inner),
            (["Content-Length: 99999999999999999999999"], inner),
            (["Content-Length:"], inner),
            (["Content-Length: 5", "Expect: 100-continue"], inner),
        ):
            head = "\r\n".join([f"{method} {s.base}/raw/deep/er/k HTTP/1.1", "Host: localhost", *headers])
            got = s.raw((head + "\r\n\r\n" + body).encode())
            check(b"blank" not in got, "a body was taken for a request:", method, headers, got[:600])
            check(len(re.findall(rb"HTTP/1\.[01] (?!100|400|413)", got)) <= 1, "one answer", method, headers, got)
    a = s.get("/raw/deep/er/k", "Content-Length: 0")
    same(a.status, 200, "no body is fine")
    a = s.get("/raw/deep/er/k", "Content-Length: 4", "X-After: y")
    same(a.status, 400, "a body is refused, whatever follows its header")


# ---- connections ----


def keeps_connections(s):
    with s.connect() as c:
        for _ in range(50):
            c.send("GET", s.base + "/raw/deep/er/k")
            same(c.answer().body, b"deep")
            c.send("HEAD", s.base + "/raw/small/c/0")
            same(c.answer("HEAD")["content-length"], "1000")
            c.send("GET", s.base + "/raw/small/c/0", "If-None-Match: *")
            same(c.answer().status, 304)
            c.send("OPTIONS", s.base + "/raw/small/c/0")
            same(c.answer("OPTIONS").status, 204)
            c.send("GET", s.base + "/raw/small/c/0", "Range: bytes=5000-")
            same(c.answer().status, 416)
            c.send("GET", s.base + "/v3/zarr.json")
            same(c.answer().status, 200)
    with s.connect() as c:  # pipelined
        n = 60
        for i in range(n):
            c.send("GET", s.base + "/raw/small/c/0", f"Range: bytes={i}-{i + 2}")
            c.send("HEAD", s.base + "/v3/zarr.json")
        for i in range(n):
            same(c.answer().body, pattern(1000)[i : i + 3], "in order")
            same(c.answer("HEAD").status, 200)
    with s.connect() as c:
        c.send("GET", s.base + "/raw/deep/er/k", "Connection: close")
        a = c.answer()
        same((a.body, (a["connection"] or "").lower()), (b"deep", "close"))
        check(c.closed(), "Connection: close")
    with s.connect() as c:
        c.send("GET", s.base + "/raw/deep/er/k", version="1.0")
        same(c.answer().body, b"deep")
        check(c.closed(), "HTTP/1.0 closes")
    with s.connect() as c:  # a client that has nothing more to send still gets its answer
        c.send("GET", s.base + "/raw/big/c/0")
        c.socket.shutdown(socket.SHUT_WR)
        same(len(c.answer().body), BIG)
    with s.connect() as c:  # one byte at a time
        for b in f"GET {s.base}/raw/deep/er/k HTTP/1.1\r\nHost: localhost\r\n\r\n".encode():
            c.socket.sendall(bytes([b]))
        same(c.answer().body, b"deep")


def limits_headers(s):  # http (1)
    seen = set()
    for n in (10, 1000, 6000, 8000, 12000, 14000, 15000, 15500, 16000, 16300, 17000, 40000, 1000000):
        for head in (
            f"GET {s.base}/raw/deep/er/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: {'x' * n}\r\n\r\n",
            f"GET {s.base}/raw/deep/er/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + "X: y\r\n" * (n // 6) + "\r\n",
            f"GET {s.base}/raw/{'k' * n} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            f"GET {s.base}/raw/deep/er/k?{'&' * n} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            f"GET{' ' * n}{s.base}/raw/deep/er/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            f"{'G' * n} {s.base}/raw/deep/er/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        ):
            try:
                got = s.raw(head.encode())
            except (ConnectionResetError, BrokenPipeError):
                continue
            status = int(got[9:12]) if got else 0
            check(status in (0, 200, 400, 404, 405, 413, 414, 431, 501, 505), head[:30], n, got[:100])
            check(got or n > 6000 or "&&" in head, "no answer to a short header", head[:30], n)
            seen.add(status)
    check({200, 414, 431} <= seen, "statuses", seen)
    same(s.get("/raw/deep/er/k").body, b"deep")


def survives_nonsense(s):
    for data in (
        b"", b"\r\n", b"\r\n\r\n", b"\0", b"GET", b"GET \r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\nHost: localhost\n\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"\xff" * 5000, b"GET /\0 HTTP/1.1\r\n\r\n",
        b"GET " + s.base.encode() + b"/raw/deep/er/k\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    ):
        got = s.raw(data)
        check(b" 200 " not in got[:20], "nonsense was served:", data, got[:100])
    same(s.get("/raw/deep/er/k").body, b"deep")


def leaks_no_descriptor(s):
    paths = ("/raw/small/c/0", "/raw/nothing", "/raw/leak", "/raw/fifo", "/raw/deep", "/v3/zarr.json", "/raw/empty")

    def all_of_them(n):
        for _ in range(n):
            for path in paths:
                s.get(path)
                s.get(path, method="HEAD")
                s.get(path, "If-None-Match: *")
                s.get(path, "If-Match: x")
                s.get(path, "Range: bytes=9999-")
                s.get(path, "Range: bytes=0-1")

    def settled():
        same_twice = s.descriptors()
        time.sleep(0.2)
        return s.descriptors() == same_twice

    all_of_them(1)
    wait_until(settled)
    before = s.descriptors()
    all_of_them(5)
    check(wait_until(lambda: s.descriptors() <= before), "descriptors", before, "now", s.descriptors())


def serves_only_so_many(s):
    """1 024 connections at once; the next one waits."""
    held = []
    try:
        for _ in range(1100):
            held.append(s.connect(5))
        for c in held[:10]:
            c.send("GET", s.base + "/raw/deep/er/k")
            same(c.answer().body, b"deep")
        for c in held[:200]:
            c.socket.close()
        check(wait_until(lambda: s.get("/raw/deep/er/k").body == b"deep"), "served when others have gone")
    finally:
        for c in held:
            c.socket.close()


def keeps_descriptors_for_files(_):
    """Of 80 descriptors 64 are for other things, and each connection may need a second one: 8 connections."""
    with Server("s.zarr", log="log-few", descriptors=80) as s:
        held = [s.connect(5) for _ in range(9)]
        for c in held:
            c.send("GET", s.base + "/raw/deep/er/k")
        for c in held[:8]:
            same(c.answer().body, b"deep")
        same(select.select([held[8].socket], [], [], 0.3)[0], [], "the ninth waits")
        held[0].socket.close()
        same(held[8].answer().body, b"deep")
        for c in held[1:]:
            c.socket.close()


def accepts_given_hosts(_):
    name = socket.gethostname()
    try:
        here = socket.gethostbyname(name).startswith("127.")
    except OSError:
        here = False
    with Server("s.zarr", "--host", "hub.example:8888", *(["--listen", f"{name}:0"] if here else []), log="log-host") as s:
        for host, status in [("hub.example", 200), ("hub.example:1", 200), ("other.example", 403), ("localhost ", 200)] + here * [(name, 200)]:
            same(s.get("/raw/deep/er/k", host=host).status, status, host)
        check("other machines" not in s.log(), "a loopback address is not open", s.log())
    for bad in ("", "a b", "a/b:c"):
        check("host" in zinc("serve", "s.zarr", "--host", bad, status=2).stderr, bad)


# ---- log ----


def goes_on_without_a_reader_of_its_log(_):
    """The pipe of stderr is full: requests are answered, and the server stops when it is told to."""
    r, w = os.pipe()
    fcntl.fcntl(w, 1031, 8192)  # F_SETPIPE_SZ
    p = subprocess.Popen([ZINC, "serve", "s.zarr", "--token", "t"], stdout=subprocess.PIPE, stderr=w)
    port = int(re.search(rb":(\d+)/", p.stdout.readline())[1])
    os.close(w)
    for n in range(300):
        with client.Connection(socket.create_connection(("127.0.0.1", port), 30 * SLOW)) as c:
            c.send("GET", "/t/raw/deep/er/k")
            same(c.answer().body, b"deep", n)
    check(take(r).count(b"\n") >= 20, "its first lines are there")
    with client.Connection(socket.create_connection(("127.0.0.1", port), 30 * SLOW)) as c:
        c.send("GET", "/t/raw/nothing")
        same(c.answer().status, 404)
    check(wait_until(lambda: b"lost" in take(r)), "lost lines are counted")
    for _ in range(300):
        with client.Connection(socket.create_connection(("127.0.0.1", port), 30 * SLOW)) as c:
            c.send("GET", "/t/raw/deep/er/k")
            same(c.answer().status, 200)
    p.send_signal(signal.SIGTERM)
    same(p.wait(60 * SLOW), 0, "it stops")
    p.stdout.close()
    os.close(r)


seen = {}


def take(fd):
    """All that came through a pipe so far."""
    while select.select([fd], [], [], 0)[0]:
        data = os.read(fd, 65536)
        if not data:
            break
        seen[fd] = seen.get(fd, b"") + data
    return seen.get(fd, b"")


def writes_no_log_into_files(_):
    """Without stderr no other file may take its place."""
    p = subprocess.Popen(["sh", "-c", 'exec "$0" serve s.zarr --token t 2>&-', ZINC], stdout=subprocess.PIPE)
    port = int(re.search(rb":(\d+)/", p.stdout.readline())[1])
    same(os.readlink(f"/proc/{p.pid}/fd/2"), "/dev/null")
    with client.Connection(socket.create_connection(("127.0.0.1", port), 30 * SLOW)) as c:
        c.send("GET", "/t/raw/deep/er/k")
        same(c.answer().body, b"deep")
    p.terminate()
    same(p.wait(60 * SLOW), 0)
    p.stdout.close()
    p = subprocess.run(["sh", "-c", '"$0" serve s.zarr >&-', ZINC], capture_output=True, timeout=60 * SLOW)
    check(p.returncode == 3 and b"standard output" in p.stderr, p.returncode, p.stderr)



def logs_requests(_):
    with Server("s.zarr", log="log2") as s:
        for n, (path, header, method) in enumerate((
            ("/raw/deep/er/k", "X: y", "GET"), ("/raw/no%1b%5b31mred%0aline%5c%c2%9b%e2%80%ae", "X: y", "HEAD"),
            ("/raw/deep/er/k?secret=query", "X: y", "GET"), ("x/raw/deep/er/k", "X: y", "GET"),
            ("/raw/small/c/0", "Range: bytes=0-9", "GET"), ("/raw/deep/er/k", "X: y", "PUT"),
        )):
            s.get(path, header, method=method)
            check(wait_until(lambda: s.log().count("\n") > n), "a line for each", s.log())
        time.sleep(0.1)
        lines = s.log().splitlines()
        same(len(lines), 6, lines)
        check(re.fullmatch(r"127\.0\.0\.1 GET raw/deep/er/k 200 4 bytes \d+\.\d ms", lines[0]), lines[0])
        check(re.search(r" HEAD raw/no\S*red\S*line\S* 404 0 bytes ", lines[1]), lines[1])
        check(not re.search(r"[\0-\x09\x0b-\x1f\x7f-\x9f]", s.log()), "escaped", lines[1])
        check(" GET raw/deep/er/k 200 " in lines[2] and "query" not in lines[2], lines[2])
        check(" GET - 403 " in lines[3], lines[3])
        check(" 206 10 bytes " in lines[4], lines[4])
        check(" other " in lines[5] and " 405 " in lines[5], lines[5])
        check(s.token not in s.log(), "the token is logged")


# ---- start and stop ----


def stops_when_the_terminal_closes(_):
    s = Server("s.zarr", log="log-hup")
    s.stop(signal.SIGHUP)
    p = zinc("serve", "s.zarr", "--timeout", "0.3", status=130)
    check("--timeout" in p.stderr and p.stderr.count("\n") == 1, p.stderr)


def has_child(pid):
    try:
        return any(open(f"/proc/{pid}/task/{t}/children").read().strip() for t in os.listdir(f"/proc/{pid}/task"))
    except OSError:  # a thread has ended
        return False


def command_ends(n):
    """Does a request that the command answers end, although Ctrl-C reaches all processes of the terminal?"""
    p = subprocess.Popen([ZINC, "serve", "slow.zarr", "--token", "t"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    port = int(re.search(rb":(\d+)/", p.stdout.readline())[1])
    with client.Connection(socket.create_connection(("127.0.0.1", port), 30 * SLOW)) as c:
        c.send("GET", "/t/api/slice?as=csv")
        runs = wait_until(lambda: has_child(p.pid), 2)
        os.killpg(p.pid, signal.SIGINT)
        try:
            a = c.answer()
            whole = (a.status, len(a.body)) == (200, 5 * n * n)
        except (OSError, Failure):
            whole = False
    same(p.wait(60 * SLOW), 0)
    p.stdout.close()
    return runs and whole


def lets_commands_end(_):  # http (3)
    n = 1500 if SLOW == 1 else 300
    zinc("create", "slow.zarr", "--shape", f"{n},{n}", "--dtype", "float64", "--chunks", "100,100", "--fill", "7.25")
    # One of three tries is quick enough even on a machine that stalls for the 5 s of a request.
    check(any(command_ends(n) for _ in range(3)), "Ctrl-C ends a command at once")


def listens(_):
    with Server("s.zarr", "--listen", "127.0.0.1:0", "--token", "tell.me_~-1") as s:
        same(s.line, f"http://127.0.0.1:{s.port}/tell.me_~-1/\n")
        same(s.get("/raw/deep/er/k").body, b"deep")
        p = zinc("serve", "s.zarr", "--listen", f"127.0.0.1:{s.port}", status=3)
        check(p.stdout == "" and p.stderr.count("\n") == 1 and p.stderr.startswith("zinc: "), "port in use:", p.stderr)
        p = zinc("serve", "s.zarr", "--listen", str(s.port), status=3)
        check("in use" in p.stderr, p.stderr)
    with Server("s.zarr", "--listen", "0") as s:
        check(s.line.startswith("http://127.0.0.1:"), s.line)
    with Server("s.zarr", "--listen", "localhost:0") as s:
        same(s.get("/raw/deep/er/k").body, b"deep")
    if has_ipv6():
        with Server("s.zarr", "--listen", "[::1]:0", log="log6") as s:
            same(s.host, "[::1]")
            same(s.get("/raw/deep/er/k", host=f"[::1]:{s.port}").body, b"deep")
            check(wait_until(lambda: s.log().startswith("::1 GET ")), s.log())
    with Server("s.zarr", "--no-token") as s:
        same((s.token, s.get("/raw/deep/er/k").body), ("", b"deep"))
        same(s.get("/").status, 200)
    with Server("s.zarr") as s, Server("s.zarr") as t:
        check(s.token != t.token and len(s.token) >= 16, "tokens are random", s.token, t.token)
    for bad in ("x", "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999", "127.0.0.1:-1", "::1:80", "[::1]",
                "[::1:80", "[]:0", "no.such.name.invalid:0", "127.0.0.1:123456", "256.0.0.1:0"):
        p = zinc("serve", "s.zarr", "--listen", bad, status=2)
        check(p.stdout == "" and p.stderr.count("\n") == 1, bad, p.stderr)
    check(zinc("serve", "s.zarr", "--listen", "203.0.113.1:0", status=3).stderr.count("\n") <= 2, "not our address")
    for bad in ("", ".", "..", "a/b", "a b", "a%20", "ü", "x" * 128, "a?b", "a#b"):
        p = zinc("serve", "s.zarr", "--token", bad, status=2)
        check(p.stdout == "" and p.stderr.count("\n") == 1, "--token", bad, p.stderr)
    zinc("serve", "s.zarr", "--token", "x", "--no-token", status=2)
    zinc("serve", status=2)
    zinc("serve", "nothing.zarr", status=3)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as t:
            t.bind(("::1", 0))
        return True
    except OSError:
        return False


def accepts(server):
    try:
        server.connect(1).socket.close()
    except OSError:
        return False
    return True


def refuses_while_it_stops():
    """A server that stops refuses new connections before the time of a running download is over."""
    s = Server("s.zarr")
    with s.connect() as c:
        c.send("GET", s.base + "/raw/big/c/0")
        c.more()
        s.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not accepts(s))
        try:
            whole = c.answer().body == pattern(BIG)
        except (OSError, Failure):
            whole = False
        s.stop()
    return whole


def stops_gracefully(_):  # http (3)
    for how in (signal.SIGTERM, signal.SIGINT):
        s = Server("s.zarr")
        with s.connect() as c, s.connect() as idle, s.connect() as partial:
            partial.socket.sendall(b"GET /x HTTP/1.1\r\nHo")
            c.send("GET", s.base + "/raw/big/c/0")
            c.more()
            got = []
            reader = threading.Thread(target=lambda: (time.sleep(0.5), got.append(c.answer())))
            reader.start()
            time.sleep(0.1)
            begin = time.monotonic()
            s.stop(how)
            check(time.monotonic() - begin < 60 * SLOW, "idle connections prevent the end")
            reader.join()
            check(got and got[0].body == pattern(BIG), "a running download ends")
            check(idle.closed(), "idle connections are closed")
    # One of three tries sees it even on a machine that stalls for the 5 s of a download.
    check(any(refuses_while_it_stops() for _ in range(3)), "a server that stops takes new connections")
    s = Server("s.zarr")  # a client that does not read: at most 5 s
    with s.connect() as c:
        c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        c.send("GET", s.base + "/raw/big/c/0")
        c.more()
        begin = time.monotonic()
        s.stop()
        check(time.monotonic() - begin < 60 * SLOW, "a client that does not read prevents the end")


def stops_under_load(_):
    """Requests that go to workers while it stops: each is answered, or its connection closed."""
    for turn in range(4):
        s = Server("s.zip" if turn % 2 else "s.zarr", log="log3")
        ends = threading.Event()

        def ask():
            while not ends.is_set():
                try:
                    with s.connect(5) as c:
                        for _ in range(200):
                            c.send("GET", s.base + ("/api/about" if turn < 2 else "/raw/small/c/0"))
                            a = c.answer()
                            if a.status not in (200, 503):
                                raise AssertionError(a.status)
                            if (a["connection"] or "") == "close":
                                break
                except (OSError, Failure):
                    time.sleep(0.01)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for t in threads:
            t.start()
        time.sleep(0.3)
        try:
            s.stop()
        finally:
            ends.set()
            for t in threads:
                t.join()


def goes_on_after_a_kill(_):
    port = None
    tag = None
    for _ in range(3):
        s = Server("s.zarr", "--token", "t", *(["--listen", f"127.0.0.1:{port}"] if port else []))
        port = s.port
        with s.connect() as c:
            c.send("GET", s.base + "/raw/big/c/0")
            c.more()
            a = s.get("/raw/small/c/0", *([f"If-None-Match: {tag}"] if tag else []))
            same(a.status, 304 if tag else 200)
            tag = a["etag"]
            s.kill()


# ---- other stores underneath ----


def same_over(url, name):
    with Server(url, log=f"log-{name}") as s:
        reads_whole_values(s)
        reads_ranges(s)
        answers_conditions(s)
        for key in ("nothing", "small", "small/c", "../x", "small/c/1"):
            same(s.get("/raw/" + key).status, 404, name, key)
        before = s.descriptors()
        for _ in range(10):
            s.get("/raw/big/c/0")
            s.get("/raw/big/c/0", "Range: bytes=-4500000")
        check(wait_until(lambda: s.descriptors() <= before + 1), name, "descriptors", before, s.descriptors())


def over_zip(_):
    zinc("cp", "s.zarr", "s.zip")
    same_over("s.zip", "zip")


def over_sqlite(_):
    p = subprocess.run([ZINC, "stores"], capture_output=True, text=True)
    if re.search(r"^sqlite\b.*", p.stdout, re.M) and subprocess.run([ZINC, "cp", "s.zarr", "sqlite://s.db"], capture_output=True).returncode == 0:
        same_over("sqlite://s.db", "sqlite")
    else:
        print("skipped: no sqlite")


def over_http(_):
    if not re.search(r"curl *yes", subprocess.run([ZINC, "--version"], capture_output=True, text=True).stdout):
        print("skipped: no curl")
        return
    with Server("s.zarr") as s:
        same_over(f"http://127.0.0.1:{s.port}{s.base}/raw", "http")
        t = Server(f"http://127.0.0.1:{s.port}{s.base}/raw", log="log-gone")
        same(t.get("/raw/small/c/0").status, 200)
    for path in ("/raw/small/c/0", "/raw/nothing", "/raw/big/c/0"):  # object (1): the server below has ended
        a = t.get(path)
        check(a.status >= 500, "a failure is not a missing key", path, a.status)
    t.stop()


SHARED = [
    reads_whole_values, reads_ranges, answers_conditions, answers_empty_values, names_generations, finds_keys, answers_other_paths,
    wants_the_token, answers_other_origins, refuses_other_methods, takes_no_body_for_a_request, keeps_connections, limits_headers,
    survives_nonsense, leaks_no_descriptor,
]
OWN = [checks_the_host, accepts_given_hosts, keeps_descriptors_for_files, logs_requests, goes_on_without_a_reader_of_its_log, writes_no_log_into_files,
       stops_when_the_terminal_closes, lets_commands_end, listens, stops_gracefully, goes_on_after_a_kill, over_zip, over_sqlite, over_http, stops_under_load]


def main():
    only = sys.argv[1:]
    failed = 0
    make_store()
    shared = Server("s.zarr")
    limited = Server("s.zarr", log="log-limit")
    for test in [*SHARED, serves_only_so_many, *OWN]:
        if only and test.__name__ not in only:
            continue
        begin = time.monotonic()
        try:
            test(limited if test is serves_only_so_many else shared)
            print(f"ok {test.__name__} {time.monotonic() - begin:.1f} s", flush=True)
        except (Failure, OSError, KeyError, AssertionError, subprocess.SubprocessError) as e:
            failed += 1
            print(f"FAILED {test.__name__}: {type(e).__name__} {e} (line {e.__traceback__.tb_next.tb_lineno})", flush=True)
    for s in (shared, limited):
        s.stop()
    print(f"{client.checks} checks, {failed} failed")
    sys.exit(1 if failed else 0)


main()
