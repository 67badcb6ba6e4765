#!/usr/bin/env python3
"""gs_server.py [--tls CERT KEY] - a small Google Cloud Storage (JSON API) for tests, in memory, on a free port on loopback

Prints its port and serves until its standard input ends, so that it never outlives its parent.

It has reads with one range, uploads (media, multipart, resumable), metadata of objects, deletes, batches of deletes and
lists, with ifGenerationMatch, which is atomic with the change.  cloud_server.py has what buckets and QUIRKS are.
GET /_open/BUCKET is the number of uploads that are neither complete nor given up.

It is a token server, too: POST /_token/NAME (a JWT, whose signature is checked with the key in key.pem, or a refresh
token "refresh-canary"), and a metadata server.  Tokens that it gave out are valid; so is "token-canary".
"""
import base64
import gzip
import hashlib
import itertools
import json
import re
import subprocess
import time
import urllib.parse

import cloud_server
import server
from cloud_server import Fail, HangUp, buckets, counts, crc32c, lines, lock, numbers

QUIRKS = {
    "plain": "correct",
    "private": "401 without a valid token",
    "nosuch": "does not exist",
    "silent404": "correct, but a 404 says only that",
    "ignores": "conditions are not looked at",
    "nodelete": "conditions of DELETE are not looked at",
    "nobatch": "404 for batches",
    "unbatched": "501 for batches",
    "halfbatch": "a batch refuses keys with 'keep' in their names with 403",
    "quietbatch": "a batch does not mention keys with 'keep' in their names",
    "cutbatch": "the answer to a batch is cut",
    "denied": "403",
    "policy": "uploads without a condition are 412",
    "weary": "pieces of an upload are 500 in its first second",
    "nolist": "listing is 403",
    "hangsup": "uploads of tests are not answered",
    "late": "every first upload of a key is executed, but not answered",
    "proxied": "every first upload of a key is executed, and answered with a proxy's 503",
    "lost": "every first upload of a key is executed, not answered, and overwritten by someone else",
    "cutanswer": "every first upload of a key is executed, and its answer is cut",
    "wrongsum": "uploads are answered with the CRC-32C of other bytes",
    "nogeneration": "answers to uploads have no generation",
    "untagged": "reads have no x-goog-generation",
    "hugepage": "listings are many megabytes of JSON",
    "samepage": "listings repeat their first page",
    "emptypages": "listings are empty and go on",
    "cutlist": "listings are cut in the middle",
    "notlist": "listings are {}",
    "outside": "listings have keys outside of the prefix",
    "unsorted": "listings are in reverse order",
    "smallpages": "three keys in a page",
    "redirect": "307 to another host",
    "slow": "503 the first two times",
    "limited": "403 rateLimitExceeded the first two times",
    "overloaded": "503",
    "badsum": "whole values have the CRC-32C of other bytes",
    "gzipped": "values are stored with Content-Encoding: gzip",
    "gunzips": "the same, and always decompressed for readers",
    "compresses": "values are compressed for readers who accept it",
    "html": "404 with a page in HTML",
    "echocut": "the same, with so many letters before that the token is cut",
    "echo": "403 with the headers of the request in its message",
    "breaks": "every second piece of an upload is stored in half, and the connection is closed",
    "lastlost": "the last piece of an upload completes it, and the connection is closed",
    "forgets": "an upload in pieces is gone after its first piece, once",
    "forgetsdone": "as lastlost, and the upload is gone then",
    "takesback": "every second piece of an upload removes all bytes that were received",
    "stuck": "pieces of an upload are not stored",
    "liar": "the answer to a piece says that more bytes were received than were sent",
    "elsewhere": "the place of an upload is on another host",
    "noplace": "an upload in pieces has no place",
    "failpiece": "the second piece of every upload is 400",
}

generations = itertools.count(int(time.time() * 1e6))
sessions = {}  # id -> Session
tokens = {"token-canary"}


class Value:
    def __init__(self, data, meta, total=None):
        self.data, self.meta, self.generation = data, meta, next(generations)
        self.sum = total or crc32c(data)


class Session:
    def __init__(self, bucket, key, meta, declared, condition, total):
        self.bucket, self.key, self.meta, self.declared, self.condition = bucket, key, meta, declared, condition
        self.total, self.data, self.pieces, self.done, self.begun = total, b"", 0, None, time.monotonic()


