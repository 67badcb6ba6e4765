"""fault_server.py - a web server and S3 in memory, each of whose answers a script may spoil; for faults.py

A Server listens on a free port on loopback.  It answers correctly, from `objects`, except for requests of the kind that
the script names.  Other services are classes on top of it: fault_gs.py, fault_az.py.  A script is a list of (kind, fault, argument, times), as faults.txt has them:

kinds: get head put delete list deletes initiate part complete abort, any
faults: the functions of Answer that begin with "fault_"; a fault is applied `times` times, then no more
"""
import gzip
import hashlib
import re
import socket
import struct
import threading
import time
import urllib.parse
import xml.sax.saxutils

ENDLESS = 64 << 20  # bytes after which even an endless answer ends: the test has failed by then
STALL = 8  # seconds; the clients give up long before
SKEW = 3600


class Hang(Exception):
    """The connection is over."""


def md5(data):
    return '"%s"' % hashlib.md5(data).hexdigest()


def date(offset=0):
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + offset))


class Request:
    def __init__(self, stream):
        line = stream.readline(65536)
        if not line:
            raise Hang
        self.method, target, _ = line.decode("latin-1").split(" ", 2)
        self.fields = {}
        while (line := stream.readline(65536).strip()):
            name, _, value = line.decode("latin-1").partition(":")
            self.fields[name.lower()] = value.strip()
        if "100-continue" in self.fields.get("expect", ""):
            stream.raw._sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.body = stream.read(int(self.fields.get("content-length", 0)))
        url = urllib.parse.urlsplit(target)
        self.path = urllib.parse.unquote(url.path)
        self.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))

    def kind(self):
        q, m = self.query, self.method
        if m == "GET":
            return "list" if "list-type" in q else "get"
        if m == "PUT":
            return "part" if "partNumber" in q else "put"
        if m == "DELETE":
            return "abort" if "uploadId" in q else "delete"
        if m == "POST":
            return "deletes" if "delete" in q else "initiate" if "uploads" in q else "complete"
        return m.lower()


