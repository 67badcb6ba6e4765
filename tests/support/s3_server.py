#!/usr/bin/env python3
"""s3_server.py [--tls CERT KEY] - a small S3 server for tests, in memory, on a free port on loopback

Prints its port and serves until its standard input ends, so that it never outlives its parent.

It verifies signatures (written from AWS's description, not from Zinc's signer), and has GET with one range, HEAD, PUT,
DELETE, DeleteObjects, ListObjectsV2, multipart uploads and their listing, with If-Match and If-None-Match.
cloud_server.py has what buckets and QUIRKS are.

Keys:  AKIDEXAMPLE with the secret "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
       ASIATEMPORARY with the same secret and the token "token-1"
"""
import base64
import datetime
import email.utils
import hashlib
import hmac
import re
import time
import urllib.parse
from xml.sax.saxutils import escape

import cloud_server
import server
from cloud_server import Fail, HangUp, buckets, numbers

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
KEYS = {"AKIDEXAMPLE": (SECRET, None), "ASIATEMPORARY": (SECRET, "token-1")}
XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

QUIRKS = {
    "plain": "correct",
    "public": "requests need no signature",
    "nosuch": "does not exist",
    "ignores": "conditions are not looked at",
    "noifmatch": "If-Match of a PUT is not looked at",
    "nodelete": "conditions of DELETE are not looked at",
    "nocomplete": "conditions of CompleteMultipartUpload are not looked at",
    "notimplemented": "conditions are 501 NotImplemented",
    "nobatch": "DeleteObjects is 501 NotImplemented",
    "halfbatch": "DeleteObjects does not delete keys with 'keep' in their names, and says so",
    "quietbatch": "DeleteObjects does not mention keys with 'keep' in their names",
    "abroad": "is in eu-west-9: other regions are 400 AuthorizationHeaderMalformed",
    "moved": "is in eu-west-9: other regions are 301 with x-amz-bucket-region",
    "sealed": "a body that the signature does not cover is 400",
    "early": "its clock is an hour ahead",
    "expired": "every token is 400 ExpiredToken",
    "denied": "403 AccessDenied",
    "nolist": "listing is 403 AccessDenied",
    "late": "every first PUT of a key is executed, but not answered",
    "lost": "every first PUT of a key is executed, not answered, and overwritten by someone else",
    "conflict": "every first conditional PUT of a key is 409 ConditionalRequestConflict",
    "sorry": "an error document in a 200 the first time that an upload is completed or keys are deleted",
    "sorryput": "the first PUT and DELETE of a key are not executed: an error document in a 200",
    "sorrymade": "the first PUT of a key is executed: an error document in a 200",
    "doubt": "the first PUT of a key is executed, but not answered; then 400 of another region, then 503",
    "latecomplete": "the first CompleteMultipartUpload of a key is executed, but not answered",
    "failpart": "the second part of every upload is 400",
    "samepage": "listings repeat their first page",
    "emptypages": "listings are empty and go on",
    "cutlist": "listings are cut in the middle",
    "outside": "listings have keys outside of the prefix",
    "unsorted": "listings are in reverse order",
    "smallpages": "three keys in a page",
    "redirect": "307 to another host",
    "slow": "503 SlowDown the first two times",
    "overloaded": "503 SlowDown",
    "noetag": "no ETag",
    "sums": "whole values have their CRC-32C, if the client asks for it",
    "badsums": "the same, for other bytes",
    "partsums": "the same, of parts",
    "html": "404 with a page in HTML",
    "echocut": "403 with so many letters before the token that the message is cut in it",
    "echo": "403 with the headers of the request in its message",
}
REGION = {"abroad": "eu-west-9", "moved": "eu-west-9"}

uploads = {}  # id -> Upload


class Value:
    def __init__(self, data, meta, etag=None):
        self.data, self.meta = data, meta
        self.etag = etag or '"%s"' % hashlib.md5(data).hexdigest()
        self.time = time.time()


class Upload:
    def __init__(self, bucket, key, meta):
        self.bucket, self.key, self.meta, self.parts, self.time = bucket, key, meta, {}, time.time()
        if key.endswith(("stale", "/99")):
            self.time -= 7 * 86400


