"""workloads.py - the operations on the data sets: reads of all and of parts, writes, walks"""

import data
from data import FILES, READERS, Workload


def slices(n):
    """Name and selection of each slice; the box is in eight chunks of n/2"""
    side = 100 * n // 512
    a, b = n // 2 - side // 2, n // 2 + side // 2
    third = n // 3
    some = "[" + ",".join(str(i * 7 % n) for i in range(0, n, 8)) + "]"
    return {
        "first plane": "0:1,:,:",
        "plane of axis 0": f"{third}:{third + 1},:,:",
        "plane of axis 1": f":,{third}:{third + 1},:",
        "plane of axis 2": f":,:,{third}:{third + 1}",
        "row": f"{third}:{third + 1},{third}:{third + 1},:",
        "box": f"{a}:{b},{a}:{b},{a}:{b}",
        "every second": "::2,::2,::2",
        "index lists": f"{some},{some},:",
    }


def workloads(n):
    half, eighth = ",".join([str(n // 2)] * 3), ",".join([str(n // 8)] * 3)
    all_of_them = (*READERS, *FILES)
    no_limit = tuple(c for c in READERS if c not in ("limit", "zarrs"))
    no_zarrs = tuple(c for c in READERS if c != "zarrs")
    out = []
    for kind in ("raw", "zstd", "shard"):
        for entropy in data.ENTROPIES:
            out.append(Workload(f"read all, {kind}, {entropy}", "read", f"{kind}-{entropy}", [], all_of_them, threads=(1, 2) if entropy == "noise" else (2,), cold=entropy == "noise"))
        who = tuple(c for c in all_of_them if c != "limit") if kind == "shard" else all_of_them
        out.append(Workload(f"chunk by chunk, {kind}", "chunks", f"{kind}-noise", [f"chunk={half}"], who))
    out.append(Workload("inner chunks, shard", "chunks", "shard-noise", [f"chunk={eighth}"]))
    for kind in ("gzip", "blosc", "edge", "float", "tiny"):
        out.append(Workload(f"read all, {kind}", "read", kind, [], all_of_them, threads=(2,) if kind in ("float", "tiny") else (1, 2)))
    for kind in ("raw-noise", "zstd-noise", "gzip", "blosc", "shard-noise"):
        for name, sel in slices(n).items():
            who = no_limit if "::" in sel or "[" in sel else (*no_zarrs, *FILES)
            out.append(Workload(f"{name}, {kind.split('-')[0]}", "read", kind, [f"sel={sel}"], who))
        out.append(Workload(f"1000 points, {kind.split('-')[0]}", "points", kind, ["count=1000"], no_limit))
    for kind in ("zstd", "blosc"):
        v2 = (*READERS, "gdal", "nczarr")
        out.append(Workload(f"read all, v2 {kind}", "read", f"v2-{kind}", [], v2, (1, 2)))
        out.append(Workload(f"box, v2 {kind}", "read", f"v2-{kind}", [f"sel={slices(n)['box']}"], (*no_zarrs, "gdal", "nczarr")))
    out.append(Workload("C to F order", "read", "zstd-noise", ["order=F"], no_limit))
    out.append(Workload("F to C order", "read", "transposed", [], no_limit))
    out.append(Workload("uint16 as float32", "read", "zstd-noise", ["as=float32"], no_limit))
    for kind in ("raw", "zstd", "shard"):
        out.append(Workload(f"write all, {kind}", "write", f"{kind}-noise", [], (*no_zarrs, *FILES), to=f"{kind}-noise"))
        out.append(Workload(f"round trip, {kind}", "roundtrip", f"{kind}-noise", [], tuple(c for c in all_of_them if c != "limit"), to=f"{kind}-noise"))
    out.append(Workload("durable write, zstd", "write", "zstd-noise", ["durable=1"], ("zinc", "tensorstore"), to="zstd-noise"))
    out.append(Workload("parts of shards", "poke", "shard-noise", ["count=16"], (*no_zarrs, *FILES), to="+shard-noise"))
    out.append(Workload("append planes", "append", "planes", ["count=32"], (*no_limit, *FILES), to="+planes"))
    out.append(Workload("rechunk planes to columns", "roundtrip", "planes", [], no_limit, to="columns", many=True))
    out.append(Workload("walk", "walk", "tree", [], ("zinc", "zarr-python")))
    return out
