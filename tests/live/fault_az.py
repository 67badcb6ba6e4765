"""fault_az.py - Azure Blob Storage for faults_az.txt; fault_server.py has the faults

kinds: get head put block blocklist delete list, any
"""
import base64
import email.utils
import re
import time
import xml.sax.saxutils

import fault_server


class Request(fault_server.Request):
    def kind(self):
        comp = self.query.get("comp")
        if self.method == "GET" and comp == "list":
            return "list"
        if self.method == "PUT" and comp in ("block", "blocklist"):
            return comp
        return self.method.lower()


class Answer(fault_server.Answer):
    def key(self):
        return self.request.path.lstrip("/").split("/", 2)[-1]

    def error(self, status, code="", text="", more=""):
        super().error(status, code, text, more)
        if code:
            self.fields["x-ms-error-code"] = code

    def do_get(self):
        super().do_get()
        renamed = {404: "BlobNotFound", 412: "ConditionNotMet", 416: "InvalidRange"}.get(self.status)
        if renamed:
            self.error(self.status, renamed, "no")

    do_head = do_get

    def check(self):
        """Is the change allowed by its condition?"""
        data = self.server.objects.get(self.key())
        if not self.refused(data):
            return True
        if "if-none-match" in self.request.fields:
            self.error(409, "BlobAlreadyExists", "The specified blob already exists.")
        else:
            self.error(412, "ConditionNotMet", "The condition is not met.")
        return False

    def store(self, data):
        self.server.objects[self.key()] = data
        self.server.meta[self.key()] = {k: v for k, v in self.request.fields.items() if k.startswith("x-ms-meta-")}
        self.server.puts += 1
        self.status, self.fields = 201, {"ETag": fault_server.md5(data)}

    def do_put(self):
        if self.check():
            self.store(self.request.body)

    def do_block(self):
        self.server.blocks.setdefault(self.key(), {})[self.request.query["blockid"]] = self.request.body
        self.status = 201

    def do_blocklist(self):
        if not self.check():
            return
        there = self.server.blocks.get(self.key(), {})
        names = re.findall(r"<Latest>([^<]*)</Latest>", self.request.body.decode())
        if not names or any(n not in there for n in names):
            self.error(400, "InvalidBlockList", "The specified block list is invalid.")
        else:
            self.store(b"".join(there[n] for n in names))

    def do_delete(self):
        data = self.server.objects.get(self.key())
        if data is None:
            self.error(404, "BlobNotFound", "The specified blob does not exist.")
        elif self.check():
            del self.server.objects[self.key()]
            self.status = 202

    def do_list(self):
        q = self.request.query
        after = base64.b64decode(q["marker"]).decode() if "marker" in q else ""
        keys = sorted(k for k in self.server.objects if k.startswith(q.get("prefix", "")) and k > after)
        page = keys[: self.server.page]
        text = "".join("<Blob><Name>%s</Name><Properties><Content-Length>%d</Content-Length></Properties></Blob>"
                       % (xml.sax.saxutils.escape(k), len(self.server.objects[k])) for k in page)
        marker = base64.b64encode(page[-1].encode()).decode() if len(keys) > len(page) else ""
        self.fields["Content-Type"] = "application/xml"
        self.body = ('\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>%s</Blobs><NextMarker>%s'
                     "</NextMarker></EnumerationResults>" % (text, marker)).encode()

    # ---- faults ----

    def fault_skew(self, _):
        """403 unless the request is dated an hour ahead"""
        told = email.utils.parsedate_to_datetime(self.request.fields["x-ms-date"]).timestamp()
        if abs(told - time.time() - fault_server.SKEW) > 900:
            self.error(403, "AuthenticationFailed", "Server failed to authenticate the request.")
            self.fields["Date"] = fault_server.date(fault_server.SKEW)
        else:
            self.make()

    def fault_loop(self, _):
        self.body = re.sub(rb"<NextMarker>.*?</NextMarker>", b"<NextMarker>YQ==</NextMarker>", self.body)

    def fault_folder(self, _):
        self.fields["x-ms-meta-hdi_isfolder"] = "true"

    def fault_drop(self, _):
        """All blocks are gone, because of another put"""
        self.server.blocks.clear()
        self.error(400, "InvalidBlockList", "The specified block list is invalid.")


class Server(fault_server.Server):
    request_class, answer_class = Request, Answer
    INSTEAD = (*fault_server.Server.INSTEAD, "drop")

    def __init__(self, *args, **more):
        self.blocks = {}
        super().__init__(*args, **more)


def url(port, query):
    return "az://b", query | {"endpoint": "http://127.0.0.1:%d/lab" % port, "block_size": "1"}


def environment(secret):
    return {"AZURE_STORAGE_KEY": secret + "AA", "AZURE_POD_IDENTITY_AUTHORITY_HOST": "none"}  # it must be base64
