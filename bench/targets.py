"""targets.py - the targets of Zinc

For each workload: at most 1.1 times the limit's time, and a minimum ratio of the best peer's time to Zinc's.  If a peer
is itself near the limit, no large ratio is possible: where 1.1 times the limit's time would not reach the ratio either,
it is "out of reach".
"""

MOST = 1.1
WANTED = {
    "read all, raw, noise": 1.2,
    "read all, zstd, noise": 0.95,
    "read all, shard, noise": 1.1,
    "read all, gzip": 1.45,
    "read all, blosc": 1.2,
    "read all, edge": 1.2,
    "read all, zstd, smooth": 1.5,
    "read all, shard, smooth": 1.5,
    "read all, raw, smooth": 1.5,
    "read all, tiny": 5,
    "inner chunks, shard": 1.5,
    "first plane, zstd": 20,
    "box, zstd": 1.5,
    "box, raw": 4,
    "box, shard": 2,
    "box, blosc": 2,
    "write all, raw": 1.3,
    "write all, zstd": 1.0,
    "write all, shard": 1.0,
    "round trip, raw": 1.3,
    "round trip, zstd": 1.0,
    "round trip, shard": 1.0,
    "durable write, zstd": 1.0,
    "parts of shards": 3,
    "walk": 5,
}
