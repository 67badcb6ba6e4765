#!/usr/bin/env python3
"""stores.py - 1 000 objects of 100 KiB in S3 on loopback: Zinc, TensorStore, zarr-python with obstore, and with zarrs

Or, with BENCH_SERVER=fake_gcs, in Google Cloud Storage (fake-gcs-server, in memory): Zinc, TensorStore and zarr-python with
gcsfs.  obstore only reads there: it writes by the XML API, which that server does not have.  Or, with BENCH_SERVER=azurite,
in Azure Blob Storage (Azurite, in memory): Zinc and zarr-python with obstore, zarrs and adlfs.

The server is versitygw (build/servers, see scripts/stores.sh), once as it is and once behind bench-delay-proxy, which adds
20 ms to each round trip.  Each contender reads and writes one array whose chunks are the objects, in a process of its own,
array open; contenders take turns, times are medians of ROUNDS.  Peers run with their own number of open requests, and
again with 64, as many as Zinc; "times" compares Zinc with the fastest peer as it comes, and with the fastest of all.
Everything that is read or written is compared.  Prints the table, and writes stores.md (stores-gs.md, stores-az.md) to $BENCH_OUT [bench].

Environment: BUILD, BENCH_QUICK=1 (100 objects, 1 round), BENCH_ROUNDS [5], BENCH_SERVER [versitygw], or minio,
fake_gcs, azurite; BENCH_PEERS [tensorstore obstore zarrs; of Google's tensorstore gcsfs; of Azure's obstore zarrs adlfs].
"""

