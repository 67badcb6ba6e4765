#!/usr/bin/env python3
"""aws_server.py - the servers that give out AWS credentials, for tests, on a free port on loopback

Prints its port and serves until its standard input ends, so that it never outlives its parent.
The first component of a path selects its behaviour; what follows it is the service:

    /ok/latest/api/token, /ok/latest/meta-data/iam/security-credentials/...   EC2 metadata, version 2
    /ok/container                                                             container credentials
    /ok/                       POST                                           STS
    /ok/federation/credentials                                                SSO portal
    /_count/ok    number of requests that gave out credentials below /ok
    /_log/ok      all requests below /ok: method, path, the headers that matter, body; one line each

Credentials have the id AKID<mode><number>; /in400 gives those that expire in 400 seconds.  MODES has the failures.
"""
import collections
import http.server
import json
import re
import threading
import time
import urllib.parse

import server

lock = threading.Lock()
count = collections.Counter()
log = collections.defaultdict(list)

MODES = {
    "ok": "credentials for an hour",
    "in<seconds>": "credentials for so long",
    "real": "the temporary credentials that s3_server.py accepts",
    "slow": "the answer comes after half a second",
    "expired": "credentials that have expired",
    "error": "500",
    "forbidden": "403",
    "notfound": "404",
    "norole": "EC2 metadata: no role",
    "failcode": "EC2 metadata: Code is not Success",
    "garbage": "HTML instead of a document",
    "noexpiry": "a document without its time of expiry",
    "nosecret": "a document without its secret",
    "control": "a secret with the end of a line in it",
    "deep": "a document of 10,000 levels",
    "endless": "a body that never ends",
    "drip": "a byte a second",
    "hang": "no answer",
    "cut": "half of the body",
    "away": "302 to another host",
    "once": "credentials the first time, then 500",
}


def keys(mode, number):
    seconds = 3600
    if re.fullmatch(r"in\d+", mode):
        seconds = int(mode[2:])
    if mode == "expired":
        seconds = -3600
    at = int(time.time()) + seconds
    if mode == "real":
        return {"id": "ASIATEMPORARY", "secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "token": "token-1", "at": at,
                "text": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))}
    more = f"-{number}-of-many-renewals" if mode.startswith("in") else ""
    return {"id": f"AKID{mode}{number}", "secret": f"canary-secret-{mode}", "token": f"canary-token-{mode}{more}", "at": at,
            "text": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))}


def spoil(mode, pairs):
    if mode == "noexpiry":
        pairs = {k: v for k, v in pairs.items() if k.lower() != "expiration"}
    if mode == "nosecret":
        pairs = {k: v for k, v in pairs.items() if k.lower() != "secretaccesskey"}
    if mode == "control":
        pairs = {k: v + "\r\nX-Evil: 1" if k.lower() == "secretaccesskey" else v for k, v in pairs.items()}
    return pairs


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, body, status=200, kind="application/json"):
        mode = self.mode
        body = body if isinstance(body, bytes) else body.encode()
        if mode == "garbage":
            body = b"<html>canary-garbage</html>"
        if mode == "deep":
            body = b"[" * 10000
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if mode == "endless":
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if mode == "drip":
            try:
                for i in range(len(body)):
                    self.wfile.write(body[i:i + 1])
                    self.wfile.flush()
                    time.sleep(1)
            except OSError:
                return
        elif mode == "cut":
            self.wfile.write(body[:len(body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def plain(self, text):
        """What is not of a mode"""
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fails(self):
        """A mode whose failure needs no document"""
        mode = self.mode
        with lock:
            again = mode == "once" and count[mode] > 0
        status = {"error": 500, "forbidden": 403, "notfound": 404}.get(mode, 500 if again else 0)
        if status:
            self.answer('{"message": "canary-message"}', status)
        elif mode == "hang":
            time.sleep(30)
            self.close_connection = True
        elif mode == "away":
            self.send_response(302)
            port = self.server.server_port
            self.send_header("Location", f"http://localhost:{port}/stolen{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            if mode == "slow":
                time.sleep(0.5)
            return False
        return True

    def given(self):
        with lock:
            count[self.mode] += 1
            return keys(self.mode, count[self.mode])

    def metadata(self, rest):
        if rest == "api/token":
            if self.command != "PUT" or not self.headers.get("X-aws-ec2-metadata-token-ttl-seconds"):
                return self.answer("", 400)
            return self.answer("canary-imds-token", kind="text/plain")
        if self.headers.get("X-aws-ec2-metadata-token") != "canary-imds-token":
            return self.answer("", 401)
        if rest == "meta-data/iam/security-credentials/":
            if self.mode == "norole":
                return self.answer("", 404)
            return self.answer("my-role\n", kind="text/plain")
        if rest == "meta-data/iam/security-credentials/my-role":
            if self.mode == "failcode":
                return self.answer('{"Code": "AssumeRoleUnauthorizedAccess", "Message": "canary-message"}')
            return self.document({"Code": "Success"})
        return self.answer("", 404)

    def document(self, more):
        k = self.given()
        pairs = {"AccessKeyId": k["id"], "SecretAccessKey": k["secret"], "Token": k["token"], "Expiration": k["text"]}
        self.answer(json.dumps({**more, **spoil(self.mode, pairs)}))

    def sts(self, body):
        form = urllib.parse.parse_qs(body)
        action = form.get("Action", [""])[0]
        if action not in ("AssumeRole", "AssumeRoleWithWebIdentity"):
            return self.answer("<ErrorResponse><Error><Code>InvalidAction</Code></Error></ErrorResponse>", 400, "text/xml")
        if action == "AssumeRole" and "Signature=" not in self.headers.get("Authorization", ""):
            return self.answer("<ErrorResponse><Error><Code>MissingAuthenticationToken</Code></Error></ErrorResponse>", 403, "text/xml")
        k = self.given()
        pairs = {"AccessKeyId": k["id"], "SecretAccessKey": k["secret"], "SessionToken": k["token"], "Expiration": k["text"]}
        inner = "".join(f"<{n}>{v}</{n}>" for n, v in spoil(self.mode, pairs).items())
        return self.answer(f'<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>'
                           f"<Credentials>{inner}</Credentials></{action}Result></{action}Response>", kind="text/xml")

    def portal(self):
        if self.headers.get("x-amz-sso_bearer_token") != "canary-sso-token":
            return self.answer('{"message": "Session token not found or invalid"}', 401)
        k = self.given()
        pairs = {"accessKeyId": k["id"], "secretAccessKey": k["secret"], "sessionToken": k["token"],
                 "expiration": k["at"] * 1000}
        return self.answer(json.dumps({"roleCredentials": spoil(self.mode, pairs)}))

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.mode, _, rest = self.path.lstrip("/").partition("/")
        if self.mode == "_count":
            return self.plain(str(count[rest]))
        if self.mode == "_log":
            return self.plain("".join(log[rest]))
        seen = [f"{n}: {v}" for n, v in self.headers.items() if n.lower() in ("authorization", "host") or n.lower().startswith("x-a")]
        with lock:
            log[self.mode].append(f"{self.command} {self.path} {seen} {body}\n")
        if self.fails():
            return None
        if rest.startswith("latest/"):
            return self.metadata(rest[len("latest/"):])
        if rest == "container":
            return self.document({})
        if rest.startswith("federation/credentials"):
            return self.portal()
        if self.command == "POST":
            return self.sts(body)
        return self.answer("", 404)

    do_PUT = do_POST = do_GET


server.run(Handler, server.options(__doc__).parse_args())
