#!/usr/bin/env python3
"""store_peers.py WHO read|write|make ENDPOINT PATH OPEN - one contender of stores.py: an array in the bucket "zinc"

Prints {"ms", "cpu_ms", "rss_kb"} of one call that reads or writes all elements, array open; the elements are compared
with DATA (a .npy file, in the environment).  SERVICE, there, too, is s3, gs or az.  OPEN is how many requests it may keep open at once; 0: its own default.
Credentials are in the environment.
"""

import json
import os
import resource
import sys
import time

import numpy


def zarr_store(who, endpoint, path):
    import zarr

    if who == "gcsfs":
        return zarr.storage.FsspecStore.from_url(f"gs://zinc/{path}", storage_options={"endpoint_url": endpoint, "token": "anon", "project": "zinc"})
    account, key = os.environ["AZURE_STORAGE_ACCOUNT_NAME"], os.environ["AZURE_STORAGE_ACCOUNT_KEY"]
    if who == "adlfs":
        options = {"connection_string": f"AccountName={account};AccountKey={key};BlobEndpoint={endpoint}", "asynchronous": True}
        return zarr.storage.FsspecStore.from_url(f"abfs://zinc/{path}", storage_options=options)
    import obstore.store

    if os.environ.get("SERVICE") == "az":
        az = obstore.store.AzureStore("zinc", prefix=path, account_name=account, account_key=key, endpoint=endpoint, client_options={"allow_http": True})
        return zarr.storage.ObjectStore(az)
    if os.environ.get("SERVICE") == "gs":
        key = json.dumps({"gcs_base_url": endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""})
        return zarr.storage.ObjectStore(obstore.store.GCSStore("zinc", prefix=path, service_account_key=key, client_options={"allow_http": True}))
    s3 = obstore.store.S3Store("zinc", prefix=path, endpoint=endpoint, region="us-east-1", virtual_hosted_style_request=False, client_options={"allow_http": True})
    return zarr.storage.ObjectStore(s3)


def zarr_array(who, endpoint, path, many, pipeline):
    import zarr

    config = {"async.concurrency": many} if many else {}
    if pipeline:
        config["codec_pipeline.path"] = "zarrs.ZarrsCodecPipeline"
        if many:
            config["threading.max_workers"] = many
    zarr.config.set(config)
    return zarr.open_array(zarr_store(who, endpoint, path), mode="r+")


def tensorstore_array(endpoint, path, many):
    import tensorstore

    context = {"cache_pool": {"total_bytes_limit": 0}}
    google = os.environ.get("SERVICE") == "gs"
    if many:
        context["gcs_request_concurrency" if google else "s3_request_concurrency"] = {"limit": many}
    kvstore = {"driver": "s3", "bucket": "zinc", "path": path + "/", "endpoint": endpoint, "aws_region": "us-east-1", "aws_credentials": {"type": "environment"}}
    if google:
        kvstore = {"driver": "gcs", "bucket": "zinc", "path": path + "/"}
    return tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "context": context}).result()


def make(who, endpoint, path):
    import zarr

    values = numpy.load(os.environ["DATA"])
    a = zarr.create_array(zarr_store(who, endpoint, path), shape=values.shape, dtype=values.dtype, chunks=(1, values.shape[1]), compressors=None, fill_value=0, overwrite=True)
    if not path.endswith("-to"):
        a[...] = values


def main():
    who, operation, endpoint, path, many = sys.argv[1:]
    os.environ["TENSORSTORE_GCS_HTTP_URL"] = os.environ["STORAGE_EMULATOR_HOST"] = endpoint
    if operation in ("make", "check"):
        if operation == "make":
            return make(who, endpoint, path)
        a = zarr_array(who, endpoint, path, 0, False)
        wrong = (a[...] != numpy.load(os.environ["DATA"])).any(axis=1).nonzero()[0]
        return sys.exit(f"wrong objects: {wrong.tolist()[:20]}" if len(wrong) else None)
    values = numpy.load(os.environ["DATA"])
    if who == "tensorstore":
        a = tensorstore_array(endpoint, path, int(many))
        read, write = lambda: a.read().result(), lambda: a.write(values).result()
    else:
        a = zarr_array(who, endpoint, path, int(many), who == "zarrs")
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