import base64
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import numpy

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))
QUICK = bool(os.environ.get("BENCH_QUICK"))
COUNT, SIZE, DELAY, OPEN = 100 if QUICK else 1000, 100 * 1024, 20, 64
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "1" if QUICK else "5"))
OUT = os.environ.get("BENCH_OUT", HERE)
SERVER = os.environ.get("BENCH_SERVER", "versitygw")
GOOGLE, AZURE = SERVER == "fake_gcs", SERVER == "azurite"
SERVICE, FILE = {"fake_gcs": ("Google Cloud Storage", "stores-gs.md"), "azurite": ("Azure Blob Storage", "stores-az.md")}.get(SERVER, ("S3", "stores.md"))
PROGRAM = {"fake_gcs": "fake-gcs-server", "azurite": "Azurite"}.get(SERVER, SERVER)
MAKER = "gcsfs" if GOOGLE else "obstore"  # makes and checks arrays
PEERS = tuple(os.environ.get("BENCH_PEERS", "tensorstore gcsfs" if GOOGLE else "obstore zarrs adlfs" if AZURE else "tensorstore obstore zarrs").split())
NAMES = {"zinc": "Zinc", "tensorstore": "TensorStore", "gcsfs": "zarr-python with gcsfs", "adlfs": "zarr-python with adlfs", "obstore": "zarr-python with obstore", "zarrs": "zarr-python with zarrs and obstore"}
GOALS = {0: 1.0, DELAY: 1.2}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def environment(where):
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "AZURE_"))}
    return keep | {"AWS_ACCESS_KEY_ID": "zinc" + secrets.token_hex(8), "AWS_SECRET_ACCESS_KEY": secrets.token_hex(20), "AWS_REGION": "us-east-1",
                   "AWS_EC2_METADATA_DISABLED": "true", "DATA": os.path.join(where, "data.npy"), "SERVICE": "gs" if GOOGLE else "az" if AZURE else "s3",
                   "AZURE_STORAGE_ACCOUNT_NAME": "zinclab", "AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(secrets.token_bytes(64)).decode(),
                   "NO_GCE_CHECK": "true", "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}


def node():
    """The Node that scripts/stores/az.sh has found"""
    own = os.path.join(BUILD, "servers/node-venv/bin/node")
    return own if os.path.exists(own) else "node"


class Server:
    """The server, and the proxy in front of it, as long as they are needed"""

    def __init__(self, where, env):
        self.port = free_port()
        at, keys = f"127.0.0.1:{self.port}", (env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"])
        program = os.path.join(BUILD, "servers", SERVER)
        os.makedirs(os.path.join(where, "data", "zinc"))
        more = {}
        if GOOGLE:
            argv = [os.path.join(BUILD, "servers", "fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", str(self.port), "-public-host", at, "-backend", "memory", "-log-level", "error"]
        elif AZURE:
            argv = [node(), os.path.join(program, "node_modules/azurite/dist/src/blob/main.js"), "--blobPort", str(self.port), "--silent",
                    "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"]
            more = {"AZURITE_ACCOUNTS": "zinclab:" + env["AZURE_STORAGE_ACCOUNT_KEY"]}
        elif SERVER == "minio":
            argv = [program, "server", "--quiet", "--address", at, os.path.join(where, "data")]
            more = {"MINIO_ROOT_USER": keys[0], "MINIO_ROOT_PASSWORD": keys[1], "MINIO_BROWSER": "off"}
        else:
            argv = [program, "--port", at, "--quiet", "--keep-alive", "--health", "/health", "posix", os.path.join(where, "data")]
            more = {"ROOT_ACCESS_KEY": keys[0], "ROOT_SECRET_KEY": keys[1]}
        self.log = open(os.path.join(where, "log"), "wb")
        self.child = subprocess.Popen(argv, env=env | more, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        self.proxy = None
        self.wait()
        if AZURE:
            run([sys.executable, os.path.join(HERE, "../tests/live/az_container.py"), self.far(0), "zinclab", env["AZURE_STORAGE_ACCOUNT_KEY"], "zinc"], env)
        if GOOGLE:
            urllib.request.urlopen(urllib.request.Request(f"http://{at}/storage/v1/b?project=zinc", b'{"name": "zinc"}', {"Content-Type": "application/json"}))

    def wait(self):
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=1)
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"stores: {SERVER} does not answer")

    def far(self, delay):
        """The endpoint with a delay"""
        account = "/zinclab" if AZURE else ""
        if not delay:
            return f"http://127.0.0.1:{self.port}{account}"
        if not self.proxy:
            self.proxy = subprocess.Popen([os.path.join(BUILD, "bench-delay-proxy"), str(self.port), str(delay)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.far_port = int(self.proxy.stdout.readline())
        return f"http://127.0.0.1:{self.far_port}{account}"

    def end(self):
        if self.proxy:
            self.proxy.communicate()
        self.child.terminate()
        self.child.wait()


def peer(who, operation, endpoint, path, many=0):
    return [sys.executable, os.path.join(HERE, "store_peers.py"), who, operation, endpoint, path, str(many)]


def command(who, operation, endpoint, many, where):
    path = "array" if operation == "read" else "array-to"
    if who != "zinc":
        return peer(who, operation, endpoint, path, many)
    url = f"{'gs' if GOOGLE else 'az'}://zinc/{path}?endpoint={endpoint}" if GOOGLE or AZURE else f"s3://zinc/{path}?endpoint={endpoint}&region=us-east-1"
    source = url if operation == "read" else os.path.join(where, "local.zarr")
    return [os.path.join(BUILD, "bench-zinc"), operation, source, "2", "1", *([f"to={url}"] if operation == "write" else [])]


def run(argv, env):
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    return done.stdout


def measure(who, operation, endpoint, many, where, env):
    """Milliseconds, CPU milliseconds and peak MiB of one call"""
    if operation == "write":
        run(peer(MAKER, "make", env["NEAR"], "array-to"), env)
    told = json.loads(run(command(who, operation, endpoint, many, where), env).splitlines()[-1])
    if operation == "write":
        run(peer(MAKER, "check", env["NEAR"], "array-to"), env)
    last = lambda x: x[-1] if isinstance(x, list) else x
    return last(told["ms"]), last(told["cpu_ms"]), told["rss_kb"] / 1024


def contenders():
    return [("zinc", 0)] + [(p, n) for p in PEERS for n in (0, OPEN)]


def rows(operation, delay, server, where, env):
    """Lines of the table for one operation"""
    seen = {c: [] for c in contenders()}
    why = {}
    for r in range(ROUNDS):
        for c in sorted(seen, reverse=r % 2 == 0):
            try:
                seen[c].append(measure(c[0], operation, server.far(delay), c[1], where, env))
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                why[c] = str(e)[:100]
    medians = {c: [statistics.median(x) for x in zip(*v)] for c, v in seen.items() if v}
    lines = []
    for who, many in contenders():
        label = NAMES[who] + (f", {many} open" if many else "")
        if (who, many) in medians:
            ms, cpu, mib = medians[who, many]
            lost = ROUNDS - len(seen[who, many])
            label += f" ({lost} of {ROUNDS} runs failed: {why[who, many]})" if lost else ""
            lines.append(f"| {operation} | {delay} | {label} | {ms:.0f} | {COUNT * SIZE / ms / 1e3:.0f} | {cpu:.0f} | {mib:.0f} |")
        else:
            lines.append(f"| {operation} | {delay} | {label} | failed: {why[who, many]} | | | |")
    ours = medians[("zinc", 0)][0] if ("zinc", 0) in medians else None
    best = [min((m[0] for (w, n), m in medians.items() if w != "zinc" and (n == 0 or tuned)), default=0) for tuned in (False, True)]
    for line in lines:
        print(line, flush=True)
    return lines, (operation, delay, best[0] / ours, best[1] / ours) if ours else (operation, delay, 0, 0)


TITLE = f"""# {COUNT} objects of 100 KiB in {SERVICE} on loopback

{PROGRAM}, once as it is and once with {DELAY} ms added to each round trip by a proxy. Medians of {ROUNDS} interleaved runs of one
call that reads or writes all elements; made by `make bench-stores` (bench/stores.py says how).

| | ms added | | ms | MB/s | CPU ms | peak MiB |
|---|---|---|---|---|---|---|"""


def local_copy(where, env):
    """What bench-zinc writes: it reads it from a local array first"""
    import zarr

    values = numpy.load(env["DATA"])
    zarr.create_array(os.path.join(where, "local.zarr"), shape=values.shape, dtype=values.dtype, chunks=(1, SIZE), compressors=None, fill_value=0)[...] = values


def main():
    where = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None, prefix="zinc-bench-stores-")
    env = environment(where)
    numpy.save(env["DATA"], numpy.random.default_rng(1).integers(0, 256, (COUNT, SIZE), dtype="uint8"))
    local_copy(where, env)
    server = Server(where, env)
    try:
        env["NEAR"] = server.far(0)
        run(peer(MAKER, "make", env["NEAR"], "array"), env)
        print(TITLE)
        parts = [rows(o, d, server, where, env) for d in (0, DELAY) for o in ("read", "write")]
    finally:
        server.end()
        shutil.rmtree(where, ignore_errors=True)
    sums = ["", "| | ms added | Zinc is faster than the fastest peer as it comes | and than all, tuned | goal |", "|---|---|---|---|---|"]
    sums += [f"| {o} | {d} | {a:.2f} times | {b:.2f} times | {GOALS[d]} |" for _, (o, d, a, b) in parts]
    print("\n".join(sums))
    os.makedirs(OUT, exist_ok=True)
    with open(os.path.join(OUT, FILE), "w", encoding="utf-8") as f:
        f.write("\n".join([TITLE, *(line for lines, _ in parts for line in lines), *sums, ""]))
    print(f"stores: wrote {OUT}/{FILE}")


main()
