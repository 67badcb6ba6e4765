#!/usr/bin/env python3
"""az_server.py [--tls CERT KEY] - a small Azure Blob Storage for tests, in memory, on a free port on loopback

Prints its port and serves until its standard input ends, so that it never outlives its parent.

It verifies signatures of account keys (written from Microsoft's description, not from Zinc's signer), a SAS and tokens,
and has Get Blob with one range, its properties, Put Blob, Put Block, Put Block List, Delete Blob and List Blobs, with
If-Match and If-None-Match.  URLs are /lab/CONTAINER/KEY; a container is what cloud_server.py calls a bucket, and it has
what QUIRKS are.

/_identity/MODE/metadata/identity/oauth2/token, /_identity/MODE/msi and /_identity/MODE/TENANT/oauth2/v2.0/token give out
tokens, by IDENTITIES; /_log/MODE has the requests, with what is secret in them.

Account: lab, with the key KEY below.  SAS: sv=2023-11-03&sig=canary%2Bsas%3D
"""
import base64
import collections
import email.utils
import hashlib
import hmac
import json
import re
import time
import urllib.parse
from xml.sax.saxutils import escape

import cloud_server
import server
from cloud_server import Fail, HangUp, buckets, counts, firsts, lines, numbers

ACCOUNT = "lab"
KEY = "Y2FuYXJ5IGtleSBvZiB0aGUgYWNjb3VudCBvZiB0aGUgdGVzdHM="
SIGNATURE = "canary+sas="
VERSION = "2023-11-03"

QUIRKS = {
    "plain": "correct",
    "public": "requests need no credentials",
    "nosuch": "404 ContainerNotFound",
    "hidden": "404 ResourceNotFound for anonymous requests",
    "denied": "403 AuthorizationPermissionMismatch",
    "nolist": "listing is 403 AuthorizationPermissionMismatch",
    "early": "its clock is an hour ahead",
    "expired": "tokens are 401 the first time that each is used",
    "revoked": "tokens are 401",
    "leased": "changes are 412 LeaseIdMissing",
    "snapshots": "deletes are 409 SnapshotsPresent",
    "immutable": "changes are 409 BlobImmutableDueToPolicy",
    "archived": "values are 409 BlobArchived",
    "unmet": "If-Match of a missing blob is 412, as of Azurite",
    "rangeless": "a range at the end is 206 without Content-Range, as of Azurite",
    "late": "every first PUT of a key is executed, but not answered",
    "proxied": "every first PUT of a key is executed, and answered with a proxy's 503",
    "lost": "every first PUT of a key is executed, not answered, and overwritten by someone else",
    "latelist": "the first block list of a key is executed, but not answered",
    "lostlist": "the first block list of a key is executed, not answered, and overwritten by someone else",
    "failblock": "the second block of every put is 400",
    "otherids": "Put Block is 400 InvalidBlobOrBlock",
    "dropped": "the first block list of a key finds that its blocks are gone",
    "beaten": "the same, because someone else has put the key",
    "doubt": "the first PUT of a key is executed, but not answered; then 401, then 503",
    "latedelete": "the first DELETE of a key is executed, but not answered",
    "samepage": "listings repeat their first page",
    "circle": "two pages of a hierarchical namespace name each other as the next",
    "emptypages": "listings are empty and go on",
    "cutlist": "listings are cut in the middle",
    "untold": "listings do not say whether they go on",
    "outside": "listings have keys outside of the prefix",
    "unsorted": "listings are in reverse order",
    "smallpages": "three keys in a page",
    "hns": "a hierarchical namespace: directories are blobs, lists are by component, three in a page",
    "encoded": "every name of a listing is escaped",
    "versions": "listings have snapshots, old versions and deleted blobs, too",
    "changing": "the value of a key changes after each of the first two questions for its size",
    "moving": "the value of a key changes after each question for its size",
    "redirect": "307 to another host",
    "slow": "503 ServerBusy the first two times",
    "overloaded": "503 ServerBusy",
    "noetag": "no ETag",
    "html": "404 with a page in HTML",
    "bare": "errors have no document, only x-ms-error-code",
    "codeless": "404 without a document or a code",
    "echocut": "the same, with so many letters before that the secret is cut",
    "echosig": "403 with the signature of the SAS, unescaped, in its message",
    "echo": "403 with the request in its message",
}
IDENTITIES = {
    "good": "a token for an hour",
    "number": "the same, with numbers instead of texts",
    "absolute": "the same, with expires_on only",
    "short": "a token for 100 seconds",
    "past": "a token that has ended",
    "none": "400 identity_not_found",
    "refuse": "401 invalid_client, with the request in its description",
    "html": "a page",
    "cut": "half a document",
    "empty": "a document without a token",
    "spaces": "a token with a blank",
    "never": "a token without an end",
    "long": "an answer of a megabyte",
    "away": "307 to another host",
    "busy": "503 the first time",
    "updating": "404 the first time, and 410 then",
}

