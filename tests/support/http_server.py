#!/usr/bin/env python3
"""http_server.py DIR [--tls CERT KEY] [--host ADDRESS] [--log FILE] - a web server for tests, on a free port on
loopback

Prints its port and serves until its standard input ends, so that it never outlives its parent.
The first component of a path selects its behaviour; the rest is a file below DIR:

    /plain/a/b    a correct server: HEAD, one range, ETag, If-Match
    /cut/a/b      the same, but it hangs up in the middle of the first answer for each path
    /_count/cut   number of requests below /cut
    /_most/slow   the most of those requests in progress at once
    /_mirror/a    method, path, X-Test, X-Signature and body of a request that is not a GET
    /_echo/a?b    path, query and the header X-Test of the request
    /toecho/away  302 to /_echo, by another name of the same host; /toecho/home by the same
    /hop/X/a/b    302 to Y/a/b, X being the URL Y in base64 (URL-safe, without padding)

--log adds a line for each request: its method, path and Authorization.
MODES below has them all.
"""
import base64
import collections
import email.utils
import http.server
import os
import re
import shutil
import threading
import time
import urllib.parse

import server

lock = threading.Lock()
count = collections.Counter()  # requests by mode
seen = collections.Counter()  # requests by mode and path
under_way = collections.Counter()  # requests by mode, now
most = collections.Counter()  # and at most

