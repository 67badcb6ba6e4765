"""What scripts/python_bare.sh runs where only the wheel, NumPy and a system without our libraries are.

It says what works, one line each, and ends with "N passed, N failed".
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Callable

import numpy as np

import zinczarr

DATA = np.arange(600, dtype="<i4").reshape(20, 30)
NUMCODECS = ("zlib", "bz2", "lzma", "lz4")
# Mapped files that are not of the wheel, of NumPy or of Python: what every manylinux system has
SYSTEM = ("ld-linux", "libc.", "libm.", "libpthread.", "libdl.", "librt.", "libutil.", "libresolv.", "libnss_", "libstdc++.",
          "libgcc_s.", "libz.")


def round_trip(url: str, **more: object) -> None:
    settings = more.pop("settings", None)
    array = zinczarr.create_array(url, shape=DATA.shape, dtype=DATA.dtype, chunks=(7, 30), settings=settings, **more)
    array[:] = DATA
    again = zinczarr.open_array(url, mode="r", settings=settings)
    np.testing.assert_array_equal(again[:], DATA)


def codecs(folder: str) -> None:
    rows = {"gzip": {"level": 5}, "zstd": {"level": 3, "checksum": False}}
    rows |= {f"numcodecs.{name}": {} for name in NUMCODECS}
    for cname in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"):
        rows[f"blosc {cname}"] = {"cname": cname, "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}
    for number, (name, configuration) in enumerate(rows.items()):
        chain = [{"name": "bytes", "configuration": {"endian": "little"}}]
        chain.append({"name": name.split()[0], "configuration": configuration})
        round_trip(f"{folder}/codec{number}", codecs=chain)


def stores(folder: str) -> None:
    for url in ("a.zarr/t", "b.zip/t", "c.sqlite/t", "d.lmdb/t", "e.leveldb/t"):
        round_trip(f"{folder}/{url}")


def read_web() -> None:
    np.testing.assert_array_equal(zinczarr.open_array(os.environ["WEB"] + "/plain/t", mode="r")[:], DATA)


def s3() -> None:
    settings = {"s3.endpoint": os.environ["S3"], "s3.region": "us-east-1", "s3.access_key_id": "AKIDEXAMPLE",
                "s3.secret_access_key": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
    round_trip(f"s3://plain-bare-{os.getpid()}/t", settings=settings)


def untrusted() -> None:
    """Without a certificate file nothing is trusted."""
    try:
        read_web()
    except zinczarr.ZincError as error:
        assert "certificate" in str(error).lower() or "ca " in str(error).lower(), error
    else:
        raise AssertionError("a server was trusted without certificates")


def modules_load(folder: str) -> None:
    """Modules whose servers are not here fail at the connection, not at loading."""
    for url in ("redis://127.0.0.1:9/0/t", "postgresql://127.0.0.1:9/x?zarr=t", "gs://b/t", "az://c/t"):
        try:
            zinczarr.open(url, mode="r", settings={f"{url.split(':')[0]}.retries": "0"} if "//127" not in url else None)
        except zinczarr.ZincError as error:
            assert "module" not in str(error), error
        except (OSError, ValueError) as error:
            assert "module" not in str(error), error


def mapped() -> None:
    with open("/proc/self/maps") as maps:
        files = {line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line}
    ours = {name for name in files if name.startswith("/site/")}
    foreign = {name for name in files - ours if not name.startswith(sys.base_prefix)}
    wrong = {name for name in foreign if not os.path.basename(name).startswith(SYSTEM)}
    assert not wrong, f"libraries of the system are used: {sorted(wrong)}"
    loaded = {os.path.basename(name) for name in ours}
    for part in ("_core.abi3.so", "libzinczarr.so.0", "store_http.so", "store_s3.so", "store_sqlite.so"):
        assert part in loaded, f"{part} is not loaded"
    for part in ("libcurl-", "libcrypto-", "libsqlite3-", "libzstd-", "libblosc-"):
        assert any(name.startswith(part) for name in loaded), f"{part} is not the wheel's"


def check(steps: dict[str, Callable[[], None]]) -> int:
    failed = 0
    for name, step in steps.items():
        try:
            step()
            print(f"bare: {name}: ok")
        except Exception:
            failed += 1
            print(f"bare: {name}: FAILED")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(steps) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    if sys.argv[1:2] == ["--make"]:
        round_trip(sys.argv[2])
        return 0
    if "UNTRUSTED" in os.environ:
        return check({"nothing is trusted without certificates": untrusted})
    with tempfile.TemporaryDirectory() as folder:
        return check({
            "every codec library": lambda: codecs(folder),
            "files, zip, SQLite, LMDB, LevelDB": lambda: stores(folder),
            f"HTTPS with {os.environ.get('SSL_CERT_FILE', 'no file')}": read_web,
            "S3 with TLS": s3,
            "the other modules load": lambda: modules_load(folder),
            "no library of the system is used": mapped,
        })


if __name__ == "__main__":
    sys.exit(main())
