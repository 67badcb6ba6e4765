"""scaling.py - does the cost depend only on the number of bytes?

Three parts, each a number of series of points that differ in one property only:

    chunks   the same bytes in 10, 100, 1000, 10 000 chunks, or inner chunks of two shards; rows in a chunk are always
             long (1280 bytes) and directories hold ten files, so that only the number of chunks changes; files are
             written in memory (see place_of_many in data.py)
    rank     the same bytes in the same 64 chunks, of 1 to 6 dimensions; once with rows of 512 bytes in each chunk, once
             with nearly cubic chunks, whose rows are of 16 bytes at rank 6
    threads  one call on 1 and 2 threads; and calls for a chunk each, from 1 and 2 threads that share a handle, or
             that have one each

Bytes per second should be the same along a series of chunks, until the cost of a file exceeds that of its bytes, and
along a series of ranks.  The elements are noise of six bits, so that codecs do the same work for every shape of a
chunk. run.py measures each point as it does any other workload; report.py makes tables of them.
"""

from dataclasses import dataclass

from data import Set, Workload

KINDS = ("raw", "zstd", "shard")
CHUNKS = {10: (100, 100, 640), 100: (100, 10, 640), 1000: (10, 10, 640), 10000: (1, 10, 640)}  # of 100 x 100 x 6400
SHORT_CHUNKS = {10: (10, 100, 640), 100: (10, 10, 640)}  # of 10 x 100 x 6400
RANKS = range(1, 7)
LOG_ELEMENTS, LOG_GRID = 25, 6  # of the arrays of each rank
LOG_ROW = 8  # elements of a row in a chunk
CONTENDERS = ("zinc", "limit", "zarrs", "tensorstore", "zarrs-python")


@dataclass
class Point:
    part: str
    series: str
    x: int  # chunks, rank or threads
    threads: int
    work: Workload

    def row(self, sets):
        """Its description in results.json, without the figures"""
        return {
            "part": self.part,
            "series": self.series,
            "x": self.x,
            "name": self.work.name,
            "threads": self.threads,
            "nbytes": sets[self.work.set].nbytes,
        }


# ---- arrays ----


def chunk_sets(quick):
    rows, chunks = (10, SHORT_CHUNKS) if quick else (100, CHUNKS)
    shape, shard = (rows, 100, 6400), (rows, 100, 3200)
    for n, chunk in chunks.items():
        yield Set(f"raw-{n}", shape, chunk, "raw", "bits")
        yield Set(f"zstd-{n}", shape, chunk, "zstd", "bits")
        yield Set(f"shard-{n}", shape, shard, "zstd", "bits", inner=chunk)


def spread(total, n):
    """n numbers that add up to the total, the larger ones first"""
    return [total // n + (i < total % n) for i in range(n)]


def rank_set(codec, rank, cubic, log_elements):
    """2**log_elements elements in 2**LOG_GRID chunks; the last axis is two chunks long unless they are cubic"""
    if cubic or rank == 1:
        sides, grid = spread(log_elements, rank), spread(LOG_GRID, rank)
    else:
        sides = [*spread(log_elements - LOG_ROW - 1, rank - 1), LOG_ROW + 1]
        grid = [*spread(LOG_GRID - 1, rank - 1), 1]
    shape, chunk = tuple(2**side for side in sides), tuple(2 ** (s - g) for s, g in zip(sides, grid))
    return Set(f"rank-{codec}-{'cubic' if cubic else 'rows'}-{rank}", shape, chunk, codec, "bits")


def rank_sets(quick):
    for rank in (1, 6) if quick else RANKS:
        for codec, cubic in (("raw", False), ("raw", True), ("zstd", False)):
            yield rank_set(codec, rank, cubic, 20 if quick else LOG_ELEMENTS)


def sets(quick):
    return {s.name: s for s in (*chunk_sets(quick), *rank_sets(quick))}


# ---- points ----


def by_chunks(quick):
    for kind in KINDS:
        for n in SHORT_CHUNKS if quick else CHUNKS:
            name, where = f"{kind}-{n}", f"{kind}, {n} chunks"
            read = Workload(f"scaling, read all, {where}", "read", name, [], CONTENDERS)
            write = Workload(f"scaling, write all, {where}", "write", name, [], tuple(c for c in CONTENDERS if c != "zarrs"), to=name, many=True)
            yield Point("chunks", f"read all, {kind}", n, 2, read)
            yield Point("chunks", f"write all, {kind}", n, 2, write)


def by_rank(quick):
    """`limit` supports only three dimensions"""
    who = tuple(c for c in CONTENDERS if c != "limit")
    for s in rank_sets(quick):
        codec, form = s.name.split("-")[1:3]
        rank = len(s.shape)
        series = f"{codec}, {'near-cubic chunks' if form == 'cubic' else 'rows of 512 bytes'}"
        read = Workload(f"scaling, read all, rank {rank}, {series}", "read", s.name, [], CONTENDERS if rank == 3 else who)
        write = Workload(
            f"scaling, write all, rank {rank}, {series}", "write", s.name, [], tuple(c for c in read.contenders if c != "zarrs"), to=s.name
        )
        yield Point("rank", f"read all, {series}", rank, 2, read)
        yield Point("rank", f"write all, {series}", rank, 2, write)


def by_threads(quick):
    of = {s.name: s for s in chunk_sets(quick)}
    for kind in KINDS:
        s = of[f"{kind}-{100 if quick else 1000}"]
        chunk = "chunk=" + ",".join(map(str, s.inner or s.chunk))
        for threads in (1, 2):
            end = f"{kind}, on {threads}"
            work = {
                "one call": Workload(f"scaling, one call, {end}", "read", s.name, [], ("zinc", "limit")),
                "one handle": Workload(f"scaling, one handle, {end}", "chunks", s.name, [chunk], ("zinc",)),
                "own handles": Workload(f"scaling, own handles, {end}", "chunks", s.name, [chunk, "handles=own"], ("zinc",)),
            }
            for name, w in work.items():
                yield Point("threads", f"{name}, {kind}", threads, threads, w)


def points(quick):
    """All points, or for CI a few to show that it works"""
    every = [*by_chunks(quick), *by_rank(quick), *by_threads(quick)]
    if not quick:
        return every
    some = [p for p in every if p.part == "threads" or "read" in p.series or "raw" in p.series]
    for p in some:
        p.work.contenders = tuple(c for c in p.work.contenders if c in ("zinc", "limit"))
    return some