blocks = collections.defaultdict(dict)  # (container, key) -> id -> bytes
tokens = {}  # token -> times that it was used


class Value:
    def __init__(self, data, meta, committed=()):
        self.data, self.meta, self.committed = data, meta, dict(committed)
        self.etag = '"0x8D%012X"' % next(numbers)


class Handler(cloud_server.Handler):
    request_id = "x-ms-request-id"
    busy = (503, "ServerBusy", "The server is busy.")

    # ---- requests ----

    def route(self):
        account, _, rest = urllib.parse.unquote(self.raw_path)[1:].partition("/")
        container, _, key = rest.partition("/")
        shown = "&".join(m for m in self.raw_query.split("&") if not m.startswith(("sig=", "sv=")))
        n = self.count(container, key, "%s?%s" % (key, shown))
        if account != ACCOUNT:
            raise Fail(403, "AuthenticationFailed", "another account")
        self.quirks(n)
        if self.quirk == "codeless":
            return self.answer(404)
        if self.quirk == "echocut":
            raise Fail(403, "AuthenticationFailed", "x" * 180 + self.headers.get("Authorization", "") + self.query.get("sig", ""))
        if self.quirk == "echosig":
            raise Fail(403, "AuthenticationFailed", "wrong: " + self.query.get("sig", ""))
        if self.quirk == "echo":
            raise Fail(403, "AuthenticationFailed", " ".join([self.path, *("%s=%s" % h for h in self.headers.items())]))
        if self.headers.get("x-ms-version") != VERSION:
            raise Fail(400, "InvalidHeaderValue", "x-ms-version")
        self.check_credentials()
        if self.quirk not in QUIRKS or self.quirk == "nosuch":
            raise Fail(404, "ContainerNotFound", "The specified container does not exist.")
        if self.quirk == "denied":
            raise Fail(403, "AuthorizationPermissionMismatch", "This request is not authorized.")
        name = {"GET": "get", "HEAD": "get", "PUT": "put", "DELETE": "delete"}.get(self.command)
        if not name:
            raise Fail(405, "UnsupportedHttpVerb")
        with cloud_server.lock:
            getattr(self, name + ("_blob" if self.key else "_container"))()

    def inspect(self, kind, what):
        if kind == "_identity":
            return self.give_token(*what.partition("/")[::2])
        return super().inspect(kind, what)

    # ---- answers ----

    def fail(self, f):
        text = "" if self.quirk == "bare" else (
            '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>%s</Code><Message>%s\nRequestId:0\nTime:0</Message>%s</Error>'
            % (f.code, escape(f.message), f.extra))
        self.answer(f.status, text.encode(), [("Content-Type", "application/xml"), ("x-ms-error-code", f.code)])

    # ---- credentials ----

    def check_credentials(self):
        given = self.headers.get("Authorization", "")
        if "sig" in self.query:
            if self.query["sig"] != SIGNATURE:
                raise Fail(403, "AuthenticationFailed", "Signature did not match.")
        elif given.startswith("SharedKey "):
            self.check_signature(given)
        elif given.startswith("Bearer "):
            self.check_token(given[7:])
        elif self.quirk == "hidden":
            raise Fail(404, "ResourceNotFound", "The specified resource does not exist.")
        elif self.quirk != "public":
            raise Fail(401, "NoAuthenticationInformation", "Server failed to authenticate the request.")

    def check_signature(self, given):
        date = self.headers.get("x-ms-date", "")
        try:
            then = email.utils.parsedate_to_datetime(date).timestamp()
        except (TypeError, ValueError):
            raise Fail(403, "AuthenticationFailed", "no valid date")
        if abs(then - self.now()) > 900:
            raise Fail(403, "AuthenticationFailed", "Server failed to authenticate the request.",
                       "<AuthenticationErrorDetail>The Date header in the request is incorrect.</AuthenticationErrorDetail>")
        h = self.headers
        length = h.get("Content-Length") or ""
        text = "\n".join([self.command, h.get("Content-Encoding", ""), h.get("Content-Language", ""),
                          "" if length == "0" else length, h.get("Content-MD5", ""), h.get("Content-Type", ""),
                          "" if date else h.get("Date", ""), h.get("If-Modified-Since", ""), h.get("If-Match", ""),
                          h.get("If-None-Match", ""), h.get("If-Unmodified-Since", ""), h.get("Range", "")]) + "\n"
        for name in sorted(n.lower() for n in h if n.lower().startswith("x-ms-")):
            text += "%s:%s\n" % (name, h[name].strip())
        text += "/%s%s" % (ACCOUNT, self.raw_path)
        for name in sorted(self.query, key=str.lower):
            text += "\n%s:%s" % (name.lower(), self.query[name])
        mac = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
        if given != "SharedKey %s:%s" % (ACCOUNT, base64.b64encode(mac).decode()):
            raise Fail(403, "AuthenticationFailed", "The MAC signature is not the same as any computed signature.")

    def check_token(self, token):
        if token != "canary-fixed":
            if token not in tokens or self.quirk == "revoked":
                raise Fail(401, "InvalidAuthenticationInfo", "the token is not valid")
            tokens[token] += 1
            if self.quirk == "expired" and tokens[token] == 1:
                raise Fail(401, "InvalidAuthenticationInfo", "Lifetime validation failed. The token is expired.")

    def give_token(self, mode, rest):
        fields = [self.headers.get(n) or "" for n in ("Metadata", "X-IDENTITY-HEADER")]
        lines[mode].append(" ".join([self.command, rest, self.raw_query, *fields, self.body.decode()]))
        counts[mode] += 1
        if rest == "msi" and fields[1] != "canary-header" or rest.startswith("metadata/") and fields[0] != "true":
            return self.answer(401, b'{"error":"unauthorized"}')
        text = self.token_text(mode)
        status = {"none": 400, "refuse": 401, "away": 307}.get(mode, 200)
        if mode == "busy" and counts[mode] == 1:
            status = 503
        if mode == "updating" and counts[mode] <= 2:
            status = (404, 410)[counts[mode] - 1]
        self.answer(status, text.encode(),
                    [("Location", self.away())] if mode == "away" else ())

    def token_text(self, mode):
        if mode == "none":
            return '{"error":"invalid_request","error_description":"Identity not found"}'
        if mode == "refuse":
            return json.dumps({"error": "invalid_client", "error_description": "AADSTS7000215: " + self.body.decode()})
        if mode == "html":
            return "<html>canary</html>"
        if mode == "empty":
            return '{"token_type":"Bearer"}'
        if mode == "long":
            return '{"access_token":"%s"}' % ("canary" * 200000)
        token = "canary-token-%d" % next(numbers) + (" x" if mode == "spaces" else "")
        tokens[token] = 0
        answer = {"access_token": token, "token_type": "Bearer", "resource": "https://storage.azure.com/"}
        if mode == "number":
            answer.update(expires_in=3599, ext_expires_in=3599)
        elif mode in ("absolute", "past"):
            answer.update(expires_on=str(int(time.time()) + (3600 if mode == "absolute" else -60)))
        elif mode != "never":
            answer.update(expires_in="100" if mode == "short" else "3599", expires_on=str(int(time.time()) + 3599))
        text = json.dumps(answer)
        return text[: len(text) // 2] if mode == "cut" else text

    # ---- blobs ----

    def new_value(self, data, meta):
        return Value(data, meta)

    def meta(self):
        return {n.lower(): v for n, v in self.headers.items() if n.lower().startswith("x-ms-meta-")}

    def etag(self, v):
        return [] if self.quirk == "noetag" else [("ETag", v.etag)]

    def check_conditions(self, v):
        if self.headers.get("If-None-Match") == "*" and v:
            raise Fail(409, "BlobAlreadyExists", "The specified blob already exists.")
        wanted = self.headers.get("If-Match")
        if wanted and (not v or v.etag != wanted):
            raise Fail(412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.")

    def is_directory(self):
        return self.quirk == "hns" and any(k.startswith(self.key + "/") for k in buckets[self.bucket])

    def get_blob(self):
        v = self.value()
        if not v and self.is_directory():
            return self.answer(200, b"", [("ETag", '"0x8DDIR"'), ("x-ms-meta-hdi_isfolder", "true")])
        if self.quirk == "unmet":
            self.check_conditions(v)
        if not v:
            raise Fail(404, "BlobNotFound", "The specified blob does not exist.")
        self.check_conditions(v)
        if self.quirk == "archived":
            raise Fail(409, "BlobArchived", "This operation is not permitted on an archived blob.")
        headers = self.etag(v) + [("Accept-Ranges", "bytes"), ("x-ms-blob-type", "BlockBlob"), *v.meta.items()]
        if self.command == "HEAD":
            self.answer(200, b"", headers + [("Content-Length", str(len(v.data)))])
            if self.quirk == "moving" or self.quirk == "changing" and firsts[self.bucket, self.key, "any"] < 5:
                buckets[self.bucket][self.key] = Value(v.data[1:] + v.data[:1], {})
            return None
        if self.quirk == "rangeless" and self.headers.get("Range", "").startswith("bytes=%d-" % len(v.data)):
            return self.answer(206, b"", headers)
        return self.answer_range(v.data, headers, suffixes=False)

    def check_change(self):
        if self.quirk == "leased":
            raise Fail(412, "LeaseIdMissing", "There is currently a lease on the blob and no lease ID was specified.")
        if self.quirk == "immutable":
            raise Fail(409, "BlobImmutableDueToPolicy", "This operation is not permitted as the blob is immutable.")

    def put_blob(self):
        self.check_change()
        if self.query.get("comp") == "block":
            return self.put_block()
        if self.query.get("comp") == "blocklist":
            return self.put_list()
        if self.headers.get("x-ms-blob-type") != "BlockBlob":
            raise Fail(400, "MissingRequiredHeader", "x-ms-blob-type")
        if self.quirk == "doubt":
            return self.doubt()
        self.check_conditions(self.value())
        v = self.store(self.body)
        if self.quirk == "proxied" and self.first("put"):
            self.proxy_fails()
        if self.quirk in ("late", "lost") and self.first("put"):
            self.hang_up(self.quirk == "lost")
        return self.answer(201, b"", self.etag(v))

    def store(self, data, committed=()):
        v = buckets[self.bucket][self.key] = Value(data, self.meta(), committed)
        blocks.pop((self.bucket, self.key), None)
        return v

    def hang_up(self, overwritten):
        if overwritten:
            self.overwrite()
        raise HangUp

    def doubt(self):
        n = self.nth("doubt")
        if n == 1:
            self.store(self.body)
            raise HangUp
        raise Fail(503, "ServerBusy") if n > 2 else Fail(500, "InternalError")

    def put_block(self):
        name = base64.b64decode(self.query["blockid"])
        there = blocks[self.bucket, self.key]
        if self.quirk == "otherids" or any(len(other) != len(name) for other in there):
            raise Fail(400, "InvalidBlobOrBlock", "The specified blob or block content is invalid.")
        if self.quirk == "failblock" and len(there) == 1:
            raise Fail(400, "InvalidInput", "not this block")
        there[name] = self.body
        self.answer(201)

    def put_list(self):
        if self.quirk == "beaten" and self.first("list"):
            self.overwrite()
            blocks.pop((self.bucket, self.key), None)
        if self.quirk == "dropped" and self.first("list"):
            blocks.pop((self.bucket, self.key), None)
        v = self.value()
        self.check_conditions(v)
        there = {**(v.committed if v else {}), **blocks[self.bucket, self.key]}
        names = [base64.b64decode(n) for n in re.findall(r"<Latest>([^<]*)</Latest>", self.body.decode())]
        if not names or any(n not in there for n in names):
            raise Fail(400, "InvalidBlockList", "The specified block list is invalid.")
        v = self.store(b"".join(there[n] for n in names), [(n, there[n]) for n in names])
        if self.quirk in ("latelist", "lostlist") and self.first("list"):
            self.hang_up(self.quirk == "lostlist")
        self.answer(201, b"", self.etag(v))

    def delete_blob(self):
        self.check_change()
        v = self.value()
        if not v and self.is_directory():
            raise Fail(409, "DirectoryIsNotEmpty", "This operation is not permitted on a non-empty directory.")
        if not v:
            raise Fail(404, "BlobNotFound", "The specified blob does not exist.")
        self.check_conditions(v)
        if self.quirk == "snapshots":
            raise Fail(409, "SnapshotsPresent", "This operation is not permitted because the blob has snapshots.")
        del buckets[self.bucket][self.key]
        if self.quirk == "latedelete" and self.first("delete"):
            raise HangUp
        self.answer(202)

    # ---- containers ----

    def put_container(self):
        raise Fail(409, "ContainerAlreadyExists")

    def delete_container(self):
        raise Fail(403, "AuthorizationFailure")

    def get_container(self):
        if self.quirk == "nolist":
            raise Fail(403, "AuthorizationPermissionMismatch", "This request is not authorized.")
        if self.query.get("comp") != "list" or self.query.get("restype") != "container":
            raise Fail(400, "InvalidQueryParameterValue")
        self.list_blobs()

    def directories(self):
        """All directories above the keys of an account with a hierarchical namespace"""
        found = set()
        for key in buckets[self.bucket]:
            parts = key.split("/")[:-1]
            found.update("/".join(parts[: k + 1]) for k in range(len(parts)))
        return found

    def order(self, name):
        return name.split("/") if self.quirk == "hns" else name.encode()

    def entries(self, prefix, delimiter):
        """(name, kind) of all blobs, prefixes and directories, in order"""
        names = {k: "Blob" for k in buckets[self.bucket]}
        if self.quirk == "hns":
            names.update({d: "directory" for d in self.directories()})
        out = {}
        for name, kind in names.items():
            rest = name[len(prefix):]
            if not name.startswith(prefix):
                continue
            if delimiter and (delimiter in rest or kind == "directory"):
                out[prefix + rest.partition(delimiter)[0] + delimiter] = "BlobPrefix"
            else:
                out[name] = kind
        return sorted(out.items(), key=lambda e: self.order(e[0]))

    def name_text(self, name):
        if self.quirk == "encoded" or re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", name):
            return '<Name Encoded="true">%s</Name>' % urllib.parse.quote(name, safe="")
        return "<Name>%s</Name>" % escape(name)

    def entry_text(self, name, kind):
        kinds = "<ResourceType>%s</ResourceType>" % ("file" if kind == "Blob" else "directory") if self.quirk == "hns" else ""
        if kind == "BlobPrefix":
            return "<BlobPrefix>%s%s</BlobPrefix>" % (self.name_text(name), kinds and "<Properties>%s</Properties>" % kinds)
        v = buckets[self.bucket].get(name)
        text = "%s<Properties><Etag>0x8D</Etag><Content-Length>%d</Content-Length>%s</Properties>" % (
            self.name_text(name), len(v.data) if v else 0, kinds)
        more = ""
        if self.quirk == "versions":
            more = ("<Blob>%s<Snapshot>2026-01-01T00:00:00Z</Snapshot></Blob><Blob>%s<VersionId>1</VersionId></Blob>"
                    % (text, text.replace("<Name>", "<IsCurrentVersion>false</IsCurrentVersion><Name>"))
                    + "<Blob>%s<Deleted>true</Deleted></Blob>" % text.replace("<Name>", "<Name>gone-"))
        return more + "<Blob>%s<OrMetadata /></Blob>" % text

    def list_circle(self, prefix):
        here, there = ("two", "one") if self.query.get("marker") == "two" else ("one", "two")
        self.answer(200, ("<EnumerationResults><Blobs><Blob><Name>%s%s</Name><Properties><ResourceType>file</ResourceType>"
                          "</Properties></Blob></Blobs><NextMarker>%s</NextMarker></EnumerationResults>"
                          % (prefix, here, there)).encode())

    def list_blobs(self):
        prefix, delimiter = self.query.get("prefix", ""), self.query.get("delimiter", "")
        if self.quirk == "circle":
            return self.list_circle(prefix)
        most = 3 if self.quirk in ("smallpages", "samepage", "hns") else 5000
        marker = self.query.get("marker")
        at = int(base64.b64decode(marker)) if marker and self.quirk != "samepage" else 0
        found = self.entries(prefix, delimiter)
        page, more = found[at: at + most], len(found) > at + most
        if self.quirk == "emptypages":
            page, more, at = [], True, next(numbers)
        if self.quirk == "unsorted":
            page.reverse()
        if self.quirk == "outside":
            page.append(("zzz-elsewhere", "Blob"))
        text = "<Prefix>%s</Prefix><Blobs>%s</Blobs>" % (
            escape(prefix) if not re.search("[\x00-\x1f]", prefix) else "", "".join(self.entry_text(*e) for e in page))
        if self.quirk != "untold":
            text += "<NextMarker>%s</NextMarker>" % base64.b64encode(b"%d" % (at + most)).decode() if more else "<NextMarker />"
        if self.quirk == "cutlist":
            text = text[: len(text) // 2]
        else:
            text += "</EnumerationResults>"
        self.answer(200, ('\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="x" '
                          'ContainerName="%s">%s' % (self.bucket, text)).encode(),
                    [("Content-Type", "application/xml")])


if __name__ == "__main__":
    server.run(Handler, server.options(__doc__).parse_args())
