#!/usr/bin/env python3
"""azure_peer.py SIGN_DO [COUNT] | --vectors - random requests to Azure get the same signatures as from Microsoft's library

SIGN_DO is the program of tests/live/az_sign_do.c; the oracle is the policy SharedKeyCredentialPolicy of azure-storage-blob.
Paths have blanks, "//", "~", "+", "%" and characters of any script, queries have empty and escaped values, headers have
conditions, metadata and lengths.  Ranges are x-ms-range here: that library signs no other.  --vectors prints the vectors
of tests/support/azure_vectors.h.
"""
import random
import subprocess
import sys
import urllib.parse
from email.utils import formatdate

import azure.storage.blob
from azure.core.pipeline import PipelineContext, PipelineRequest
from azure.core.pipeline.transport import HttpRequest
from azure.storage.blob._shared.authentication import SharedKeyCredentialPolicy

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
PIECES = ["a", "B", "0", "~", "-", "_", ".", "/", "//", " ", "+", "%", "%20", "&", "=", "?", "@", ":", ";", ",", "'",
          "(", "*", "!", "$", '"', "<", "[", "\\", "^", "`", "{", "|", "\u00e9", "\u1234", "\U0001f9ca", "\x7f", "\t"]
BASES = ["https://devstoreaccount1.blob.core.windows.net", "http://127.0.0.1:10000/devstoreaccount1", "https://h:443",
         "http://[::1]:10000/devstoreaccount1"]
NAMES = ["comp", "restype", "prefix", "delimiter", "marker", "maxresults", "include", "blockid", "timeout", "snapshot"]
HEADERS = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Content-MD5", "Content-Type",
           "x-ms-range", "x-ms-blob-type", "x-ms-meta-zincwrite", "x-ms-meta-a", "x-ms-lease-id", "X-MS-Client-Request-Id",
           "x-ms-blob-content-md5", "x-ms-copy-source"]
VALUES = ["x", "bytes=0-9", '"0x8D"', "*", "a,b; c", "two words", "MDEyMzQ1Njc4OWFiY2RlZg==", "application/octet-stream"]


def text(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def escaped(s, safe=""):
    return urllib.parse.quote(s, safe=safe + "-._~")


def make(rng):
    url = rng.choice(BASES) + "/" + escaped(text(rng, 20), "/")
    query = [(n, rng.choice(["", "list", "a%2Fb", text(rng, 6)])) for n in rng.sample(NAMES, rng.randint(0, 4))]
    if query:
        url += "?" + "&".join("%s=%s" % (n, escaped(v)) for n, v in query)
    headers = [(n, rng.choice(VALUES)) for n in rng.sample(HEADERS, rng.randint(0, 6))]
    headers += [("x-ms-date", formatdate(rng.randint(0, 4102444800), usegmt=True)), ("x-ms-version", "2023-11-03")]
    rng.shuffle(headers)
    return {"method": rng.choice(["GET", "PUT", "HEAD", "DELETE"]), "url": url, "headers": headers,
            "nbytes": rng.choice([0, 1, 77, 1 << 33])}


def encode(case):
    fields = [case["method"], case["url"], str(case["nbytes"]), *[x for h in case["headers"] for x in h]]
    return " ".join(f.encode().hex() for f in fields)


def by_microsoft(case):
    headers = {n.lower() if n.lower().startswith("x-ms-") else n: v for n, v in case["headers"]}
    if case["nbytes"] or case["method"] == "PUT":
        headers["Content-Length"] = str(case["nbytes"])
    request = HttpRequest(case["method"], case["url"], headers=headers)
    # the library takes members from the URL as they are, and removes escapes
    SharedKeyCredentialPolicy(ACCOUNT, KEY).on_request(PipelineRequest(request, PipelineContext(None)))
    return request.headers["Authorization"]


def quoted(s):
    return '"%s"' % s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def vectors(rng):
    for case in [make(rng) for _ in range(25)]:
        headers = "\n     ".join(quoted("%s: %s\n" % h) for h in case["headers"])
        url = "\n     ".join(quoted(case["url"][k: k + 100]) for k in range(0, len(case["url"]), 100))
        print("    {%s,\n     %s,\n     %s,\n     %d,\n     %s}," % (
            quoted(case["method"]), url, headers, case["nbytes"], quoted(by_microsoft(case).partition(":")[2])))


def main():
    if sys.argv[1] == "--vectors":
        print("/*\n * azure_vectors.h - requests as azure-storage-blob %s signs them; made by tests/interop/azure_peer.py --vectors\n */"
              % azure.storage.blob.__version__)
        vectors(random.Random(14))
        return 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    cases = [make(rng) for _ in range(count)]
    got = subprocess.run([sys.argv[1]], input="\n".join(map(encode, cases)) + "\n", capture_output=True, text=True)
    if got.returncode == 77:
        print("azure: built without libcrypto: skipped")
        return 0
    lines = got.stdout.splitlines()
    if got.returncode or len(lines) != count:
        print("azure: %d of %d requests are signed: %s" % (len(lines), count, got.stderr))
        return 1
    wrong = [(c, line) for c, line in zip(cases, lines) if line != by_microsoft(c)]
    for case, line in wrong[:5]:
        print("%r\n  zinc      %s\n  microsoft %s" % (case, line, by_microsoft(case)))
    print("azure: %d requests as azure-storage-blob %s signs them, %d in another way (seed %d)"
          % (count - len(wrong), azure.storage.blob.__version__, len(wrong), seed))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
