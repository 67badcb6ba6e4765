#!/usr/bin/env python3
"""test_faults.py [NAME...] - each script of tests/live/faults*.txt: no hang past its deadline, no wrong byte

A row is one store (http, s3, or one with a server of its own: fault_STORE.py), one operation of tests/live/store_do.c, the faults of the server (fault_server.py) and
what must come of it.  For every row, whatever it expects:

(1) Bytes that are given as a value are those that the server had at one time, whole.
(2) A change that is "ok" is made; one that fails with anything but E_UNCERTAIN or E_CANCELLED is not, and leaves no
    upload behind.
(3) It ends within its time.
(4) No secret is in what is printed, and none arrives at another server.

Exits 77 if this build has no such store.
"""
import concurrent.futures
import importlib
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.parse

SOURCE = pathlib.Path(os.environ["ZINC_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["ZINC_BUILD_DIR"])
sys.path.insert(0, str(SOURCE / "tests/live"))
import fault_server  # noqa: E402

SECRET = "CANARYsecretCANARY"
BIG = bytes(i % 251 for i in range(300000))
SLACK = 20.0  # seconds that a busy machine may add
AT_ONCE = 6
SILENT = ("stall", "drip", "badlength", "twolengths")  # faults after which the client waits for bytes that do not come


def objects():
    return {"k": b"0123456789", "big": BIG, "one": b"1", "empty": b"", **{"d%d" % i: b"d" for i in range(20)}}


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % h


class Row:
    def __init__(self, line):
        self.store, self.name, operation, script, self.expect, seconds = [c.strip() for c in line.split("|")]
        self.operation = operation.split()
        self.seconds = float(seconds)
        self.script, self.query = [], {}
        for part in filter(None, (p.strip() for p in script.split(";"))):
            if "=" in part.split()[0]:
                self.query.update([part.split("=", 1)])
                continue
            kind, fault, *times = part.split()
            name, _, argument = fault.partition("@")
            self.script.append((kind, name, argument, int(times[0][1:]) if times else 1 << 30))


def service_of(store):
    """The module fault_STORE; None: fault_server itself"""
    known = (SOURCE / "tests/live" / ("fault_%s.py" % store)).exists()
    return importlib.import_module("fault_" + store) if known else None


def url_of(row, port):
    # Short patience only where silence is tested: a busy machine must not look like a silent server.
    silent = any(word in fault[1] for fault in row.script for word in SILENT)
    query = {"retries": "2", "timeout": "0.5" if silent else "10"}
    if service_of(row.store):
        base, query = service_of(row.store).url(port, query)
    elif row.store == "http":
        query |= {"write": "yes", "conditions": "yes", "header.Authorization": SECRET, "header.X-Api-Key": SECRET}
        base = "http://127.0.0.1:%d/b" % port
    else:
        query |= {"endpoint": "http://127.0.0.1:%d" % port, "region": "us-east-1"}
        base = "s3://b"
    return base + "?" + urllib.parse.urlencode(query | row.query, safe=":/")


def environment(store):
    service = service_of(store)
    if service:
        return {k: v for k, v in os.environ.items() if "proxy" not in k.lower()} | service.environment(SECRET)
    keep = {k: v for k, v in os.environ.items() if not k.startswith("AWS_") and "proxy" not in k.lower()}
    return keep | {"AWS_ACCESS_KEY_ID": "CANARYid", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": SECRET,
                   "AWS_EC2_METADATA_DISABLED": "true"}


def whole_values(operation, value):
    """What an operation may give of a value"""
    name, *args = operation
    if name == "range":
        return [value[int(args[1]) :][: int(args[2])]]
    if name == "suffix":
        return [value[-int(args[1]) :]]
    if name == "ranges":
        return [value[i : i + 1] for i in range(0, 8, 2)]
    return [value]


def wrong_bytes(row, lines):
    value = objects().get(row.operation[1] if len(row.operation) > 1 else "", b"")
    for i, line in enumerate(lines):
        if not line.startswith("value"):
            continue
        good = []
        for v in (value, value[::-1]):  # fault_change
            parts = whole_values(row.operation, v)
            good.append(parts[min(i, len(parts) - 1)])
        if not any(line.split(" ")[1:3] == [str(len(g)), fnv(g)] for g in good):
            return "wrong bytes: " + line
    return None


def new_value(row, old):
    name, key, *more = row.operation
    if name in ("put", "create", "replace"):
        return more[0].encode()
    if name == "putn":
        return bytes(i % 251 for i in range(int(more[0])))
    if name == "update":
        return (old or b"") + b"x"
    return None


def wrong_state(row, server, out):
    """The state of the server after a change"""
    name = row.operation[0]
    if server.elsewhere.puts:  # a put follows a redirection, without credentials
        return None
    if name not in ("put", "create", "replace", "putn", "update", "del") or not out:
        return None
    key = row.operation[1]
    old, now = objects().get(key), server.objects.get(key)
    new = new_value(row, old)
    if out == "ok" and now != new:
        return "ok, but the server has %r" % (now[:60] if now is not None else None)
    if name == "putn" and server.uploads and not out.startswith(("error E_UNCERTAIN", "error E_CANCELLED")):
        return "an upload is left behind"
    if out.startswith("error") and not out.startswith(("error E_UNCERTAIN", "error E_CANCELLED")) and now != old:
        return "an error, but the server has %r" % (now[:60] if now is not None else None)
    return None


def meets(expect, out, row):
    lines = out.splitlines()
    for word in expect.split(" or "):
        word = word.strip()
        if word.startswith("error"):
            if lines and lines[0].startswith("error") and all(w.strip() in out for w in word[5:].split("..")):
                return True
        elif word == "value":
            if lines and all(l.startswith("value") for l in lines):
                return True
        elif word == "keys":
            names = sorted(objects())
            if out == "keys %d %s" % (len(names), fnv(b"".join(n.encode() + b"\0" for n in names))):
                return True
        elif out == word:
            return True
    return False


def checks_of(row, server, elsewhere, run, took):
    out, err = run.stdout.decode("utf-8", "replace").strip(), run.stderr.decode("utf-8", "replace")
    yield "it ended with status %d: %s" % (run.returncode, err) if run.returncode else None
    yield "a secret is shown: " + out if "CANARY" in out + err else None
    for _, _, fields in elsewhere.requests:
        if "CANARY" in str(fields) or "authorization" in fields or "x-amz-security-token" in fields:
            yield "a secret went elsewhere: %s" % fields
    yield "%.1f s instead of %.1f" % (took, row.seconds) if took > row.seconds + SLACK else None
    yield wrong_bytes(row, out.splitlines())
    yield wrong_state(row, server, out)
    yield None if meets(row.expect, out, row) else "%r instead of %r" % (out, row.expect)


def run_row(row):
    """The faults of a row, as text; "" if there are none"""
    elsewhere = fault_server.Server({"k": b"9876543210"})
    server = (service_of(row.store) or fault_server).Server(objects(), row.script, elsewhere, page=7)
    began = time.monotonic()
    try:
        run = subprocess.run([BUILD / "tests/store_do", str(row.seconds), url_of(row, server.port), *row.operation],
                             capture_output=True, env=environment(row.store), timeout=row.seconds + 4 * SLACK, check=False)
    except subprocess.TimeoutExpired:
        return "it hangs"
    finally:
        server.close()
        elsewhere.close()
    took = time.monotonic() - began
    left = [s for s in row.script if s[1] != "ignores"]
    used = [s for s in server.script if s[1] != "ignores" and s[3] < next(r[3] for r in left if r[:3] == tuple(s[:3]))]
    problems = [c for c in checks_of(row, server, elsewhere, run, took) if c]
    if left and not used:
        problems.append("the fault never happened; requests: %s" % [r[:2] for r in server.requests][:8])
    return "; ".join(problems)


def stores_of_build():
    text = subprocess.run([os.environ["ZINC"], "stores", "--json"], capture_output=True, check=True).stdout
    return {s["name"] for s in json.loads(text)["stores"] if not s["missing"]}


def main():
    lines = [l for f in sorted((SOURCE / "tests/live").glob("faults*.txt")) for l in f.read_text().splitlines()]
    rows = [Row(l) for l in lines if l.strip() and not l.startswith("#")]
    assert len({(r.store, r.name) for r in rows}) == len(rows), "two rows of one name"
    have = stores_of_build()
    wanted = [r for r in rows if r.store in have and (len(sys.argv) < 2 or {r.name, r.store} & set(sys.argv[1:]))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for row, problem in zip(wanted, pool.map(run_row, wanted)):
            failed += bool(problem)
            if problem:
                print("FAILED: %s %s: %s" % (row.store, row.name, problem))
    for store in sorted({r.store for r in rows}):
        print("%s: %d scripts%s" % (store, sum(r.store == store for r in rows),
                                    "" if store in have else ", skipped: this build does not have the store"))
    print("%d scripts run, %d failed" % (len(wanted), failed))
    if not wanted and len(sys.argv) < 2:
        sys.exit(77)
    sys.exit(failed != 0)


main()
