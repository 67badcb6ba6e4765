#!/usr/bin/env python3
"""sigv4_peer.py SIGN_DO [COUNT] - random requests to S3 get the same signatures and URLs from Zinc as from botocore

SIGN_DO is the program of tests/live/sign_do.c.  Paths have blanks, "//", "~", "+", "%" and characters of any script,
queries have empty values, members of one name and names that are the beginning of others, hosts have ports, headers have
blanks.  Half of the requests are presigned URLs.
"""
import random
import subprocess
import sys
import urllib.parse
from unittest import mock

import botocore
import botocore.auth
import botocore.awsrequest
import botocore.credentials
from datetime import datetime, timezone

PIECES = ["a", "B", "0", "~", "-", "_", ".", "/", "//", " ", "+", "%", "%20", "&", "=", "?", "#", "@", ":", ";", ",", "'",
          "(", "*", "!", "$", '"', "<", "[", "\\", "^", "`", "{", "|", "\u00e9", "\u1234", "\U0001f9ca", "\x7f", "\t"]
HOSTS = ["bucket.s3.eu-west-1.amazonaws.com", "minio.example.org:9000", "localhost:443", "[::1]:8333", "h:80"]
NAMES = ["prefix", "pre", "pre-fix", "uploads", "list-type", "marker", "X", "x", "a b", "\u1234", "versionId"]
HEADERS = ["Range", "If-Match", "x-amz-meta-zinc-write", "x-amz-request-payer", "X-Amz-Checksum-Sha256", "Content-MD5"]


class Signer(botocore.auth.S3SigV4Auth):
    """with the payload that the case has"""

    def payload(self, request):
        return request.context["payload"]


def text(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def make(rng):
    kind = rng.choice(["header", "presign"])
    query = [(rng.choice(NAMES), rng.choice(["", text(rng, 6)])) for _ in range(rng.randint(0, 4))]
    if kind == "presign":  # botocore makes a dictionary of them
        query = list(dict(query).items())
    return {
        "kind": kind,
        "method": rng.choice(["GET", "PUT", "HEAD", "DELETE", "POST"]),
        "base": rng.choice(["https://", "http://"]) + rng.choice(HOSTS),
        "path": "/" + text(rng, 20),
        "query": query,
        "payload": rng.choice(["UNSIGNED-PAYLOAD", "%064x" % rng.getrandbits(256)]),
        "when": rng.randint(0, 4102444800),
        "token": rng.choice(["", "token+/=", "%x" % rng.getrandbits(500)]),
        "headers": [(name, rng.choice(["x", "  two   words ", "bytes=0-9", '"e\u0074ag"', "a,b; c"]))
                    for name in (rng.sample(HEADERS, rng.randint(0, 3)) if kind == "header" else [])],
    }


def encode(case):
    query = "".join("%s\0%s\0" % m for m in case["query"])
    fields = [case["kind"], case["method"], case["base"], case["path"], query, case["payload"], str(case["when"]),
              case["token"], *[x for h in case["headers"] for x in h]]
    return " ".join(f.encode().hex() for f in fields)


def escaped(s, safe=""):
    return urllib.parse.quote(s, safe=safe + "-._~")


def by_botocore(case):
    url = case["base"] + escaped(case["path"], "/")
    if case["query"]:
        url += "?" + "&".join("%s=%s" % (escaped(n), escaped(v)) for n, v in case["query"])
    request = botocore.awsrequest.AWSRequest(case["method"], url, headers=dict(case["headers"]))
    request.context["payload"] = case["payload"]
    keys = botocore.credentials.Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                            case["token"] or None)
    now = datetime.fromtimestamp(case["when"], timezone.utc)
    with mock.patch("botocore.auth.get_current_datetime", lambda *a, **k: now):
        if case["kind"] == "header":
            Signer(keys, "s3", "eu-west-1").add_auth(request)
            return "%s %s" % (url, request.headers["Authorization"].rpartition("Signature=")[2])
        botocore.auth.S3SigV4QueryAuth(keys, "s3", "eu-west-1", 600).add_auth(request)
    return request.url


def comparable(kind, line):
    """URLs are the same if their members are, in any order."""
    if kind == "header":
        return line
    base, _, query = line.partition("?")
    return base, sorted(query.split("&"))


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    cases = [make(rng) for _ in range(count)]
    got = subprocess.run([sys.argv[1]], input="\n".join(map(encode, cases)) + "\n", capture_output=True, text=True)
    if got.returncode == 77:
        print("sigv4: built without libcrypto: skipped")
        return 0
    lines = got.stdout.splitlines()
    if got.returncode or len(lines) != count:
        print("sigv4: %d of %d requests are signed: %s" % (len(lines), count, got.stderr))
        return 1
    wrong = [(c, line) for c, line in zip(cases, lines)
             if comparable(c["kind"], line) != comparable(c["kind"], by_botocore(c))]
    for case, line in wrong[:5]:
        print("%r\n  zinc     %s\n  botocore %s" % (case, line, by_botocore(case)))
    print("sigv4: %d requests as botocore %s signs them, %d in another way (seed %d)"
          % (count - len(wrong), botocore.__version__, len(wrong), seed))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
