#!/usr/bin/env python3
"""store_peers.py WHO read|write|make ENDPOINT PATH OPEN - one contender of stores.py: an array in the bucket "zinc"

Prints {"ms", "cpu_ms", "rss_kb"} of one call that reads or writes all elements, array open; the elements are compared
with DATA (a .npy file, in the environment).  OPEN is how many requests it may keep open at once; 0: its own default.
Credentials are in the environment.
"""

import json
import os
import resource
import sys
import time

import numpy


def obstore_array(endpoint, path, many, pipeline):
    import obstore.store
    import zarr

    config = {"async.concurrency": many} if many else {}
    if pipeline:
        config["codec_pipeline.path"] = "zarrs.ZarrsCodecPipeline"
        if many:
            config["threading.max_workers"] = many
    zarr.config.set(config)
    s3 = obstore.store.S3Store("zinc", prefix=path, endpoint=endpoint, region="us-east-1", virtual_hosted_style_request=False, client_options={"allow_http": True})
    return zarr.open_array(zarr.storage.ObjectStore(s3), mode="r+")


def tensorstore_array(endpoint, path, many):
    import tensorstore

    context = {"cache_pool": {"total_bytes_limit": 0}}
    if many:
        context["s3_request_concurrency"] = {"limit": many}
    kvstore = {"driver": "s3", "bucket": "zinc", "path": path + "/", "endpoint": endpoint, "aws_region": "us-east-1", "aws_credentials": {"type": "environment"}}
    return tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "context": context}).result()


def make(endpoint, path):
    import obstore.store
    import zarr

    s3 = obstore.store.S3Store("zinc", prefix=path, endpoint=endpoint, region="us-east-1", virtual_hosted_style_request=False, client_options={"allow_http": True})
    values = numpy.load(os.environ["DATA"])
    a = zarr.create_array(zarr.storage.ObjectStore(s3), shape=values.shape, dtype=values.dtype, chunks=(1, values.shape[1]), compressors=None, fill_value=0, overwrite=True)
    if not path.endswith("-to"):
        a[...] = values


def main():
    who, operation, endpoint, path, many = sys.argv[1:]
    if operation in ("make", "check"):
        if operation == "make":
            return make(endpoint, path)
        a = obstore_array(endpoint, path, 0, False)
        wrong = (a[...] != numpy.load(os.environ["DATA"])).any(axis=1).nonzero()[0]
        return sys.exit(f"wrong objects: {wrong.tolist()[:20]}" if len(wrong) else None)
    values = numpy.load(os.environ["DATA"])
    if who == "tensorstore":
        a = tensorstore_array(endpoint, path, int(many))
        read, write = lambda: a.read().result(), lambda: a.write(values).result()
    else:
        a = obstore_array(endpoint, path, int(many), who == "zarrs")
        read, write = lambda: a[...], lambda: a.__setitem__(Ellipsis, values)
    before, began = time.process_time(), time.perf_counter()
    got = read() if operation == "read" else write()
    ms, cpu = (time.perf_counter() - began) * 1e3, (time.process_time() - before) * 1e3
    if operation == "read" and not numpy.array_equal(got, values):
        sys.exit("it read other elements")
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"ms": ms, "cpu_ms": cpu, "rss_kb": rss}))
    return None


main()