class Answer:
    """What is sent: status, fields and body, and how.  The fault_ functions change it."""

    def __init__(self, server, request):
        self.server, self.request = server, request
        self.status, self.fields, self.body = 200, {}, b""
        self.cut, self.then = None, None  # after so many bytes of the body: "reset", "close", "stall"
        self.head_cut = None
        self.drip, self.after, self.raw = 0, b"", None
        self.chunked = None  # "good", "cut", "bad", "endless"

    # ---- correct answers ----

    def make(self):
        getattr(self, "do_" + self.request.kind(), self.do_other)()
        return self

    def do_other(self):
        self.status = 405

    def error(self, status, code="", text="", more=""):
        self.status, self.fields = status, {"x-amz-request-id": "1", "x-ms-request-id": "1"} if code else {}
        self.body = b""
        if code and self.request.method != "HEAD":
            self.body = ("<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>%s</Code><Message>%s</Message>%s"
                         "<Resource>x</Resource><RequestId>1</RequestId></Error>" % (code, text, more)).encode()
            self.fields["Content-Type"] = "application/xml"

    def xml(self, root, text):
        self.fields["Content-Type"] = "application/xml"
        self.body = ('<?xml version="1.0" encoding="UTF-8"?>\n<%s xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s'
                     "</%s>" % (root, text, root)).encode()

    def key(self):
        return self.request.path.lstrip("/").partition("/")[2]

    def answer_range(self, data, code):
        """All of it, or the range that the request has"""
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.request.fields.get("range", ""))
        if not found:
            self.body = data
            return None
        n = len(data)
        first = int(found[1]) if found[1] else max(0, n - int(found[2]))
        last = min(n - 1, int(found[2] or n - 1)) if found[1] else n - 1
        if first > last:
            self.error(416, code, "no")
            self.fields["Content-Range"] = "bytes */%d" % n
            return None
        self.status, self.body = 206, data[first : last + 1]
        self.fields["Content-Range"] = "bytes %d-%d/%d" % (first, last, n)
        return None

    def do_get(self):
        data = self.server.objects.get(self.key())
        match = self.request.fields.get("if-match")
        if data is None:
            return self.error(404, "NoSuchKey", "no such key")
        if match and match != md5(data) and not self.server.ignores:
            return self.error(412, "PreconditionFailed", "no")
        self.fields = {"ETag": md5(data), "Accept-Ranges": "bytes", "Last-Modified": date(-7200)}
        self.fields |= self.server.meta.get(self.key(), {})
        return self.answer_range(data, "InvalidRange")

    do_head = do_get

    def refused(self, data):
        match, none = self.request.fields.get("if-match"), self.request.fields.get("if-none-match")
        if self.server.ignores:
            return False
        return bool((match and (data is None or match != md5(data))) or (none and data is not None))

    def do_put(self):
        data = self.server.objects.get(self.key())
        if self.refused(data):
            return self.error(412, "PreconditionFailed", "At least one of the conditions did not hold")
        self.server.objects[self.key()] = self.request.body
        self.server.keep_meta(self.key(), self.request)
        self.fields = {"ETag": md5(self.request.body)}
        self.server.puts += 1
        return None

    def do_delete(self):
        if self.refused(self.server.objects.get(self.key())):
            return self.error(412, "PreconditionFailed", "no")
        self.server.objects.pop(self.key(), None)
        self.status = 204
        return None

    def do_list(self):
        q = self.request.query
        prefix, after = q.get("prefix", ""), q.get("continuation-token", q.get("start-after", ""))
        most = min(int(q.get("max-keys", 1000)), self.server.page)
        keys = sorted(k for k in self.server.objects if k.startswith(prefix) and k > after)
        esc = urllib.parse.quote if q.get("encoding-type") == "url" else xml.sax.saxutils.escape
        text = "<Name>b</Name><Prefix>%s</Prefix><IsTruncated>%s</IsTruncated>" % (
            esc(prefix), "true" if len(keys) > most else "false")
        for k in keys[:most]:
            text += "<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>%s</ETag>" \
                "<Size>%d</Size></Contents>" % (esc(k), md5(self.server.objects[k]), len(self.server.objects[k]))
        if len(keys) > most:
            text += "<NextContinuationToken>%s</NextContinuationToken>" % xml.sax.saxutils.escape(keys[most - 1])
        self.xml("ListBucketResult", text)

    def do_deletes(self):
        keys = [xml.sax.saxutils.unescape(k) for k in re.findall(r"<Key>(.*?)</Key>", self.request.body.decode())]
        quiet = b"<Quiet>true</Quiet>" in self.request.body
        for k in keys:
            self.server.objects.pop(k, None)
        self.xml("DeleteResult", "" if quiet else self.deleted(keys))

    @staticmethod
    def deleted(keys):
        return "".join("<Deleted><Key>%s</Key></Deleted>" % xml.sax.saxutils.escape(k) for k in keys)

    def do_initiate(self):
        self.server.uploads["u1"] = {}
        self.server.keep_meta(self.key(), self.request)
        self.xml("InitiateMultipartUploadResult", "<Bucket>b</Bucket><Key>k</Key><UploadId>u1</UploadId>")

    def do_part(self):
        self.server.uploads.setdefault(self.request.query["uploadId"], {})[int(self.request.query["partNumber"])] = \
            self.request.body
        self.fields = {"ETag": md5(self.request.body)}

    def do_complete(self):
        parts = self.server.uploads.pop(self.request.query.get("uploadId"), None)
        if parts is None:
            return self.error(404, "NoSuchUpload", "no such upload")
        self.server.objects[self.key()] = b"".join(parts[n] for n in sorted(parts))
        self.server.puts += 1
        return self.xml("CompleteMultipartUploadResult", "<ETag>%s</ETag>" % md5(self.server.objects[self.key()]))

    def do_abort(self):
        self.server.uploads.pop(self.request.query.get("uploadId"), None)
        self.server.aborts += 1
        self.status = 204

    # ---- faults: before the request is executed (it is not), or after ----

    def fault_reset(self, n):
        self.cut, self.then = int(n), "reset"

    def fault_close(self, n):
        self.cut, self.then = int(n), "close"

    def fault_stall(self, n):
        self.cut, self.then = int(n), "stall"

    def fault_headreset(self, n):
        self.head_cut, self.then = int(n), "reset"

    def fault_headclose(self, n):
        self.head_cut, self.then = int(n), "close"

    def fault_headstall(self, n):
        self.head_cut, self.then = int(n), "stall"

    def fault_drip(self, seconds):
        self.drip = float(seconds)

    def fault_dripbytes(self, seconds):
        self.drip, self.server.drip_head = float(seconds), True

    def fault_less(self, n):
        self.body = self.body[: len(self.body) - int(n)]

    def fault_more(self, n):
        self.body += b"#" * int(n)

    def fault_says(self, n):
        """Content-Length says `n` more than there is; the connection ends."""
        self.fields["Content-Length"] = str(len(self.body) + int(n))
        self.cut, self.then = len(self.body), "close"

    def fault_nolength(self, _):
        self.fields["Content-Length"] = None
        self.cut, self.then = len(self.body), "close"

    def fault_twolengths(self, n):
        self.fields["Content-Length"] = "%d\r\nContent-Length: %d" % (len(self.body), len(self.body) + int(n))

    def fault_badlength(self, text):
        self.fields["Content-Length"] = text

    def fault_extra(self, n):
        self.after = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcdefghij"[: int(n)]

    def fault_whole(self, _):
        self.status, self.body = 200, self.server.objects.get(self.key(), b"")
        self.fields.pop("Content-Range", None)

    def fault_shift(self, n):
        data, first = self.server.objects[self.key()], int(re.findall(r"\d+", self.fields["Content-Range"])[0])
        self.body = data[first + int(n) : first + int(n) + len(self.body)]
        self.fields["Content-Range"] = "bytes %d-%d/%d" % (first + int(n), first + int(n) + len(self.body) - 1, len(data))

    def fault_norange(self, _):
        self.fields.pop("Content-Range", None)

    def fault_total(self, n):
        self.fields["Content-Range"] = re.sub(r"/\d+", "/" + n, self.fields.get("Content-Range", "bytes 0-0/1"))

    def fault_range(self, text):
        self.fields["Content-Range"] = text.replace("_", " ")

    def fault_status(self, n):
        self.error(int(n))

    def fault_after(self, text):
        """status,seconds: a status with Retry-After"""
        status, seconds = text.split(",")
        self.error(int(status))
        self.fields["Retry-After"] = seconds

    def fault_xml(self, text):
        """status,Code[,Region]"""
        status, code, *region = text.split(",")
        self.error(int(status), code, "told to", "<Region>%s</Region>" % region[0] if region else "")
        if region:
            self.fields["x-amz-bucket-region"] = region[0]

    def fault_unless(self, text):
        """word,status,Code[,Region]: the same, unless Authorization has the word"""
        word, rest = text.split(",", 1)
        if word not in self.request.fields.get("authorization", ""):
            self.fault_xml(rest)
        else:
            self.make()

    def fault_skew(self, _):
        """403 unless the request is signed an hour ahead"""
        told = self.request.fields.get("x-amz-date", "19700101T000000Z")
        there = time.mktime(time.strptime(told, "%Y%m%dT%H%M%SZ")) - time.timezone
        if abs(there - time.time() - SKEW) > 900:
            self.error(403, "RequestTimeTooSkewed", "The difference is too large")
            self.fields["Date"] = date(SKEW)
        else:
            self.make()

    def fault_redirect(self, where):
        self.error(307)
        here = "http://127.0.0.1:%d" % self.server.port
        target = {"home": here + "/other", "loop": here + self.request.path, "file": "file:///etc/passwd",
                  "none": None, "away": "http://127.0.0.1:%d/b/k" % self.server.elsewhere.port if
                  self.server.elsewhere else None}[where]
        if target:
            self.fields["Location"] = target

    def fault_garbage(self, n):
        self.raw = bytes((i * 37 + 11) % 256 for i in range(int(n)))

    def fault_html(self, _):
        self.raw = b"<html><body>It works!</body></html>\n"

    def fault_endlesshead(self, _):
        self.raw = b"HTTP/1.1 200 OK\r\n" + b"X-Filler: yes\r\n" * (ENDLESS // 15)

    def fault_longfield(self, n):
        self.fields["X-Long"] = "a" * int(n)

    def fault_chunked(self, how):
        self.chunked = how

    def fault_gzip(self, _):
        self.body = gzip.compress(self.body)
        self.fields["Content-Encoding"] = "gzip"

    def fault_newtag(self, _):
        self.fields["ETag"] = '"%d"' % self.server.count

    def fault_notag(self, _):
        self.fields.pop("ETag", None)

    def fault_tag(self, text):
        self.fields["ETag"] = text

    def fault_change(self, n):
        """the value changes after n bytes were sent, which end there"""
        self.cut, self.then = int(n), "reset"
        self.server.objects[self.key()] = self.server.objects[self.key()][::-1]

    def fault_loop(self, _):
        self.body = re.sub(rb"<IsTruncated>.*?</IsTruncated>", b"<IsTruncated>true</IsTruncated>", self.body)
        self.body = re.sub(rb"<NextContinuationToken>.*?</NextContinuationToken>", b"", self.body)
        self.body = self.body.replace(b"</ListBucketResult>",
                                      b"<NextContinuationToken>a</NextContinuationToken></ListBucketResult>")

    def fault_replace(self, text):
        """old,new in the body"""
        old, new = text.split(",")
        self.body = self.body.replace(old.encode(), new.encode())

    def fault_body(self, text):
        self.body = text.replace("_", " ").encode()

    def fault_cutxml(self, n):
        self.body = self.body[: -int(n)]

    def fault_deleteerror(self, text):
        """KEY,Code: the result of a DeleteObjects has an error for it, and it stays"""
        key, code = text.split(",")
        self.make()
        self.server.objects[key] = b"kept"
        keys = [k for k in re.findall(r"<Key>(.*?)</Key>", self.request.body.decode()) if k != key]
        self.xml("DeleteResult", self.deleted(keys) + "<Error><Key>%s</Key><Code>%s</Code><Message>told to</Message></Error>" % (key, code))

    # ---- sending ----

    def text(self):
        fields = {"Date": date(), **self.fields}
        if self.chunked:
            fields["Transfer-Encoding"] = "chunked"
        else:
            fields.setdefault("Content-Length", str(len(self.body)))
        head = "HTTP/1.1 %d Told\r\n" % self.status
        head += "".join("%s: %s\r\n" % f for f in fields.items() if f[1] is not None) + "\r\n"
        body = b"" if self.request.method == "HEAD" or self.status == 204 else self.body
        return head.encode("latin-1"), body

    def send(self, sock):
        if self.raw is not None:
            sock.sendall(self.raw)
            raise Hang
        head, body = self.text()
        if self.head_cut is not None:
            sock.sendall(head[: self.head_cut])
            self.end(sock)
        if self.chunked:
            body = self.chunks(body)
        if self.cut is not None:
            body = body[: self.cut]
        if self.drip:
            sock.sendall(b"" if self.server.drip_head else head)
            for byte in (head if self.server.drip_head else b"") + body:
                sock.sendall(bytes([byte]))
                time.sleep(self.drip)
        else:
            sock.sendall(head + body)
        if self.cut is not None:
            self.end(sock)
        sock.sendall(self.after)

    def chunks(self, body):
        half = len(body) // 2
        first = b"%x\r\n%s\r\n" % (half, body[:half]) if half else b""
        rest = b"%x\r\n%s\r\n" % (len(body) - half, body[half:])
        if self.chunked == "cut":
            self.cut, self.then = len(first) + len(rest) - 3, "close"
        if self.chunked == "noend":
            self.cut, self.then = len(first) + len(rest), "close"
        if self.chunked == "bad":
            return first + b"zz\r\n" + body[half:]
        if self.chunked == "huge":
            return first + b"ffffffffffffffffff\r\n" + body[half:]
        if self.chunked == "endless":
            return b"10000\r\n%s\r\n" % (b"x" * 65536) * (ENDLESS // 65536)
        return first + rest + b"0\r\n\r\n"

    def end(self, sock):
        if self.then == "stall":
            time.sleep(STALL)
        if self.then == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Hang


class Server:
    request_class, answer_class = Request, Answer

    def __init__(self, objects, script=(), elsewhere=None, page=1000):
        self.objects, self.elsewhere, self.page = dict(objects), elsewhere, page
        self.script = [list(s) for s in script]
        self.ignores = any(s[1] == "ignores" for s in self.script)
        self.meta = {}
        self.uploads, self.aborts, self.puts, self.count = {}, 0, 0, 0
        self.requests = []  # (kind, path, fields)
        self.drip_head = False
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.ended = False
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.ended = True
        self.listener.close()

    def accept(self):
        while not self.ended:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = sock.makefile("rb")
            while True:
                answer = self.answer(self.request_class(stream))
                answer.send(sock)
        except (Hang, OSError, ValueError):
            pass
        finally:
            try:
                stream.close()
                sock.close()
            except OSError:
                pass

    def keep_meta(self, key, request):
        self.meta[key] = {k: v for k, v in request.fields.items() if k.startswith("x-amz-meta-")}

    def fault_for(self, kind):
        for s in self.script:
            if s[0] in (kind, "any") and s[1] != "ignores":
                if s[3] > 0:
                    s[3] -= 1
                    return s
        return None

    # Faults of these names come instead of the execution; all others spoil the answer of what was executed.
    INSTEAD = ("status", "after", "xml", "unless", "skew", "redirect", "deleteerror")

    def answer(self, request):
        with self.lock:
            self.count += 1
            kind = request.kind()
            self.requests.append((kind, request.path, request.fields))
            a = self.answer_class(self, request)
            fault = self.fault_for(kind) if self.matters(request) else None
            before = fault and fault[1].startswith("before-")
            name = fault[1].removeprefix("before-") if fault else None
            if not fault or not (before or name in self.INSTEAD):
                a.make()
            if fault:
                getattr(a, "fault_" + name)(fault[2])
            return a

    def matters(self, request):
        """Not the trials that a store makes of a server's conditions."""
        return "zinc" not in request.path