def quote(text, safe="-._~"):
    return urllib.parse.quote(text, safe=safe)


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Handler(cloud_server.Handler):
    request_id = "x-amz-request-id"

    # ---- requests ----

    def route(self):
        path = urllib.parse.unquote(self.raw_path)[1:]
        host = self.headers.get("Host", "").partition(":")[0]
        if host.endswith(".localhost"):
            bucket, key = host[: -len(".localhost")], path
        else:
            bucket, _, key = path.partition("/")
        n = self.count(bucket, key, "%s?%s" % (key, self.raw_query))
        if self.quirk not in QUIRKS or self.quirk == "nosuch":
            raise Fail(404, "NoSuchBucket", "The specified bucket does not exist")
        self.quirks(n)
        if self.quirk == "echo":
            raise Fail(403, "AccessDenied", " ".join("%s=%s" % h for h in sorted(self.headers.items(), reverse=True)))
        if self.quirk == "echocut":
            raise Fail(403, "AccessDenied", "x" * 190 + self.headers.get("x-amz-security-token", ""))
        self.check_signature()
        if self.quirk == "denied":
            raise Fail(403, "AccessDenied", "Access Denied")
        name = {"GET": "get", "HEAD": "get", "PUT": "put", "POST": "post", "DELETE": "delete"}[self.command]
        with cloud_server.lock:
            getattr(self, name + ("_object" if self.key else "_bucket"))()

    # ---- answers ----

    def fail(self, f):
        text = "<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>%s</Code><Message>%s</Message>%s</Error>" % (
            f.code, escape(f.message), f.extra)
        self.answer(f.status, text.encode(), [("Content-Type", "application/xml"), *f.headers])

    def answer_xml(self, root, inside, status=200):
        text = '<?xml version="1.0" encoding="UTF-8"?>\n<%s %s>%s</%s>' % (root, XMLNS, inside, root)
        self.answer(status, text.encode(), [("Content-Type", "application/xml")])

    # ---- signatures ----

    def check_signature(self):
        given = self.headers.get("Authorization")
        if not given:
            if self.quirk == "public":
                return
            raise Fail(403, "AccessDenied", "Access Denied")
        found = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
                             r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})", given)
        if not found:
            raise Fail(400, "AuthorizationHeaderMalformed", "malformed")
        key_id, day, region, names, signature = found.groups()
        date = self.headers.get("x-amz-date", "")
        if key_id not in KEYS:
            raise Fail(403, "InvalidAccessKeyId", "The key does not exist")
        secret, token = KEYS[key_id]
        self.check_token(token)
        self.check_region(region)
        self.check_date(date, day)
        payload = self.headers["x-amz-content-sha256"]
        if self.quirk == "sealed" and payload == "UNSIGNED-PAYLOAD":
            raise Fail(400, "InvalidRequest", "the body is not signed")
        if payload != "UNSIGNED-PAYLOAD" and payload != hashlib.sha256(self.body).hexdigest():
            raise Fail(400, "XAmzContentSHA256Mismatch", "body")
        for name in self.headers:
            if (name.lower() == "host" or name.lower().startswith("x-amz-")) and name.lower() not in names.split(";"):
                raise Fail(403, "SignatureDoesNotMatch", "%s is not signed" % name)
        members = sorted(tuple(m.partition("=")[::2]) for m in self.raw_query.split("&") if m)
        canonical = "\n".join([
            self.command, self.raw_path, "&".join("%s=%s" % m for m in members),
            "".join("%s:%s\n" % (n, " ".join(self.headers[n].split())) for n in names.split(";")), names, payload])
        scope = "%s/%s/s3/aws4_request" % (day, region)
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        k = sign(sign(sign(sign(("AWS4" + secret).encode(), day), region), "s3"), "aws4_request")
        if not hmac.compare_digest(hmac.new(k, text.encode(), hashlib.sha256).hexdigest(), signature):
            raise Fail(403, "SignatureDoesNotMatch", "The signature does not match",
                       "<CanonicalRequest>%s</CanonicalRequest>" % escape(canonical))

    def check_token(self, token):
        if self.headers.get("x-amz-security-token") != token:
            raise Fail(403, "InvalidToken", "The token is malformed")
        if self.quirk == "expired":
            raise Fail(400, "ExpiredToken", "The token has expired")

    def check_region(self, region):
        right = REGION.get(self.quirk)
        if right and region != right and self.quirk == "moved":
            raise Fail(301, "PermanentRedirect", "another endpoint", headers=[("x-amz-bucket-region", right)])
        if right and region != right:
            raise Fail(400, "AuthorizationHeaderMalformed", "the region is wrong", "<Region>%s</Region>" % right)

    def check_date(self, date, day):
        try:
            then = datetime.datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            raise Fail(403, "AccessDenied", "no valid date")
        if not date.startswith(day):
            raise Fail(403, "SignatureDoesNotMatch", "another day")
        if abs(then.timestamp() - self.now()) > 900:
            raise Fail(403, "RequestTimeTooSkewed", "The clocks differ")

    # ---- objects ----

    def new_value(self, data, meta):
        return Value(data, meta)

    def etag_header(self, v):
        return [] if self.quirk == "noetag" else [("ETag", v.etag)]

    def sum_header(self, v):
        if not self.quirk.endswith("sums") or self.headers.get("x-amz-checksum-mode") != "ENABLED":
            return []
        text = {"sums": cloud_server.crc32c(v.data), "badsums": "AAAAAA==", "partsums": "AAAAAA==-2"}[self.quirk]
        return [("x-amz-checksum-crc32c", text)]

    def get_object(self):
        v = self.value()
        if not v:
            raise Fail(404, "NoSuchKey", "The specified key does not exist.")
        if self.headers.get("If-Match", v.etag) != v.etag:
            raise Fail(412, "PreconditionFailed", "")
        head = [*self.etag_header(v), ("Last-Modified", email.utils.formatdate(v.time, usegmt=True)),
                ("Accept-Ranges", "bytes"), *[("x-amz-meta-" + k, t) for k, t in v.meta.items()]]
        self.answer_range(v.data, head + ([] if "Range" in self.headers else self.sum_header(v)))

    def meta(self):
        return {k.lower()[11:]: t for k, t in self.headers.items() if k.lower().startswith("x-amz-meta-")}

    def check_conditions(self, what):
        match, none = self.headers.get("If-Match"), self.headers.get("If-None-Match") if what != "delete" else None
        if not match and not none:
            return
        if self.quirk == "notimplemented":
            raise Fail(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
        if (self.quirk == "ignores" or (self.quirk == "nodelete" and what == "delete")
                or (self.quirk == "nocomplete" and what == "complete")):
            return
        if self.quirk == "conflict" and what == "put" and self.first("conflict"):
            raise Fail(409, "ConditionalRequestConflict", "another request")
        v = self.value()
        if none == "*" and v:
            raise Fail(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
        if match and self.quirk == "noifmatch" and what == "put":
            return
        if match and not v:
            raise Fail(404, "NoSuchKey", "The specified key does not exist.")
        if match and match != v.etag:
            raise Fail(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")

    def put_object(self):
        if "uploadId" in self.query:
            return self.put_part()
        if self.quirk == "sorryput" and self.first("put"):
            return self.sorry()
        if self.quirk == "doubt" and not self.is_trial():
            self.doubt()
        self.check_conditions("put")
        v = buckets[self.bucket][self.key] = Value(self.body, self.meta())
        if self.quirk == "sorrymade" and not self.is_trial() and self.first("put"):
            return self.sorry()
        if self.quirk in ("late", "lost") and not self.is_trial() and self.first("put"):
            if self.quirk == "lost":
                self.overwrite()
            raise HangUp
        self.answer(200, b"", self.etag_header(v))

    def sorry(self):
        self.fail(Fail(200, "InternalError", "We encountered an internal error. Please try again."))

    def doubt(self):
        n = self.nth("doubt")
        if n == 1:
            buckets[self.bucket][self.key] = Value(self.body, self.meta())
            raise HangUp
        if n == 2:
            raise Fail(400, "AuthorizationHeaderMalformed", "the region is wrong", "<Region>eu-west-9</Region>")
        raise Fail(503, "SlowDown", "Please reduce your request rate.")

    def delete_object(self):
        if self.quirk == "sorryput" and self.first("delete"):
            return self.sorry()
        if "uploadId" in self.query:
            if not uploads.pop(self.query["uploadId"], None):
                raise Fail(404, "NoSuchUpload", "The upload does not exist")
            return self.answer(204)
        self.check_conditions("delete")
        buckets[self.bucket].pop(self.key, None)
        self.answer(204)

    # ---- uploads ----

    def post_object(self):
        if "uploads" in self.query:
            name = "upload+/%d" % next(numbers)
            uploads[name] = Upload(self.bucket, self.key, self.meta())
            return self.answer_xml("InitiateMultipartUploadResult", "<Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId>"
                                   % (self.bucket, escape(self.key), name))
        if "uploadId" in self.query:
            return self.complete()
        raise Fail(405, "MethodNotAllowed")

    def upload(self):
        u = uploads.get(self.query["uploadId"])
        if not u or u.key != self.key or u.bucket != self.bucket:
            raise Fail(404, "NoSuchUpload", "The specified upload does not exist.")
        return u

    def put_part(self):
        number = int(self.query["partNumber"])
        if self.quirk == "failpart" and number == 2:
            raise Fail(400, "InvalidRequest", "not this part")
        u = self.upload()
        u.parts[number] = self.body
        self.answer(200, b"", [("ETag", '"%s"' % hashlib.md5(self.body).hexdigest())])

    def complete(self):
        if self.quirk == "sorry" and self.first("complete"):
            return self.sorry()
        u = self.upload()
        listed = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>(?:&quot;|\")([0-9a-f]+)(?:&quot;|\")</ETag></Part>",
                            self.body.decode())
        if not listed or [int(n) for n, _ in listed] != sorted(u.parts):
            raise Fail(400, "InvalidPart", "")
        for number, tag in listed:
            if hashlib.md5(u.parts[int(number)]).hexdigest() != tag:
                raise Fail(400, "InvalidPart", "")
        if any(len(u.parts[int(n)]) < 5 << 20 for n, _ in listed[:-1]):
            raise Fail(400, "EntityTooSmall", "")
        self.check_conditions("complete")
        data = b"".join(u.parts[int(n)] for n, _ in listed)
        digest = hashlib.md5(b"".join(bytes.fromhex(t) for _, t in listed)).hexdigest()
        v = buckets[self.bucket][self.key] = Value(data, u.meta, '"%s-%d"' % (digest, len(listed)))
        del uploads[self.query["uploadId"]]
        if self.quirk == "latecomplete" and self.first("complete"):
            raise HangUp
        self.answer_xml("CompleteMultipartUploadResult", "<Key>%s</Key><ETag>%s</ETag>" % (escape(self.key), escape(v.etag)))

    # ---- buckets ----

    def put_bucket(self):
        buckets[self.bucket]
        self.answer(200)

    def delete_bucket(self):
        raise Fail(405, "MethodNotAllowed")

    def post_bucket(self):
        if "delete" not in self.query:
            raise Fail(405, "MethodNotAllowed")
        if self.quirk == "nobatch":
            raise Fail(501, "NotImplemented", "no DeleteObjects")
        if base64.b64encode(hashlib.md5(self.body).digest()).decode() != self.headers.get("Content-MD5"):
            raise Fail(400, "InvalidDigest", "Missing required header for this request: Content-MD5")
        if self.quirk == "sorry" and self.first("delete"):
            return self.sorry()
        out = []
        found = re.findall(r"<Object><Key>(.*?)</Key></Object>", self.body.decode())
        if len(found) > 1000:
            raise Fail(400, "MalformedXML", "too many")
        for name in found:
            key = name.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            if self.quirk == "halfbatch" and "keep" in key:
                out.append("<Error><Key>%s</Key><Code>AccessDenied</Code><Message>no</Message></Error>" % name)
            elif self.quirk == "quietbatch" and "keep" in key:
                pass
            else:
                buckets[self.bucket].pop(key, None)
                out.append("<Deleted><Key>%s</Key></Deleted>" % name)
        self.answer_xml("DeleteResult", "".join(out))

    def get_bucket(self):
        if self.quirk == "nolist":
            raise Fail(403, "AccessDenied", "Access Denied")
        if "uploads" in self.query:
            return self.list_uploads()
        if self.query.get("list-type") != "2":
            raise Fail(501, "NotImplemented", "only ListObjectsV2")
        self.list_keys()

    def list_uploads(self):
        prefix, marker = self.query.get("prefix", ""), self.query.get("key-marker", "")
        found = sorted((u.key, name, u) for name, u in uploads.items()
                       if u.bucket == self.bucket and u.key.startswith(prefix)
                       and (u.key, name) > (marker, self.query.get("upload-id-marker", "")))
        page, rest = found[:2], found[2:]
        text = "<EncodingType>url</EncodingType><IsTruncated>%s</IsTruncated>" % ("true" if rest else "false")
        if rest:
            text += "<NextKeyMarker>%s</NextKeyMarker><NextUploadIdMarker>%s</NextUploadIdMarker>" % (
                quote(page[-1][0], "/-._~"), page[-1][1])
        for key, name, u in page:
            begun = datetime.datetime.fromtimestamp(u.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            text += "<Upload><Key>%s</Key><UploadId>%s</UploadId><Initiated>%s</Initiated></Upload>" % (
                quote(key, "/-._~"), name, begun)
        self.answer_xml("ListMultipartUploadsResult", text)

    def list_keys(self):
        page, token = self.page(self.query.get("continuation-token"), self.query.get("max-keys", 1000))
        if self.quirk == "unsorted":
            page.reverse()
        text = "<Name>%s</Name><Prefix>%s</Prefix><KeyCount>%d</KeyCount>" % (
            self.bucket, quote(self.query.get("prefix", ""), "/-._~"), len(page))
        for name, is_prefix in page:
            shown = quote(name, "/-._~").replace("%20", "+")
            if is_prefix:
                text += "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>" % shown
            else:
                v = buckets[self.bucket][name]
                text += "<Contents><Key>%s</Key><ETag>%s</ETag><Size>%d</Size></Contents>" % (
                    shown, escape(v.etag), len(v.data))
        if token:
            text += "<NextContinuationToken>%s</NextContinuationToken>" % token
        text += "<IsTruncated>%s</IsTruncated><EncodingType>url</EncodingType>" % ("true" if token else "false")
        if self.quirk == "cutlist":
            text = text[: len(text) // 2]
            return self.answer(200, ("<ListBucketResult>" + text).encode(), [("Content-Type", "application/xml")])
        self.answer_xml("ListBucketResult", text)


if __name__ == "__main__":
    server.run(Handler, server.options(__doc__).parse_args())
