"""memory_table.py ZINC - peak memory of the command, by store, operation and hostile input

Every line is one run of the command on a small array beside which lies something huge: a sparse file in the place of
a chunk, a document or a shard, an index that names huge chunks, an answer that never ends.  Chunks have 4 bytes, so
the promise (docs/promises.md) is 64 MiB over what the command needs by itself.  Prints the table; exit status 1 if a
line is above, or if a run that must fail did not.
"""
import http.server
import json
import os
import pathlib
import shutil
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading

HUGE = 5 << 30
ALLOWED = 64 + 8  # MiB, over an idle run; 8 for libraries that are loaded on the way
SECONDS = 60
zinc = sys.argv[1]
place = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TMPDIR", ".")))


def run(*args, data=None):
    """Exit status and peak in MiB of one run"""
    p = subprocess.Popen([zinc, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    timer = threading.Timer(SECONDS, p.kill)
    timer.start()
    try:
        p.stdin.write(data or b"")
        p.stdin.close()
    except BrokenPipeError:
        pass
    _, status, usage = os.wait4(p.pid, 0)
    timer.cancel()
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, usage.ru_maxrss // 1024


def sparse(path, nbytes=HUGE):
    with open(path, "r+b" if path.exists() else "wb") as f:
        f.truncate(nbytes)


# ---- arrays, good but for one thing ----


def make(name, *options):
    top = place / name
    assert run("create", top, "--group", *[o for o in options if o.startswith("--format")])[0] == 0
    assert run("create", top / "a", "--shape", "8,8", "--chunks", "2,2", "--dtype", "uint8", "--codecs", "none",
               *[o for o in options if not o.startswith("--format")])[0] == 0
    assert run("put", top / "a", "--from", "-", data=bytes(range(1, 65)))[0] == 0
    return top


def huge_chunk(name):
    top = make(name)
    sparse(top / "a/c/0/0")
    return top


def huge_document(name):
    top = make(name)
    sparse(top / "a/zarr.json")
    return top


def huge_copies(name):
    top = make(name, "--format=v2")
    assert run("consolidate", top)[0] == 0
    sparse(top / ".zmetadata")
    return top


def huge_attributes(name):
    top = make(name, "--format=v2")
    sparse(top / "a/.zattrs")
    return top


def huge_shard(name):
    """A sparse file for a shard: its index, at the end, is of zeros"""
    top = make(name, "--shards", "4,4")
    sparse(top / "a/c/0/0")
    return top


def huge_inner(name):
    """An index that names an inner chunk of almost 5 GiB; it must have a checksum to be believed"""
    top = make(name, "--shards", "4,4")
    path = top / "a/c/0/0"
    codecs = json.loads((top / "a/zarr.json").read_text())["codecs"][0]["configuration"]["index_codecs"]
    index = struct.pack("<8Q", 0, HUGE - 4096, *[2**64 - 1] * 6)
    tail = index + (struct.pack("<I", crc32c(index)) if any(c["name"] == "crc32c" for c in codecs) else b"")
    sparse(path)
    with open(path, "r+b") as f:
        f.seek(HUGE - len(tail))
        f.write(tail)
    return top


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# ---- what is done with them ----

READ = {
    "info": ["info", "{a}"],
    "read whole": ["cat", "{a}", "--as", "raw"],
    "read part": ["cat", "{a}", "--as", "raw", "-s", "0:1, 0:3"],
    "read points": ["cat", "{a}", "--as", "raw", "-s", "[0,1], [0,3]"],
    "stats": ["stats", "{a}"],
    "chunks": ["chunks", "{a}"],
    "validate": ["validate", "{top}"],
    "walk": ["tree", "{top}"],
    "diff": ["diff", "{top}", "{good}"],
    "cp": ["cp", "{top}", "{new}"],
    "cp recoded": ["cp", "{top}", "{new}", "--codecs", "gzip:1"],
}
WRITE = {
    "partial write": ["put", "{a}", "--from", "-", "-s", "0:1, 0:1"],
    "write whole": ["put", "{a}", "--from", "-"],
    "append": ["append", "{a}", "--from", "-"],
    "resize": ["resize", "{a}", "7,7"],
    "attributes": ["attrs", "{a}", "x=1"],
    "consolidate": ["consolidate", "{top}"],
    "repair": ["validate", "{top}", "--repair"],
}
DATA = {"partial write": b"x", "write whole": bytes(64), "append": bytes(8)}

# ---- a server that may never end ----


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endless = ()  # ends of paths
    lies = False

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, body):
        path = place / self.path.lstrip("/")
        if self.endless and self.path.endswith(self.endless):
            return self.never_end(body)
        if not path.is_file():
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        self.send_response(200)
        self.send_header("Content-Length", str(path.stat().st_size))
        self.end_headers()
        if body:
            with open(path, "rb") as f:
                self.pour(lambda: f.read(1 << 20))
        return None

    def pour(self, more):
        try:
            while block := more():
                self.wfile.write(block)
        except OSError:
            self.close_connection = True

    def never_end(self, body):
        self.send_response(200)
        if self.lies:
            self.send_header("Content-Length", str(HUGE))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        block = bytes(1 << 20)
        frame = block if self.lies else b"100000\r\n" + block + b"\r\n"
        if body:
            self.pour(lambda: frame)
        self.close_connection = True


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


# ---- the table ----


def main():
    wrong = 0
    idle = run("--version")[1]
    good = make("good.zarr")
    number = 0
    print(f"idle {idle} MiB, allowed {idle + ALLOWED} MiB")
    print(f"{'store':6} {'hostile':22} {'operation':14} {'status':>6} {'MiB':>6}")

    def line(store, hostile, operation, status, peak):
        nonlocal wrong
        above = peak > idle + ALLOWED
        wrong += above or status < 0
        print(f"{store:6} {hostile:22} {operation:14} {status:6} {peak:6}{'  above' if above else ''}{'  killed' if status < 0 else ''}")

    def each(store, hostile, top, operations, fresh=None):
        nonlocal number
        for operation, args in operations.items():
            if fresh:
                shutil.rmtree(top, ignore_errors=True)
                fresh(top.name)
            number += 1
            names = {"a": f"{top}/a", "top": str(top), "good": str(good), "new": str(place / f"new{number}.zarr")}
            line(store, hostile, operation, *run(*[x.format(**names) for x in args], data=DATA.get(operation)))
            shutil.rmtree(names["new"], ignore_errors=True)

    for fn, hostile in ((huge_chunk, "5 GiB chunk"), (huge_document, "5 GiB document"), (huge_copies, "5 GiB .zmetadata"),
                        (huge_attributes, "5 GiB .zattrs"), (huge_shard, "5 GiB shard"), (huge_inner, "5 GiB inner chunk")):
        top = fn(f"h{number}.zarr")
        each("fs", hostile, top, READ)
        each("fs", hostile, top, WRITE, fn)
        shutil.rmtree(top)

    server = Threads(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    if run("info", f"{url}/good.zarr/a")[0] != 0:
        print("http: this build has none")
    else:
        remote = {k: READ[k] for k in ("info", "read whole", "read part", "read points", "validate", "walk", "cp")}
        shards = make("shards.zarr", "--shards", "4,4")
        for lies in (False, True):
            Server.lies = lies
            how = "lying length" if lies else "endless"
            for top, ends, what in ((good, ("/a/zarr.json",), "document"), (good, ("/c/0/0",), "chunk"), (shards, ("/c/0/0",), "shard")):
                Server.endless = ends
                each("http", f"{how} {what}", f"{url}/{top.name}", remote)
    server.shutdown()
    shutil.rmtree(place)
    print(f"{wrong} lines above what is promised")
    return wrong > 0


sys.exit(main())
