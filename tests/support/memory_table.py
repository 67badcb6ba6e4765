"""memory_table.py ZINC - peak memory of the command, by store, operation and hostile input

Every line is one run of the command on a small array with one huge part: a sparse file in the place of
a chunk, a document or a shard, an index that names huge chunks, an answer that never ends.  Chunks have 4 bytes, so
the promise (docs/promises.md) is 64 MiB more than the command needs by itself.  The lines "128 MiB" are for a valid
array of that size, in chunks of 4 MiB that do not compress: the same limit, plus all elements if they come from a
file or are printed, because they are the source or the destination.  Prints the table; exit status 1 if a line
exceeds the limit, if a run did not end, or if one with a valid array failed.
"""
import http.server
import json
import os
import pathlib
import shutil
import signal
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading

HUGE = 5 << 30
# MiB over a run that reads one small document: what is promised, and stacks and buffers of libraries (128 KiB for each of
# 64 requests that libcurl keeps open)
ALLOWED = {"fs": 64 + 4, "http": 64 + 16}
SECONDS = 60
zinc = sys.argv[1]
os.environ.update(ZINC_HTTP_WRITE="yes", ZINC_HTTP_CONDITIONS="yes")
place = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TMPDIR", ".")))


# The command is started by a small process: the peak of a process begins with that of its parent.
LAUNCH = """import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
os.write(int(sys.argv[1]), b"%d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss >> 10))
"""


def run(*args, data=None):
    """Exit status and peak in MiB of one run"""
    said, say = os.pipe()
    p = subprocess.Popen([sys.executable, "-S", "-c", LAUNCH, str(say), zinc, *map(str, args)], stdin=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[say], start_new_session=True)
    os.close(say)
    timer = threading.Timer(SECONDS, os.killpg, (p.pid, signal.SIGKILL))
    timer.start()
    try:
        p.stdin.write(data or b"")
        p.stdin.close()
    except BrokenPipeError:
        pass
    with open(said) as f:
        answer = f.read().split()
    timer.cancel()
    p.wait()
    return (int(answer[0]), int(answer[1])) if answer else (-signal.SIGKILL, 0)


def sparse(path, nbytes=HUGE):
    with open(path, "r+b" if path.exists() else "wb") as f:
        f.truncate(nbytes)


# ---- arrays, valid except for one part ----


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
    """An index that names an inner chunk of almost 5 GiB; it must have a valid checksum to be accepted"""
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


def large(name, *options):
    """A good array, of which 128 MiB are written: 32 chunks or, with shards, 8 objects"""
    top = place / name
    assert run("create", top, "--group")[0] == 0
    assert run("create", top / "a", "--shape", "10240,16384", "--chunks", "2048,2048", "--dtype", "uint8", "--codecs", "zstd:1",
               *options)[0] == 0
    assert run("consolidate", top)[0] == 0
    return top


def npy(rows, columns):
    """What an .npy file of this shape, uint8, begins with"""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def numbers(path, head, nbytes):
    """Written block by block: the memory of this process would count as the next one's peak"""
    with open(path, "wb") as f:
        f.write(head)
        for _ in range(nbytes >> 20):
            f.write(os.urandom(1 << 20))
    return path


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
DATA = {"partial write": b"x", "write whole": bytes(64), "append": npy(1, 8) + bytes(8)}
LARGE = {
    "write whole": ["put", "{a}", "--from", "{data}", "-s", "0:8192, :"],
    "write parts": ["put", "{a}", "--from", "{data}", "-s", "1024:9216, :"],
    "append": ["append", "{a}", "--from", "{npy}"],
    "read whole": ["cat", "{a}", "--as", "raw", "-s", "0:8192, :"],
    "read parts": ["cat", "{a}", "--as", "raw", "-s", "1024:9216, :"],
    "stats": ["stats", "{a}"],
    "validate": ["validate", "{top}"],
    "repair": ["validate", "{top}", "--repair"],
    "cp": ["cp", "{top}", "{new}", "--max-memory", "64M"],
    "cp recoded": ["cp", "{top}", "{new}", "--codecs", "zstd:3", "--max-memory", "64M"],
    "diff": ["diff", "{top}", "{top}"],
}
HELD = {"write whole": 128, "write parts": 128, "append": 128, "read whole": 128, "read parts": 128,
        "cp": 64, "cp recoded": 64, "stats": 64}  # MiB of elements: source, destination, --max-memory; widened to 8 bytes
SHARDS = 64  # MiB more, four shards, where parts of them are put by a store that takes whole values only

# ---- a server that may never end; it takes PUT, and keeps conditions ----


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

    def do_PUT(self):
        path, left = self.file(), int(self.headers["Content-Length"])
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{threading.get_ident()}")
        with open(part, "wb") as f:
            while block := self.rfile.read(min(left, 1 << 20)):
                f.write(block)
                left -= len(block)
        if self.refused(path):
            part.unlink()
            return self.say(412)
        there = path.exists()
        part.rename(path)
        return self.say(204 if there else 201, path)

    def do_DELETE(self):
        path = self.file()
        if self.refused(path):
            return self.say(412)
        path.unlink(missing_ok=True)
        return self.say(204)

    def file(self):
        return place / self.path.lstrip("/")

    def tag(self, path):
        if self.endless and self.path.endswith(self.endless):
            return '"for ever"'
        try:
            about = path.stat()
        except FileNotFoundError:
            return None
        return f'"{about.st_mtime_ns}-{about.st_ino}-{about.st_size}"'

    def refused(self, path):
        is_now, only, unless = self.tag(path), self.headers["If-Match"], self.headers["If-None-Match"]
        return only is not None and only != is_now or unless == "*" and is_now is not None

    def say(self, code, path=None):
        self.send_response(code)
        if path:
            self.send_header("ETag", self.tag(path))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body):
        path = self.file()
        if self.endless and self.path.endswith(self.endless):
            return self.never_end(body)
        if not path.is_file():
            return self.say(404)
        size = path.stat().st_size
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.send_header("ETag", self.tag(path))
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
        self.send_header("ETag", self.tag(None))
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

    def handle_error(self, *_):
        pass  # the client disconnects when it receives too much
    request_queue_size = 128


