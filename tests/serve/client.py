"""client.py - a running `zinc serve`, and a client of it that sends any bytes

Only sockets: the tests must see the bytes of an answer, and send requests that no library would.
"""
import os
import re
import select
import signal
import socket
import subprocess
import time

ZINC = os.environ["ZINC"]
SLOW = 20 if os.environ.get("ZINC_QUICK") else 1  # emulators and sanitizers


class Failure(Exception):
    pass


checks = 0


def check(condition, *what):
    global checks
    checks += 1
    if not condition:
        raise Failure(" ".join(str(w) for w in what))


def same(got, want, *what):
    check(got == want, *what, "got", repr(got)[:300], "instead of", repr(want)[:300])


class Answer:
    """Status, headers with names in lower case, body."""

    def __init__(self, status, version, headers, body):
        self.status, self.version, self.headers, self.body = status, version, headers, body

    def __getitem__(self, name):
        return self.headers.get(name.lower())


class Server:
    def __init__(self, *args, env=None, log="log", descriptors=None):
        self.log_path = log
        with open(log, "ab") as err:
            self.process = subprocess.Popen(
                [*([] if descriptors is None else ["prlimit", f"--nofile={descriptors}"]), ZINC, "serve", *args],
                stdout=subprocess.PIPE, stderr=err, env={**os.environ, **(env or {})},
            )
        self.line = self.process.stdout.readline().decode()
        m = re.fullmatch(r"http://(\[[^]]*\]|[^:/]*):(\d+)/(?:([^/]*)/)?\n", self.line)
        if not m:
            self.process.wait()
            raise Failure(f"the server does not start: {self.line!r} {self.log()[-500:]}")
        self.host, self.port, self.token = m[1], int(m[2]), m[3] or ""
        self.base = f"/{self.token}" if self.token else ""

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        if self.process.poll() is None:
            if failed[0]:
                self.process.kill()
                self.process.wait()
            else:
                self.stop()

    def stop(self, how=signal.SIGTERM):
        """End it; status 0, and nothing more on stdout."""
        self.process.send_signal(how)
        while SLOW > 1 and not select.select([self.process.stdout], [], [], 10)[0]:
            self.process.send_signal(how)  # a sanitizer may have kept the first one
        rest = self.process.stdout.read()
        same(self.process.wait(60 * SLOW), 0, "exit status", self.log()[-1500:])
        same(rest, b"", "more on stdout")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def log(self):
        with open(self.log_path, errors="replace") as f:
            return f.read()

    def memory(self, name="VmHWM"):
        """In MiB."""
        with open(f"/proc/{self.process.pid}/status") as f:
            return int(re.search(rf"^{name}:\s*(\d+)", f.read(), re.M)[1]) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def connect(self, timeout=30 * SLOW):
        return Connection(socket.create_connection((self.host.strip("[]"), self.port), timeout))

    def get(self, path, *headers, method="GET", host=None):
        """One request on a connection of its own."""
        with self.connect() as c:
            c.send(method, self.base + path, *headers, host=host or f"127.0.0.1:{self.port}")
            return c.answer(method)

    def raw(self, data):
        """Send bytes; everything that comes until the server closes the connection, or nothing for a while."""
        with self.connect(timeout=2 if SLOW == 1 else 6) as c:
            try:
                c.socket.sendall(data)
                c.socket.shutdown(socket.SHUT_WR)
            except OSError:  # refused before all was sent
                pass
            return c.rest()


class Connection:
    def __init__(self, sock):
        self.socket, self.buffer = sock, b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, target, *headers, host="localhost", version="1.1"):
        lines = [f"{method} {target} HTTP/{version}"]
        if host is not None:
            lines.append(f"Host: {host}")
        self.socket.sendall(("\r\n".join([*lines, *headers]) + "\r\n\r\n").encode("latin-1"))

    def more(self):
        data = self.socket.recv(1 << 16)
        self.buffer += data
        return data

    def answer(self, method="GET"):
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                raise Failure(f"the connection was closed in the headers: {self.buffer[:200]!r}")
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        m = re.fullmatch(r"HTTP/(1\.[01]) (\d\d\d) .*", first)
        check(m, "a status line:", first)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            check(name.lower() not in headers or name.lower() == "vary", "a header comes once:", name)
            headers[name.lower()] = value.strip()
        status = int(m[2])
        check("transfer-encoding" not in headers, "every length is known")
        n = 0 if method == "HEAD" or status in (204, 304) else int(headers["content-length"])
        while len(self.buffer) < n:
            if not self.more():
                raise Failure(f"the connection was closed after {len(self.buffer)} of {n} bytes")
        body, self.buffer = self.buffer[:n], self.buffer[n:]
        return Answer(status, m[1], headers, body)

    def rest(self):
        while True:
            try:
                if not self.more():
                    break
            except OSError:
                break
        data, self.buffer = self.buffer, b""
        return data

    def closed(self):
        """Does the server close it without another byte?"""
        return self.rest() == b""


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds * SLOW
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