def no_object(bucket, name):
    return Fail(404, "notFound", "No such object: %s/%s" % (bucket, name))


def precondition():
    return Fail(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signed_by_key(text, signature):
    """Is it PKCS#1 v1.5 with SHA-256, by the key in key.pem?"""
    out = subprocess.run(["openssl", "rsa", "-in", "key.pem", "-noout", "-modulus"], capture_output=True, text=True)
    modulus = int(out.stdout.strip().partition("=")[2], 16)
    size = (modulus.bit_length() + 7) // 8
    found = pow(int.from_bytes(signature, "big"), 65537, modulus).to_bytes(size, "big")
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(text).digest()
    return found == b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest


class Handler(cloud_server.Handler):
    request_id = "x-guploader-uploadid"
    busy = (503, "backendError", "Try again.")

    # ---- requests ----

    def route(self):
        found = re.fullmatch(r"(/upload)?/storage/v1/b/([^/]+)/o(?:/(.+))?", self.raw_path)
        if found:
            key = urllib.parse.unquote(found.group(3) or "") or self.query.get("name", "")
            n = self.count(urllib.parse.unquote(found.group(2)), key, "%s?%s" % (self.raw_path, self.raw_query))
            return self.serve(found.group(1) is not None, n)
        if self.raw_path == "/batch/storage/v1":
            return self.batch()
        if self.raw_path == "/computeMetadata/v1/instance/service-accounts/default/token":
            return self.metadata()
        raise Fail(404, "notFound", "Not Found")

    def serve(self, uploads, n):
        self.refuse(n)
        with lock:
            if uploads:
                {"POST": self.upload, "PUT": self.put_piece, "DELETE": self.give_up}[self.command]()
            elif not self.key or "/o/" not in self.raw_path:
                self.list()
            elif self.command == "DELETE":
                self.delete()
            else:
                self.get()

    def refuse(self, n):
        if self.quirk not in QUIRKS or self.quirk == "nosuch":
            raise Fail(404, "notFound", "The specified bucket does not exist.")
        self.quirks(n)
        if self.quirk == "echocut":
            raise Fail(403, "forbidden", "x" * 221 + self.headers.get("Authorization", ""))
        if self.quirk == "echo":
            raise Fail(403, "forbidden", " ".join("%s=%s" % h for h in sorted(self.headers.items())))
        if self.quirk == "limited" and n <= 2:
            raise Fail(403, "rateLimitExceeded", "Slow down.")
        if self.quirk == "denied":
            raise Fail(403, "forbidden", "does not have storage.objects.get access")
        if self.quirk == "private":
            given = self.headers.get("Authorization", "").partition("Bearer ")[2]
            if given not in tokens:
                raise Fail(401, "authError" if given else "required", "Invalid Credentials")

    def inspect(self, kind, what):
        if kind == "_token":
            return self.token()
        if kind == "_open":
            return self.answer(200, b"%d" % sum(s.bucket == what and not s.done for s in sessions.values()))
        return super().inspect(kind, what)

    # ---- answers ----

    def answer_json(self, value, status=200, headers=()):
        self.answer(status, json.dumps(value).encode(), [("Content-Type", "application/json; charset=UTF-8"), *headers])

    def fail(self, f):
        if self.quirk == "silent404" and f.status == 404:
            return self.answer(404, b"Not Found\n", [("Content-Type", "text/plain")])
        if self.query.get("alt") == "media" and f.status != 401:
            return self.answer(f.status, f.message.encode(), [("Content-Type", "text/html; charset=UTF-8"), *f.headers])
        self.answer_json({"error": {"code": f.status, "message": f.message, "errors": [
            {"message": f.message, "domain": "global", "reason": f.code}]}}, f.status, f.headers)

    # ---- credentials ----

    def give_token(self, who, seconds=3599):
        token = "ya29.%s-%d" % (who, next(numbers))
        tokens.add(token)
        self.answer_json({"access_token": token, "expires_in": seconds, "token_type": "Bearer"})

    def token(self):
        form = dict(urllib.parse.parse_qsl(self.body.decode()))
        name = self.raw_path.rpartition("/")[2]
        with lock:
            counts["token-" + name] += 1
        if name == "refuses":
            return self.answer_json({"error": "invalid_grant", "error_description": "refresh-canary"}, 400)
        if name == "broken":
            return self.answer(200, b"not a token")
        if name == "moved":
            return self.answer(307, b"", [("Location", "http://localhost:%d/_token/jwt" % self.server.server_port)])
        if form.get("grant_type") == "refresh_token":
            if (form.get("client_id"), form.get("client_secret"), form.get("refresh_token")) != (
                    "client", "secret-canary", "refresh-canary"):
                return self.answer_json({"error": "invalid_grant"}, 400)
            return self.give_token("user")
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer":
            return self.answer_json({"error": "unsupported_grant_type"}, 400)
        head, claims, signature = form["assertion"].split(".")
        if json.loads(unbase64(head))["alg"] != "RS256" or not signed_by_key((head + "." + claims).encode(), unbase64(signature)):
            return self.answer_json({"error": "invalid_grant"}, 400)
        said = json.loads(unbase64(claims))
        port = self.server.server_port
        right = (said["iss"] == "robot@example.iam.gserviceaccount.com" and said["aud"].endswith(":%d%s" % (port, self.raw_path))
                 and abs(said["iat"] - time.time()) < 300 and said["exp"] == said["iat"] + 3600
                 and said["scope"] == "https://www.googleapis.com/auth/devstorage.read_write")
        return self.give_token("robot", 20 if name == "short" else 3599) if right else self.answer_json({"error": "invalid_scope"}, 400)

    def metadata(self):
        with lock:
            counts["metadata"] += 1
        if self.headers.get("Metadata-Flavor") != "Google":
            raise Fail(403, "forbidden", "Metadata-Flavor is missing")
        self.give_token("machine")

    # ---- objects ----

    def new_value(self, data, meta):
        return Value(data, meta)

    def bad_range(self, n):
        return Fail(416, "requestedRangeNotSatisfiable", "", headers=[("Content-Range", "bytes */%d" % n)])

    def check_generation(self, v, given=None):
        given = self.query.get("ifGenerationMatch") if given is None else given
        if given is not None and int(given) != (v.generation if v else 0):
            raise precondition()

    def describe(self, v):
        out = {"kind": "storage#object", "name": self.key, "size": str(len(v.data)), "crc32c": v.sum,
               "generation": str(v.generation), "metadata": v.meta}
        if self.quirk == "wrongsum" and not self.is_trial():
            out["crc32c"] = "AAAAAA=="
        if self.quirk in ("gzipped", "gunzips"):
            del out["crc32c"]
        if self.quirk == "nogeneration" and not self.is_trial():
            del out["generation"]
        wanted = self.query.get("fields")
        return {k: x for k, x in out.items() if not wanted or k in wanted.split(",")}

    def get(self):
        v = self.value()
        if not v:
            raise no_object(self.bucket, self.key)
        if self.quirk != "ignores":
            self.check_generation(v)
        if self.query.get("alt") != "media" and self.command != "HEAD":
            return self.answer_json(self.describe(v))
        self.get_media(v)

    def get_media(self, v):
        data, accepts = v.data, "gzip" in self.headers.get("Accept-Encoding", "")
        head = [("x-goog-generation", str(v.generation)), ("Accept-Ranges", "bytes"),
                ("x-goog-hash", "crc32c=" + ("AAAAAA==" if self.quirk == "badsum" else v.sum)),
                ("x-goog-hash", "md5=" + base64.b64encode(hashlib.md5(v.data).digest()).decode())]
        if self.quirk == "untagged":
            del head[0]
        stored = "gzip" if self.quirk in ("gzipped", "gunzips") else "identity"
        head.append(("x-goog-stored-content-encoding", stored))
        if stored == "gzip" and (not accepts or self.quirk == "gunzips"):
            return self.answer(200, gzip.decompress(data), head)
        if stored == "gzip":
            head.append(("Content-Encoding", "gzip"))
        if self.quirk == "compresses" and accepts:
            return self.answer(200, gzip.compress(data), [*head, ("Content-Encoding", "gzip")])
        self.answer_range(data, head)

    def delete(self):
        v = self.value()
        if not v:
            raise no_object(self.bucket, self.key)
        if self.quirk not in ("ignores", "nodelete"):
            self.check_generation(v)
        del buckets[self.bucket][self.key]
        self.answer(204)

    # ---- uploads ----

    def upload(self):
        kind = self.query.get("uploadType")
        if self.quirk == "hangsup" and self.is_trial():
            raise HangUp
        if self.quirk == "policy" and "ifGenerationMatch" not in self.query:
            raise Fail(412, "conditionNotMet", "Request violates constraint 'constraints/storage.retention'")
        if not self.key:
            raise Fail(400, "required", "Required")
        if kind == "resumable":
            return self.begin()
        meta, data = {}, self.body
        if kind == "multipart":
            meta, data = self.take_parts()
        elif kind != "media":
            raise Fail(400, "invalid", "Invalid uploadType")
        self.store(data, meta)

    def take_parts(self):
        found = re.search(r'boundary="?([^";]+)', self.headers.get("Content-Type", ""))
        parts = self.body.split(b"--" + found.group(1).encode())
        if len(parts) != 4 or parts[3].strip() != b"--":
            raise Fail(400, "badContent", "not two parts")
        texts = [part.partition(b"\r\n\r\n")[2][:-2] for part in parts[1:3]]
        about = json.loads(texts[0])
        if about.get("crc32c", crc32c(texts[1])) != crc32c(texts[1]):
            raise Fail(400, "invalid", "Provided CRC32C does not match")
        return about.get("metadata", {}), texts[1]

    def store(self, data, meta, condition=None):
        if self.quirk != "ignores":
            self.check_generation(self.value(), condition)
        if self.quirk in ("gzipped", "gunzips"):
            data = gzip.compress(data, mtime=0)
        v = buckets[self.bucket][self.key] = Value(data, meta)
        if self.quirk in ("late", "lost", "cutanswer", "proxied") and not self.is_trial() and self.first("put"):
            if self.quirk == "lost":
                self.overwrite()
            if self.quirk == "proxied":
                self.proxy_fails()
            if self.quirk == "cutanswer":
                self.answer(200, b'{"gen', [("Content-Length", "200")])
            raise HangUp
        self.answer_json(self.describe(v))
        return v

    def begin(self):
        about = json.loads(self.body or b"{}")
        if self.quirk != "ignores":
            self.check_generation(self.value())
        name = "up%d" % next(numbers)
        sessions[name] = Session(self.bucket, self.key, about.get("metadata", {}), about.get("crc32c"),
                                 self.query.get("ifGenerationMatch"), int(self.headers["X-Upload-Content-Length"]))
        host = "other.example" if self.quirk == "elsewhere" else "127.0.0.1:%d" % self.server.server_port
        place = "http://%s%s?%s&upload_id=%s" % (host, self.raw_path, self.raw_query, name)
        self.answer(200, b"", [] if self.quirk == "noplace" else [("Location", place)])

    def session(self):
        s = sessions.get(self.query.get("upload_id"))
        if not s or s.bucket != self.bucket:
            raise Fail(404, "notFound", "Not Found")
        self.key = s.key
        return s

    def give_up(self):
        self.session()
        del sessions[self.query["upload_id"]]
        self.answer(499)

    def more(self, s, lie=0):
        have = len(s.data) + lie
        self.answer(308, b"", [("Range", "bytes=0-%d" % (have - 1))] if have else [])

    def put_piece(self):
        s = self.session()
        asked = re.fullmatch(r"bytes \*/(\d+)", self.headers["Content-Range"])
        found = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", self.headers["Content-Range"])
        if asked:
            return self.answer_json(self.describe(s.done)) if s.done else self.more(s)
        first, last, total = (int(x) for x in found.groups())
        if last - first + 1 != len(self.body) or total != s.total or first > len(s.data):
            raise Fail(400, "invalid", "Failed to parse Content-Range header")
        if last + 1 < total and len(self.body) % (256 << 10):
            raise Fail(400, "invalid", "no multiple of 256 KiB")
        s.pieces += 1
        self.piece_quirks(s, first)
        if self.quirk == "stuck":
            return self.more(s)
        if self.quirk == "takesback" and s.pieces % 2 == 0:
            s.data = b""
            return self.more(s)
        s.data = s.data[:first] + self.body
        if self.quirk == "liar":
            return self.more(s, 1 << 20)
        if len(s.data) < s.total:
            return self.more(s)
        self.complete(s)

    def piece_quirks(self, s, first):
        if self.quirk == "failpiece" and s.pieces == 2:
            raise Fail(400, "invalid", "not this piece")
        if self.quirk == "weary" and time.monotonic() - s.begun < 1:
            raise Fail(500, "internalError", "Not now.")
        if self.quirk == "forgets" and s.pieces == 2 and self.first("forget"):
            del sessions[self.query["upload_id"]]
            raise Fail(410, "gone", "Gone")
        if self.quirk == "breaks" and s.pieces % 2 == 0:
            s.data = s.data[:first] + self.body[: len(self.body) // 2 // (256 << 10) * (256 << 10)]
            raise HangUp

    def complete(self, s):
        if s.declared and s.declared != crc32c(s.data):
            raise Fail(400, "invalid", "Provided CRC32C does not match")
        if s.condition is not None:
            self.check_generation(self.value(), s.condition)
        s.done = buckets[self.bucket][self.key] = Value(s.data, s.meta, s.declared)
        if self.quirk == "forgetsdone":
            del sessions[self.query["upload_id"]]
        if self.quirk in ("lastlost", "forgetsdone"):
            raise HangUp
        self.answer_json(self.describe(s.done))

    # ---- batches ----

    def batch(self):
        boundary = re.search(r"boundary=([^;]+)", self.headers["Content-Type"]).group(1)
        parts = self.body.decode().split("--" + boundary)[1:-1]
        if len(parts) > 100:
            raise Fail(400, "invalid", "more than 100 calls")
        out = []
        for part in parts:
            name = re.search(r"Content-ID: <(.*?)>", part).group(1)
            path = re.search(r"DELETE (\S+) HTTP/1.1", part).group(1)
            text = self.batch_part(path)
            if text is not None:
                out.append("--answer\r\nContent-Type: application/http\r\nContent-ID: <response-%s>\r\n\r\n%s\r\n" % (name, text))
        text = "".join(out) + "--answer--\r\n"
        if self.quirk == "cutbatch":
            text = text[: len(text) // 2]
        if self.quirk == "nobatch":
            raise Fail(404, "notFound", "Not Found")
        if self.quirk == "unbatched":
            raise Fail(501, "notImplemented", "Not Implemented")
        self.answer(200, text.encode(), [("Content-Type", "multipart/mixed; boundary=answer")])

    def batch_part(self, path):
        bucket, name = re.fullmatch(r"/storage/v1/b/([^/]+)/o/([^?]+)(?:\?.*)?", path).groups()
        name = urllib.parse.unquote(name)
        self.bucket, self.quirk = bucket, bucket.partition("-")[0]
        with lock:
            lines[bucket].append("BATCH %s" % name)
            if self.quirk in ("nobatch", "unbatched"):
                return None
            if self.quirk == "quietbatch" and "keep" in name:
                return None
            if self.quirk not in QUIRKS or self.quirk == "nosuch":
                return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            if self.quirk == "halfbatch" and "keep" in name:
                return "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}"
            found = buckets[bucket].pop(name, None)
        return "HTTP/1.1 204 No Content\r\n\r\n" if found else "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"

    # ---- lists ----

    def list(self):
        if self.quirk == "nolist":
            raise Fail(403, "forbidden", "does not have storage.objects.list access")
        if self.quirk == "notlist":
            return self.answer_json({})
        if self.quirk == "hugepage":
            text = b'{"kind":"storage#objects","x":[1' + b",1" * (10 << 20) + b"]}"
            return self.answer(200, text, [("Content-Type", "application/json")])
        page, token = self.page(self.query.get("pageToken"), self.query.get("maxResults", 1000))
        out = {"kind": "storage#objects"}
        out["items"] = [{"name": n, "size": str(len(buckets[self.bucket][n].data))} for n, is_prefix in page if not is_prefix]
        out["prefixes"] = [n for n, is_prefix in page if is_prefix]
        if token:
            out["nextPageToken"] = token
        if self.quirk == "unsorted":
            out["items"] = out["items"] + out["items"][:1]
        text = json.dumps(out).encode()
        self.answer(200, text[: len(text) // 2] if self.quirk == "cutlist" else text, [("Content-Type", "application/json")])


if __name__ == "__main__":
    server.run(Handler, server.options(__doc__).parse_args())
