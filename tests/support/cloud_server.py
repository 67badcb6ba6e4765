"""cloud_server.py - what s3_server.py, gs_server.py and az_server.py have in common: requests, quirks, ranges, lists

Buckets are made by their first request.  The part of a bucket's name before the first "-" selects its behaviour (its
quirk, one of the server's QUIRKS); "plain-1" and "plain-2" are two correct buckets.  GET /_count/BUCKET is the number of
requests for a bucket, and /_log/BUCKET their methods, keys and queries.
"""
import base64
import collections
import email.utils
import http.server
import itertools
import re
import threading
import time
import urllib.parse

lock = threading.RLock()
numbers = itertools.count(1)
buckets = collections.defaultdict(dict)  # bucket -> key -> a value, which has .data
counts = collections.Counter()
lines = collections.defaultdict(list)
firsts = collections.Counter()


class Fail(Exception):
    """Becomes the answer"""

    def __init__(self, status, code, message="", extra="", headers=()):
        super().__init__(code)
        self.status, self.code, self.message, self.extra, self.headers = status, code, message, extra, headers


class Answered(Exception):
    """The request was answered"""


class HangUp(Exception):
    """The connection is closed, without an answer unless there was one"""


def crc_table():
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        yield n


TABLE = list(crc_table())


def crc32c(data):
    """In base64, as all services have it"""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return base64.b64encode((crc ^ 0xFFFFFFFF).to_bytes(4, "big")).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    """A server has route(), which calls count() and quirks() first, fail(), and new_value()"""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    request_id = "x-request-id"
    busy = (503, "SlowDown", "Please reduce your request rate.")

    def log_message(self, *args):
        pass

    # ---- requests ----

    def handle_any(self):
        self.bucket = self.key = self.quirk = ""
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.path = re.sub("^http://[^/]*", "", self.path)  # it is a proxy, too
        self.raw_path, _, self.raw_query = self.path.partition("?")
        self.query = dict(urllib.parse.parse_qsl(self.raw_query, keep_blank_values=True))
        try:
            if self.raw_path.startswith("/_"):
                self.inspect(*urllib.parse.unquote(self.raw_path)[1:].partition("/")[::2])
            else:
                self.route()
        except Fail as fail:
            self.fail(fail)
        except Answered:
            pass
        except HangUp:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any

    def count(self, bucket, key, line):
        """The bucket of the request is known; returns how often there was one for this key"""
        self.bucket, self.key, self.quirk = bucket, key, bucket.partition("-")[0]
        with lock:
            counts[bucket] += 1
            lines[bucket].append("%s %s" % (self.command, line))
            return self.nth("any")

    def quirks(self, n):
        """Those that do not even look at the request"""
        if self.quirk == "redirect":
            self.answer(307, b"", [("Location", self.away())])
            raise Answered
        if self.quirk == "html":
            self.answer(404, b"<html><body>not here</body></html>", [("Content-Type", "text/html")])
            raise Answered
        if self.quirk == "overloaded" or self.quirk == "slow" and n <= 2:
            raise Fail(*self.busy)

    def proxy_fails(self):
        """The request was executed, but something on the way has lost the answer"""
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.end_headers()
        raise Answered

    def away(self):
        """A place on another host, that notes which secrets it was shown"""
        return "http://localhost:%d/_log/away" % self.server.server_port

    def inspect(self, kind, what):
        if kind == "_count":
            return self.answer(200, b"%d" % counts[what])
        if kind == "_log" and what == "away":
            lines["away-log"].append(("Authorization: %s %s" % (self.headers.get("Authorization"), self.raw_query)).rstrip())
            return self.answer(200, b"elsewhere", [("ETag", '"away"'), ("x-goog-generation", "7")])
        if kind == "_log":
            return self.answer(200, "\n".join(lines[what]).encode())
        raise Fail(404, "notFound", "Not Found")

    # ---- answers ----

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        self.send_header(self.request_id, "REQ%08d" % next(numbers))
        if not any(name == "Content-Length" for name, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(self.now(), usegmt=True)

    def now(self):
        return time.time() + (3600 if getattr(self, "quirk", "") == "early" else 0)

    # ---- values ----

    def value(self):
        return buckets[self.bucket].get(self.key)

    def is_trial(self):
        """Is it a test of conditions, which no quirk shall spoil?"""
        return ".zinc-test" in self.key

    def nth(self, what):
        firsts[self.bucket, self.key, what] += 1
        return firsts[self.bucket, self.key, what]

    def first(self, what):
        return self.nth(what) == 1

    def overwrite(self):
        """Someone else does, with another write id"""
        before = buckets[self.bucket].get(self.key)
        ids = {name: text[::-1] for name, text in before.meta.items()} if before else {}
        buckets[self.bucket][self.key] = self.new_value(b"someone else", ids)

    def bad_range(self, n):
        return Fail(416, "InvalidRange", "The range specified is invalid.")

    def answer_range(self, data, headers, suffixes=True):
        """All of it, or the range that the request has"""
        n = len(data)
        found = re.fullmatch(r"bytes=(\d*)-(\d*)" if suffixes else r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not found:
            return self.answer(200, data, headers)
        first, last = found.groups()
        begin = max(0, n - int(last)) if not first else int(first)
        end = n if not first or not last else min(n, int(last) + 1)
        if begin >= min(n, end):
            raise self.bad_range(n)
        return self.answer(206, data[begin:end], [*headers, ("Content-Range", "bytes %d-%d/%d" % (begin, end - 1, n))])

    # ---- lists ----

    def entries(self, prefix, delimiter):
        """(name, is prefix) of all keys and common prefixes, in order"""
        last = None
        for key in sorted(buckets[self.bucket], key=str.encode):
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix):]
            if delimiter and delimiter in rest:
                name = prefix + rest.partition(delimiter)[0] + delimiter
                if name != last:
                    yield name, True
                last = name
            else:
                yield key, False

    def page(self, token, most):
        """Some entries, and the token of the next page"""
        most = 3 if self.quirk in ("smallpages", "samepage") else min(1000, int(most))
        after = base64.b64decode(token) if token and self.quirk != "samepage" else b""
        found = [e for e in self.entries(self.query.get("prefix", ""), self.query.get("delimiter", ""))
                 if e[0].encode() > after]
        page, more = found[:most], len(found) > most
        if self.quirk == "emptypages":
            page, more = [], True
        if self.quirk == "outside":
            buckets[self.bucket].setdefault("zzz-elsewhere", self.new_value(b"", {}))
            page.append(("zzz-elsewhere", False))
        last = page[-1][0] if page else str(next(numbers))
        return page, base64.b64encode(last.encode()).decode() if more else None