# Every mode, and its difference from a correct server.
MODES = {
    "plain": "",
    "noranges": "always all of it",
    "saysnone": "always all of it, with Accept-Ranges: none",
    "nohead": "HEAD is 405",
    "slow": "what is read comes 0.3 s later",
    "modified": "no ETag, but Last-Modified",
    "fresh": "no ETag, and Last-Modified is now",
    "dated": "the ETag is date and size, and the date is now",
    "datedlong": "the ETag is date and size, and the date is long ago",
    "dav": "directories must be there before a PUT; DELETE of one needs a '/', and then removes all in it",
    "davmoved": "the same, but a directory without '/' is redirected",
    "weak": "ETags are weak",
    "notag": "neither ETag nor Last-Modified",
    "changing": "another ETag each time",
    "ignores": "If-Match is not looked at",
    "ignoresall": "neither is that of changes, and DELETE is never answered",
    "match404": "If-Match is 404 where nothing is, but for keys that begin with a dot",
    "all404": "If-Match is 404 where nothing is",
    "chunked": "no length, but chunks; no ranges",
    "nolength": "no length: the end of the connection is that of the value; no ranges",
    "cut": "hangs up in the middle, the first time",
    "cutalways": "hangs up in the middle, always",
    "cutchanged": "hangs up in the middle, and then has another value",
    "cutlonger": "hangs up in the middle, and then has a longer one, in chunks",
    "drop": "hangs up without an answer, the first time",
    "busy": "503 with Retry-After the first two times",
    "busyalways": "503",
    "limited": "429 the first time",
    "silent": "never answers",
    "stalls": "half of it, and then nothing",
    "trickle": "a byte a second",
    "tricklehead": "the head of the answer a byte a second",
    "tricklehop": "302 to /plain, a byte a second",
    "shifted": "ranges begin one byte late",
    "untold": "206 without Content-Range",
    "longer": "206 that has a byte more than its range, in chunks",
    "shorter": "206 that has a byte less than its range, in chunks",
    "encoded": "Content-Encoding: gzip",
    "forbidden": "403",
    "gone": "410",
    "teapot": "418",
    "redirect": "302 to /plain, with a long body",
    "loop": "302 to itself",
    "tofile": "302 to a file URL",
    "toecho": "302 to /_echo, of this host or by another name of it",
    "hop": "302 to another server",
    "nowhere": "302 without a Location",
    "moved": "PUT and DELETE are 302",
    "moved307": "PUT and DELETE are 307 to /plain",
    "tomirror": "changes are 307 to /_mirror",
    "putcut": "PUT and DELETE are done, but hung up on without an answer the first time",
    "putsilent": "the same, always",
    "putforbid": "the same the first time, and 403 from then on",
    "putlater": "PUT and DELETE are 503 the first time, with a text that is cut short",
    "putdrop": "PUT and DELETE are hung up on before they are read, the first time",
    "put500": "PUT and DELETE are 500",
    "put524": "PUT and DELETE are done, but 524 the first time, as of a proxy",
    "accepted": "PUT and DELETE are 202",
    "noput": "PUT and DELETE are 405",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.serve(False)

    def do_GET(self):
        self.serve(True)

    def do_PUT(self):
        self.change()

    do_DELETE = do_POST = do_OPTIONS = do_PROPFIND = do_MKCOL = do_PUT

    # ---- answers ----

    def head(self, status, fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()

    def plain(self, status, text=b"", **fields):
        self.head(status, {"Content-Length": str(len(text)), **fields})
        if self.command != "HEAD":
            self.wfile.write(text)

    def hang_up(self):
        self.wfile.flush()
        self.close_connection = True
        self.connection.close()

    def trickle(self, text):
        """A server that always sends slowly and does not end."""
        for at in range(len(text)):
            self.wfile.write(text[at : at + 1])
            self.wfile.flush()
            time.sleep(1)
        self.close_connection = True

    def chunks(self, status, fields, body):
        self.head(status, {**fields, "Transfer-Encoding": "chunked"})
        for at in range(0, len(body), 1000):
            part = body[at : at + 1000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    # ---- changes ----

    def change(self):
        """PUT and DELETE of a file below DIR; /_mirror sends back any request"""
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        self.mode, _, key = path.lstrip("/").partition("/")
        with lock:
            count[self.mode] += 1
            seen[path] += 1
            n = seen[path]
        if self.mode == "putdrop" and n == 1:
            return self.hang_up()
        if self.mode == "ignoresall" and self.command == "DELETE":
            time.sleep(30)
            return self.hang_up()
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            return self.hang_up()
        if self.mode == "_mirror":
            words = [self.command, self.path, self.headers.get("X-Test", "-"), self.headers.get("X-Signature", "-")]
            return self.plain(200, " ".join(words).encode() + b" " + body, **{"X-Answer": "yes"})
        if self.mode == "tomirror":
            return self.plain(307, Location="/_mirror/" + urllib.parse.quote(key))
        if self.mode in ("moved", "moved307"):
            return self.plain(302 if self.mode == "moved" else 307, Location="/plain/" + urllib.parse.quote(key))
        if self.mode not in MODES or self.misbehave(n, key):
            return None if self.mode in MODES else self.plain(404)
        if self.mode == "putforbid" and n > 1:
            return self.plain(403)
        if self.mode == "putlater" and n == 1:
            self.head(503, {"Content-Length": "100"})
            return self.hang_up()
        if self.mode in ("put500", "accepted", "noput"):
            return self.plain({"put500": 500, "accepted": 202, "noput": 405}[self.mode])
        with lock:
            name = os.path.join(options.dir, key)
            status, fields = (self.mode.startswith("dav") and self.apply_dav(name)) or self.apply(name, body)
        if self.mode == "putsilent" or (self.mode in ("putcut", "putforbid") and n == 1):
            return self.hang_up()
        return self.plain(524 if self.mode == "put524" and n == 1 else status, **fields)

    def apply_dav(self, name):
        """What concerns directories; None: nothing does"""
        if self.command == "MKCOL":
            if os.path.exists(name.rstrip("/")):
                return 405, {}
            if not os.path.isdir(os.path.dirname(name.rstrip("/"))):
                return 409, {}
            os.mkdir(name)
            return 201, {}
        if self.command == "PUT" and not os.path.isdir(os.path.dirname(name)):
            return 409, {}
        if self.command == "DELETE" and os.path.isdir(name):
            if self.mode == "davmoved" and not name.endswith("/"):
                return 301, {"Location": self.path + "/"}
            if self.headers.get("Depth") == "0":
                return 400, {}
            shutil.rmtree(name)
            return 204, {}
        return None

    def apply(self, name, body):
        there = os.path.isfile(name)
        tag = self.tag_of(os.stat(name), 0) if there else None
        match, none = self.headers.get("If-Match"), self.headers.get("If-None-Match")
        trial = os.path.basename(name).startswith(".")
        if match and not there and (self.mode == "all404" or (self.mode == "match404" and not trial)):
            return 404, {}
        if not self.mode.startswith("ignores") and ((match and match != tag) or (none and there)):
            return 412, {}
        if self.command == "DELETE":
            if not there:
                return 404, {}
            os.unlink(name)
            return 204, {}
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name + ".new", "wb") as f:
            f.write(body)
        os.rename(name + ".new", name)
        fields = {} if self.mode == "notag" else {"ETag": self.tag_of(os.stat(name), 0)}
        return 204 if there else 201, fields

    # ---- values ----

    def tag_of(self, stat, n):
        tag = '"%x-%x-%x"' % (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if self.mode == "changing":
            tag = '"%d"' % n
        if self.mode == "weak":
            tag = "W/" + tag
        return tag

    def validators(self, stat, n):
        old = email.utils.formatdate(stat.st_mtime - 3600, usegmt=True)
        if self.mode == "notag":
            return {}
        if self.mode == "modified":
            return {"Last-Modified": old}
        if self.mode == "fresh":
            return {"Last-Modified": email.utils.formatdate(time.time(), usegmt=True)}
        tag = {"ETag": self.tag_of(stat, n)}
        if self.mode == "dated":
            tag["Last-Modified"] = email.utils.formatdate(time.time(), usegmt=True)
        if self.mode == "datedlong":
            tag["Last-Modified"] = old
        return tag

    def fails_condition(self, fields):
        if self.mode == "ignores":
            return False
        match, since = self.headers.get("If-Match"), self.headers.get("If-Unmodified-Since")
        if match:
            return match != fields.get("ETag")
        return bool(since and since != fields.get("Last-Modified"))

    def range_of(self, size):
        """(first, last), None without a range, or False if it is outside"""
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not found or self.mode in ("noranges", "saysnone", "chunked", "nolength"):
            return None
        if not found[1]:
            first, last = max(0, size - int(found[2])), size - 1
        else:
            first, last = int(found[1]), min(size - 1, int(found[2] or size - 1))
        return (first, last) if first <= last else False

    # ---- the request ----

    def serve(self, with_body):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        self.mode, _, key = path.lstrip("/").partition("/")
        with lock:
            if options.log:
                with open(options.log, "a") as log:
                    print(self.command, self.path, self.headers.get("Authorization", "-"), file=log)
            if self.mode == "_count":
                return self.plain(200, b"%d" % count[key])
            if self.mode == "_most":
                return self.plain(200, b"%d" % most[key])
            if self.mode == "_echo":
                return self.plain(200, ("%s %s" % (self.path, self.headers.get("X-Test", "-"))).encode())
            count[self.mode] += 1
            seen[path] += 1
            n = seen[path]
            under_way[self.mode] += 1
            most[self.mode] = max(most[self.mode], under_way[self.mode])
        if self.mode == "slow":
            time.sleep(0.3)
        try:
            self.answer(n, key, with_body)
        finally:
            with lock:
                under_way[self.mode] -= 1

    def answer(self, n, key, with_body):
        if self.mode not in MODES:
            return self.plain(404)
        if self.mode == "davmoved" and os.path.isdir(os.path.join(options.dir, key)):
            return self.plain(403) if key.endswith("/") else self.plain(301, Location=self.path + "/")
        if not self.misbehave(n, key):
            self.value(n, key, with_body)

    def misbehave(self, n, key):
        """Answers that do not depend on the value; False: go on"""
        mode = self.mode
        if mode == "forbidden":
            self.plain(403)
        elif mode == "gone":
            self.plain(410)
        elif mode == "teapot":
            self.plain(418)
        elif mode == "busyalways" or (mode == "busy" and n <= 2):
            self.plain(503, b"come back", **{"Retry-After": "0"})
        elif mode == "limited" and n == 1:
            self.plain(429)
        elif mode == "redirect":
            self.plain(302, b"x" * 100000, Location="/plain/" + urllib.parse.quote(key))
        elif mode == "loop":
            self.plain(302, Location=self.path)
        elif mode == "toecho":
            host = "localhost" if key == "away" else "127.0.0.1"
            self.plain(302, Location="http://%s:%d/_echo/k" % (host, self.server.server_address[1]))
        elif mode == "tofile":
            self.plain(302, Location="file:///etc/passwd")
        elif mode == "hop":
            place, _, rest = key.partition("/")
            place = base64.urlsafe_b64decode(place + "=" * (-len(place) % 4)).decode()
            self.plain(302, Location=place + "/" + urllib.parse.quote(rest))
        elif mode == "nowhere":
            self.plain(302)
        elif mode == "nohead" and self.command == "HEAD":
            self.plain(405)
        elif mode == "silent":
            time.sleep(20)
            self.close_connection = True
        elif mode == "tricklehead":
            self.trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        elif mode == "tricklehop":
            self.trickle(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /plain/%s\r\n\r\n" % key.encode())
        elif mode == "drop" and n == 1:
            self.hang_up()
        else:
            return False
        return True

    def value(self, n, key, with_body):
        name = os.path.join(options.dir, key)
        if not os.path.isfile(name):
            return self.plain(404, b"no such file")
        with open(name, "rb") as f:
            stat, body = os.fstat(f.fileno()), f.read()
        if self.mode == "cutchanged" and n > 1:
            body = bytes(255 - b for b in body)
        fields = self.validators(stat, n if self.mode != "cutchanged" else 0)
        if self.mode == "cutchanged":
            fields = {"ETag": '"%d"' % n}
        if self.mode == "saysnone":
            fields["Accept-Ranges"] = "none"
        if self.fails_condition(fields):
            return self.plain(412)
        part = self.range_of(len(body))
        if part is False:
            return self.plain(416, **{"Content-Range": "bytes */%d" % len(body)})
        status = 200
        if part:
            status, (first, last) = 206, part
            if self.mode == "shifted":
                first += 1
            fields["Content-Range"] = "bytes %d-%d/%d" % (first, last, len(body))
            if self.mode == "untold":
                del fields["Content-Range"]
            body = body[first : last + 1]
        if self.mode == "encoded":
            fields["Content-Encoding"] = "gzip"
        self.send(n, status, fields, body, with_body)

    def send(self, n, status, fields, body, with_body):
        mode = self.mode
        if mode == "longer" and status == 206:
            return self.chunks(status, fields, body + b"x")
        if mode == "shorter" and status == 206:
            return self.chunks(status, fields, body[:-1])
        if mode == "chunked" and with_body:
            return self.chunks(status, fields, body)
        if mode == "cutlonger" and n > 1:
            return self.chunks(status, fields, body * 2)
        if mode == "nolength":
            self.close_connection = True
        elif not (mode == "chunked"):
            fields["Content-Length"] = str(len(body))
        self.head(status, fields)
        if not with_body:
            return None
        if mode == "trickle":
            return self.trickle(body)
        cuts = mode == "cutalways" or (mode in ("cut", "cutchanged", "cutlonger") and n == 1)
        if cuts or mode == "stalls":
            self.wfile.write(body[: len(body) // 2])
            if mode == "stalls":
                self.wfile.flush()
                time.sleep(20)
            return self.hang_up()
        return self.wfile.write(body)


parser = server.options(__doc__)
parser.add_argument("dir")
parser.add_argument("--log")
options = parser.parse_args()
server.run(Handler, options)
