"""azure_exchange.py ZINC CONTAINER - arrays in Azure Blob Storage, exchanged with zarr-python through obstore and adlfs, both ways

The account is that of AZURE_STORAGE_CONNECTION_STRING, as "AccountName=...;AccountKey=...;BlobEndpoint=...".  Needs zarr 3,
obstore, adlfs and azure-storage-blob (scripts/stores/az.sh makes an environment for it).  Also: a SAS of Microsoft's
library, anonymous access, and values in blocks.
"""

import datetime
import os
import subprocess
import sys
import warnings

import numpy
import obstore.store
import zarr
from azure.storage.blob import BlobServiceClient, ContainerSasPermissions, PublicAccess, generate_container_sas
from zarr.storage import FsspecStore, ObjectStore

warnings.simplefilter("ignore")
zinc, container = sys.argv[1:]
connection = dict(part.split("=", 1) for part in os.environ["AZURE_STORAGE_CONNECTION_STRING"].split(";") if part)
account, key, endpoint = (connection[n] for n in ("AccountName", "AccountKey", "BlobEndpoint"))
client = BlobServiceClient(endpoint, credential=key, api_version="2023-11-03")
failed = 0


def run(*args, data=None, env=None):
    done = subprocess.run([zinc, *map(str, args)], input=data, capture_output=True, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        sys.exit(f"azure: zinc {' '.join(map(str, args))}: {done.stderr.decode()}")
    return done.stdout


def check(what, good):
    global failed
    failed += not good
    print(f"{'ok' if good else 'FAILED'} {what}")


def values(dtype):
    return (numpy.arange(60 * 70).reshape(60, 70) * 37 % 251).astype(dtype)


def by_obstore(path):
    return ObjectStore(obstore.store.AzureStore(container, prefix=path, account_name=account, account_key=key,
                                                endpoint=endpoint, client_options={"allow_http": True}))


def by_adlfs(path):
    return FsspecStore.from_url(f"abfs://{container}/{path}", storage_options={
        "connection_string": os.environ["AZURE_STORAGE_CONNECTION_STRING"], "asynchronous": True})


def exchange(name, make, version):
    path = f"{name}-v{version}.zarr"
    url = f"az://{container}/{path}"
    root = zarr.create_group(make(path), zarr_format=version, overwrite=True)
    for dtype in ("i4", "f8", "u1"):
        root.create_array(f"theirs/{dtype}", data=values(dtype), chunks=(16, 32))
    for dtype in ("i4", "f8", "u1"):
        check(f"{name} v{version}: Zinc reads {dtype}", run("cat", f"{url}/theirs/{dtype}", "--as", "raw") == values(dtype).tobytes())
    run("attrs", f"{url}/theirs/i4", 'by="zinc"')
    for dtype, zinc_dtype in (("i4", "int32"), ("f8", "float64"), ("u1", "uint8")):
        run("create", f"{url}/ours/{dtype}", "--shape", "60,70", "--chunks", "16,32", "--dtype", zinc_dtype)
        run("put", f"{url}/ours/{dtype}", "--from", "-", data=values(dtype).tobytes())
    root = zarr.open_group(make(path), mode="r", zarr_format=version)
    check(f"{name} v{version}: reads an attribute of Zinc", root["theirs/i4"].attrs["by"] == "zinc")
    for dtype in ("i4", "f8", "u1"):
        check(f"{name} v{version}: reads {dtype} of Zinc", (root[f"ours/{dtype}"][:] == values(dtype)).all())
    names = sorted(name for name, _ in root.members(max_depth=None))
    check(f"{name} v{version}: lists the nodes of both", len(names) == 8)
    listed = run("tree", url).decode()
    check(f"{name} v{version}: Zinc lists the nodes of both", all(listed.count(d) == 2 for d in ("i4", "f8", "u1")))


def by_sas():
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    sas = generate_container_sas(account, container, account_key=key, expiry=end,
                                 permission=ContainerSasPermissions(read=True, list=True))
    env = {"AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGE_SAS_TOKEN": sas, "ZINC_AZ_ENDPOINT": endpoint}
    url = f"az://{container}/obstore-v3.zarr"
    check("a SAS of Microsoft's library reads", run("cat", f"{url}/theirs/i4", "--as", "raw", env=env) == values("i4").tobytes())
    check("and lists", b"theirs" in run("tree", url, env=env))
    done = subprocess.run([zinc, "attrs", f"{url}/theirs/i4", "x=1"], capture_output=True, env={**os.environ, **env})
    check("and does not write", done.returncode != 0 and b"sig=" not in done.stderr)


def by_anyone():
    try:
        client.create_container("public", public_access=PublicAccess.CONTAINER)
    except Exception as error:  # it is there
        print(type(error).__name__)
    run("cp", f"az://{container}/obstore-v3.zarr", "az://public/x.zarr")
    env = {"AZURE_STORAGE_CONNECTION_STRING": "", "ZINC_AZ_ENDPOINT": endpoint}
    raw = run("cat", "az://public/x.zarr/theirs/f8?anonymous=1", "--as", "raw", env=env)
    check("a public container is read by anyone", raw == values("f8").tobytes())


def in_blocks():
    big = numpy.random.default_rng(14).integers(0, 255, (3000, 3000), dtype="u1")
    url = f"az://{container}/blocks.zarr"
    run("create", url, "--shape", "3000,3000", "--chunks", "3000,3000", "--dtype", "uint8", "--codecs", "none")
    run("put", f"{url}?block_size=1", "--from", "-", data=big.tobytes())
    there = client.get_blob_client(container, "blocks.zarr/c/0/0")
    check("a large chunk is a list of blocks", len(there.get_block_list()[0]) == 9)
    check("that zarr-python reads", (zarr.open_array(by_obstore("blocks.zarr"), mode="r")[:] == big).all())


for version in (2, 3):
    exchange("obstore", by_obstore, version)
    exchange("adlfs", by_adlfs, version)
by_sas()
by_anyone()
in_blocks()
print(f"{failed} failed")
sys.exit(failed != 0)
