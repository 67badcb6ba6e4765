"""fault_gs.py - the JSON API of Google Cloud Storage for faults_gs.txt; fault_server.py has the faults

kinds: get head stat put delete list deletes initiate part ask abort, any
"""
import base64
import functools
import json
import pathlib
import re
import sys
import urllib.parse

import fault_server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import cloud_server  # noqa: E402

crc32c = functools.lru_cache(None)(cloud_server.crc32c)


class Request(fault_server.Request):
    def kind(self):
        q, m = self.query, self.method
        if self.path.startswith("/batch/"):
            return "deletes"
        if "upload_id" in q:
            return "abort" if m == "DELETE" else "ask" if "*" in self.fields.get("content-range", "") else "part"
        if m == "POST":
            return "initiate" if q.get("uploadType") == "resumable" else "put"
        if m == "GET":
            return "get" if q.get("alt") == "media" else "stat" if "/o/" in self.path else "list"
        return m.lower()


class Answer(fault_server.Answer):
    def key(self):
        return self.request.query.get("name") or self.request.path.partition("/o/")[2]

    def error(self, status, code="", text="", more=""):
        self.status, self.fields, self.body = status, {"x-guploader-uploadid": "1"} if code else {}, b""
        if code and self.request.method != "HEAD":
            self.json({"error": {"code": status, "message": text, "errors": [{"reason": code, "message": text}]}})

    def json(self, value):
        self.fields["Content-Type"] = "application/json; charset=UTF-8"
        self.body = json.dumps(value).encode()

    def generation(self, key):
        """A number for each value that the key had"""
        data = self.server.objects.get(key)
        if data is None:
            return 0
        known = self.server.meta.setdefault("generations", {})
        if key not in known or known[key][0] is not data:
            self.server.count += 1
            known[key] = (data, 1700000000000000 + self.server.count)
        return known[key][1]

    def refused(self, data):
        given = self.request.query.get("ifGenerationMatch")
        return given is not None and not self.server.ignores and int(given) != self.generation(self.key())

    def describe(self, key):
        data = self.server.objects[key]
        out = {"kind": "storage#object", "generation": str(self.generation(key)), "size": str(len(data)),
               "metadata": self.server.meta.get("of " + key, {})}
        return out | ({"crc32c": crc32c(data)} if len(data) < 1 << 20 else {})  # it is slow here

    def do_get(self):
        key = self.key()
        data = self.server.objects.get(key)
        if data is None:
            return self.error(404, "notFound", "No such object: b/" + key)
        if self.refused(data):
            return self.error(412, "conditionNotMet", "no")
        self.fields = {"x-goog-generation": str(self.generation(key)), "x-goog-hash": "crc32c=" + crc32c(data),
                       "x-goog-stored-content-encoding": "identity", "Accept-Ranges": "bytes"}
        return self.answer_range(data, "requestedRangeNotSatisfiable")

    do_head = do_get

    def do_stat(self):
        if self.key() not in self.server.objects:
            return self.error(404, "notFound", "No such object: b/" + self.key())
        return self.json(self.describe(self.key()))

    def store(self, data, meta):
        if self.refused(self.server.objects.get(self.key())):
            return self.error(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
        self.server.objects[self.key()] = bytes(bytearray(data))
        self.server.meta["of " + self.key()] = meta
        self.server.puts += 1
        return self.json(self.describe(self.key()))

    def do_put(self):
        if self.request.query["uploadType"] == "media":
            return self.store(self.request.body, {})
        boundary = self.request.fields["content-type"].partition("boundary=")[2].encode()
        parts = [p.partition(b"\r\n\r\n")[2][:-2] for p in self.request.body.split(b"--" + boundary)[1:-1]]
        return self.store(parts[1], json.loads(parts[0]).get("metadata", {}))

    def do_delete(self):
        if self.key() not in self.server.objects:
            return self.error(404, "notFound", "No such object: b/" + self.key())
        if self.refused(self.server.objects[self.key()]):
            return self.error(412, "conditionNotMet", "no")
        del self.server.objects[self.key()]
        self.status = 204
        return None

    def do_list(self):
        q = self.request.query
        after = base64.b64decode(q["pageToken"]).decode() if "pageToken" in q else ""
        most = min(int(q.get("maxResults", 1000)), self.server.page)
        keys = sorted(k for k in self.server.objects if k.startswith(q.get("prefix", "")) and k > after)
        out = {"kind": "storage#objects", "items": [{"name": k, "size": str(len(self.server.objects[k]))} for k in keys[:most]]}
        if len(keys) > most:
            out["nextPageToken"] = base64.b64encode(keys[most - 1].encode()).decode()
        self.json(out)

    def do_deletes(self, but=None):
        boundary = self.request.fields["content-type"].partition("boundary=")[2]
        text = ""
        for part in self.request.body.decode().split("--" + boundary)[1:-1]:
            name = re.search(r"Content-ID: <(.*?)>", part)[1]
            key = urllib.parse.unquote(re.search(r"DELETE /storage/v1/b/b/o/(\S+) ", part)[1])
            text += "--answer\r\nContent-Type: application/http\r\nContent-ID: <response-%s>\r\n\r\n" % name
            if key == but:
                text += "HTTP/1.1 503 Service Unavailable\r\n\r\n\r\n"
                continue
            self.server.objects.pop(key, None)
            text += "HTTP/1.1 204 No Content\r\n\r\n\r\n"
        self.fields["Content-Type"] = "multipart/mixed; boundary=answer"
        self.body = (text + "--answer--\r\n").encode()

    def do_initiate(self):
        if self.refused(self.server.objects.get(self.key())):
            return self.error(412, "conditionNotMet", "no")
        self.server.uploads["u1"] = bytearray()
        self.server.meta["upload"] = json.loads(self.request.body).get("metadata", {})
        self.fields["Location"] = "http://127.0.0.1:%d/upload/storage/v1/b/b/o?%s&upload_id=u1" % (
            self.server.port, urllib.parse.urlencode(self.request.query))
        return None

    def more(self, data):
        self.status = 308
        if data:
            self.fields["Range"] = "bytes=0-%d" % (len(data) - 1)

    def do_part(self):
        data = self.server.uploads.get("u1")
        if data is None:
            return self.error(404, "notFound", "Not Found")
        first, _, total = (int(x) for x in re.findall(r"\d+", self.request.fields["content-range"]))
        if first > len(data):
            return self.error(400, "invalid", "a gap")
        data[first:] = self.request.body
        if len(data) < total:
            return self.more(data)
        self.server.uploads.pop("u1")
        self.server.meta["done"] = True
        return self.store(bytes(data), self.server.meta["upload"])

    def do_ask(self):
        if self.server.meta.get("done"):
            return self.json(self.describe(self.key()))
        if "u1" not in self.server.uploads:
            return self.error(404, "notFound", "Not Found")
        return self.more(self.server.uploads["u1"])

    def do_abort(self):
        self.server.uploads.pop("u1", None)
        self.server.aborts += 1
        self.status = 499

    # ---- faults ----

    def fault_json(self, text):
        """status,reason[,message]"""
        status, reason, *message = text.split(",")
        self.error(int(status), reason, message[0].replace("_", " ") if message else "told to")

    def fault_half(self, _):
        """Half of a piece arrives, and the connection is over"""
        data = self.server.uploads["u1"]
        first = int(re.findall(r"\d+", self.request.fields["content-range"])[0])
        data[first:] = self.request.body[: len(self.request.body) // 2]
        self.head_cut, self.then = 0, "reset"

    def fault_forget(self, _):
        self.server.uploads.pop("u1", None)
        self.error(410, "gone", "Gone")

    def fault_generation(self, text):
        self.fields["x-goog-generation"] = text or None

    def fault_sum(self, text):
        self.fields["x-goog-hash"] = "crc32c=" + text

    def fault_stored(self, text):
        self.fields["x-goog-stored-content-encoding"] = text

    def fault_loop(self, _):
        out = json.loads(self.body)
        self.json(out | {"nextPageToken": base64.b64encode(b"a").decode()})

    def fault_deleteerror(self, key):
        self.do_deletes(key)

    def fault_place(self, text):
        """Without an id nobody can use, or give up, the upload"""
        self.fields["Location"] = text or None
        if "upload_id" not in text:
            self.server.uploads.clear()


class Server(fault_server.Server):
    request_class, answer_class = Request, Answer
    INSTEAD = (*fault_server.Server.INSTEAD, "json", "half", "forget")

    def matters(self, request):
        return ".zinc-test" not in request.path + request.query.get("name", "")


def url(port, query):
    return "gs://b", query | {"endpoint": "http://127.0.0.1:%d" % port, "allow_http": "yes", "part_size": "1"}


def environment(secret):
    return {"CLOUDSDK_AUTH_ACCESS_TOKEN": secret, "NO_GCE_CHECK": "true"}