# ---- the table ----


class Table:
    def __init__(self):
        self.wrong = self.number = 0
        self.good = make("good.zarr")
        self.idle = {}
        self.begin("fs", place)
        print(f"{'store':6} {'what':22} {'operation':14} {'status':>6} {'MiB':>6}")

    def begin(self, store, at):
        """Memory of the smallest run there: libraries"""
        status, self.idle[store] = run("info", f"{at}/good.zarr/a")
        if status == 0:
            print(f"{store}: {self.idle[store]} MiB for one document; allowed {ALLOWED[store]} more, and what is held of a good array")
        return status == 0

    def line(self, store, what, operation, args, good):
        status, peak = run(*args, data=DATA.get(operation) if not good else None)
        more = SHARDS if (store, what, operation) == ("http", "128 MiB in shards", "write parts") else 0
        above = peak > self.idle[store] + ALLOWED[store] + more + (HELD.get(operation, 0) if good else 0)
        said = ("  above" if above else "") + ("  killed" if status < 0 else "  failed" if good and status > 0 else "")
        self.wrong += said != ""
        print(f"{store:6} {what:22} {operation:14} {status:6} {peak:6}{said}", flush=True)

    def each(self, store, what, top, operations, fresh=None, good=False):
        for operation, args in operations.items():
            if fresh:
                fresh()
            self.number += 1
            names = {"a": f"{top}/a", "top": str(top), "good": str(self.good), "new": str(place / f"new{self.number}.zarr"),
                     "data": str(place / "data"), "npy": str(place / "data.npy")}
            threads = ["-j", "2"] if good else []
            self.line(store, what, operation, [x.format(**names) for x in args] + threads, good)
            shutil.rmtree(names["new"], ignore_errors=True)


def again(fn, top, *options):
    """The function that makes it again"""
    def fresh():
        shutil.rmtree(top, ignore_errors=True)
        fn(top.name, *options)
    return fresh


def files(table):
    for fn, hostile in ((huge_chunk, "5 GiB chunk"), (huge_document, "5 GiB document"), (huge_copies, "5 GiB .zmetadata"),
                        (huge_attributes, "5 GiB .zattrs"), (huge_shard, "5 GiB shard"), (huge_inner, "5 GiB inner chunk")):
        top = fn(f"h{table.number}.zarr")
        table.each("fs", hostile, top, READ)
        table.each("fs", hostile, top, WRITE, again(fn, top))
        shutil.rmtree(top)


def web(table, url):
    reads = {k: READ[k] for k in ("info", "read whole", "read part", "read points", "validate", "walk", "cp")}
    writes = {k: WRITE[k] for k in ("partial write", "write whole", "append", "attributes")}
    shards = make("shards.zarr", "--shards", "4,4")
    for lies in (False, True):
        Server.lies = lies
        how = "lying length" if lies else "endless"
        for top, ends, what, options in ((table.good, "/a/zarr.json", "document", ()), (table.good, "/c/0/0", "chunk", ()),
                                         (shards, "/c/0/0", "shard", ("--shards", "4,4"))):
            Server.endless = (ends,)
            table.each("http", f"{how} {what}", f"{url}/{top.name}", reads)
            table.each("http", f"{how} {what}", f"{url}/{top.name}", writes, again(make, top, *options))
            again(make, top, *options)()
    Server.endless = ()
    for fn, hostile in ((huge_chunk, "5 GiB chunk"), (huge_shard, "5 GiB shard")):
        top = fn("behind.zarr")
        table.each("http", hostile, f"{url}/{top.name}", writes, again(fn, top))
        shutil.rmtree(top)


def good(table, url):
    numbers(place / "data", b"", 128 << 20)
    numbers(place / "data.npy", npy(8192, 16384), 128 << 20)
    # operations that change the shape are last: they drop consolidated metadata, which a copy needs if the store
    # cannot list
    remote = {k: LARGE[k] for k in ("write whole", "write parts", "read whole", "read parts", "cp", "append")}
    for shards, what in (((), "128 MiB"), (("--shards", "4096,4096"), "128 MiB in shards")):
        for store, at, operations in (("fs", place, LARGE), ("http", url, remote)):
            top = large("large.zarr", *shards)
            if at:
                table.each(store, what, f"{at}/{top.name}", operations, good=True)
            shutil.rmtree(top)


def main():
    table = Table()
    files(table)
    server = Threads(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    if table.begin("http", url):
        web(table, url)
    else:
        print("http: this build has none")
        url = None
    good(table, url)
    server.shutdown()
    shutil.rmtree(place)
    print(f"{table.wrong} lines above what is promised")
    return table.wrong > 0


sys.exit(main())
