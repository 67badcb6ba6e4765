"""databases.py ZINC DIR - arrays of Zarr v2 in databases, exchanged with zarr-python 2.18 in both directions

SQLite, LMDB and Berkeley DB by its own stores; LevelDB by plyvel; Kyoto Cabinet and Tokyo Cabinet by their own commands.

Needs zarr 2.18 and lmdb (scripts/interop.sh makes an environment for it); of the others, what is there is used.
"""

import importlib.util
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import zarr

warnings.simplefilter("ignore")
zinc, here = sys.argv[1], Path(sys.argv[2])
failed = 0


def run(*args, data=None):
    done = subprocess.run([zinc, *map(str, args)], input=data, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"databases: zinc {' '.join(map(str, args))}: {done.stderr.decode()}")
    return done.stdout


def check(what, good):
    global failed
    failed += not good
    print(f"{'ok' if good else 'FAILED'} {what}")


def values(dtype):
    return (numpy.arange(60 * 70).reshape(60, 70) * 37 % 251).astype(dtype)


class Level(dict):
    """A LevelDB database by plyvel"""

    def __init__(self, path):
        import plyvel
        self.db = plyvel.DB(str(path), create_if_missing=True)

    def __getitem__(self, key):
        value = self.db.get(key.encode())
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key, value):
        self.db.put(key.encode(), bytes(value))

    def __delitem__(self, key):
        self.db.delete(key.encode())

    def __contains__(self, key):
        return self.db.get(key.encode()) is not None

    def keys(self):
        return [key.decode() for key in self.db.iterator(include_value=False)]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def close(self):
        self.db.close()


class Command(Level):
    """A database by the command of its library: kctreemgr, kchashmgr, tcbmgr, tchmgr"""

    def __init__(self, command, path):
        self.command, self.path = command, str(path)
        self.words = {"kc": ("set", "remove"), "tc": ("put", "out")}[command[:2]]
        if not Path(path).exists():
            self.call("create", self.path)

    def call(self, *args):
        return subprocess.run([self.command, *args], capture_output=True, text=True)

    def __getitem__(self, key):
        done = self.call("get", "-sx", "-px", self.path, key.encode().hex())
        if done.returncode != 0:
            raise KeyError(key)
        return bytes.fromhex(done.stdout.replace(" ", "").strip())

    def __contains__(self, key):
        return self.call("get", "-sx", "-px", self.path, key.encode().hex()).returncode == 0

    def __setitem__(self, key, value):
        done = self.call(self.words[0], "-sx", self.path, key.encode().hex(), bytes(value).hex())
        if done.returncode != 0:
            sys.exit(f"databases: {self.command}: {done.stderr}")

    def __delitem__(self, key):
        self.call(self.words[1], "-sx", self.path, key.encode().hex())

    def keys(self):
        return self.call("list", self.path).stdout.split("\n")[:-1]

    def close(self):
        pass


# name, how zarr-python opens it, its path and the URL of it
STORES = [
    ("sqlite", lambda path: zarr.SQLiteStore(str(path)), "x.sqlite", "sqlite://"),
    ("lmdb", lambda path: zarr.LMDBStore(str(path)), "x.lmdb", "lmdb://"),
    ("lmdb in a file", lambda path: zarr.LMDBStore(str(path), subdir=False), "y.lmdb", "lmdb://"),
]


def has(store):
    """Does this build of Zinc have the store?"""
    return f'"name":"{store}"' in (text := run("stores", "--json").decode().replace(" ", "")) and \
        '"missing":null' in text.split(f'"name":"{store}"')[1].split("}")[0]


def add(name, store, wants, make, path):
    if not wants or not has(store):
        print(f"skipped {name}: {'this build does not have it' if wants else 'its peer is not installed'}")
    else:
        STORES.append((name, make, path, f"{store}://"))


def berkeley(path):
    import berkeleydb
    return zarr.DBMStore(str(path), open=berkeleydb.btopen)


def module(name):
    return importlib.util.find_spec(name) is not None


add("berkeleydb", "berkeleydb", module("berkeleydb"), berkeley, "x.bdb")
add("leveldb", "leveldb", module("plyvel"), lambda path: zarr.storage.KVStore(Level(path)), "x.leveldb")
for command, store, path in (("kctreemgr", "kyotocabinet", "x.kct"), ("kchashmgr", "kyotocabinet", "x.kch"),
                             ("tcbmgr", "tokyocabinet", "x.tcb"), ("tchmgr", "tokyocabinet", "x.tch")):
    add(command, store, shutil.which(command),
        lambda path, command=command: zarr.storage.KVStore(Command(command, path)), path)


def close(store):
    getattr(store, "_mutable_mapping", store).close()


def theirs(name, make, path, url):
    """zarr-python writes, Zinc reads and changes, zarr-python reads again"""
    store = make(path)
    root = zarr.group(store=store, overwrite=True)
    for dtype in ("i4", "f8", "u1"):
        root.create_dataset(f"g/{dtype}", data=values(dtype), chunks=(16, 32))
    close(store)
    for dtype in ("i4", "f8", "u1"):
        raw = run("cat", f"{url}/g/{dtype}", "--as", "raw")
        check(f"{name}: Zinc reads {dtype} of zarr-python", raw == values(dtype).tobytes())
    run("attrs", f"{url}/g/i4", 'by="zinc"')
    store = make(path)
    check(f"{name}: zarr-python reads an attribute of Zinc", zarr.open_group(store, mode="r")["g/i4"].attrs["by"] == "zinc")
    close(store)


def ours(name, make, path, url):
    """Zinc copies an array into the database, zarr-python reads it, Zinc copies it out"""
    source = here / "source.zarr"
    if not source.exists():
        zarr.save_array(zarr.DirectoryStore(str(source)), values("i2"), chunks=(10, 70))
    run("cp", source, f"{url}/copy")
    store = make(path)
    got = zarr.open_group(store, mode="a")["copy"]
    check(f"{name}: zarr-python reads an array of Zinc", (got[:] == values("i2")).all())
    got[5:7, 3] = 99
    close(store)
    back = here / f"back-{path.name}.zarr"
    run("cp", f"{url}/copy", back)
    want = values("i2")
    want[5:7, 3] = 99
    check(f"{name}: and Zinc what zarr-python has changed", (zarr.open_array(str(back), mode="r")[:] == want).all())


for name, make, path, scheme in STORES:
    path = here / path
    theirs(name, make, path, f"{scheme}{path}")
    ours(name, make, path, f"{scheme}{path}")
print(f"databases: {failed} failed, zarr {zarr.__version__}")
sys.exit(failed > 0)
