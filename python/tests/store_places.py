"""Places for stores of each kind, and how to look into them without Zinc."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from zinczarr import _core

SUPPORT = Path(__file__).resolve().parents[2] / "tests" / "support"
numbers = itertools.count()


@dataclass
class Place:
    """A new, empty store."""

    url: str
    settings: dict[str, str] = field(default_factory=dict)

    def set(self, key: str, value: bytes) -> None:
        raise NotImplementedError

    def get(self, key: str) -> bytes:
        raise NotImplementedError


class Memory(Place):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"memory://place{next(numbers)}")
        self.core = _core.Store(self.url)  # values live as long as a handle

    def set(self, key: str, value: bytes) -> None:
        self.core.put(key, value)

    def get(self, key: str) -> bytes:
        value = self.core.get(key)
        assert value is not None
        return bytes(value)


class Directory(Place):
    def __init__(self, folder: Path) -> None:
        self.root = folder / f"dir{next(numbers)}"
        super().__init__(str(self.root))

    def set(self, key: str, value: bytes) -> None:
        (self.root / key).parent.mkdir(parents=True, exist_ok=True)
        (self.root / key).write_bytes(value)

    def get(self, key: str) -> bytes:
        return (self.root / key).read_bytes()


class Zip(Place):
    def __init__(self, folder: Path) -> None:
        self.path = folder / f"archive{next(numbers)}.zip"
        super().__init__(str(self.path))

    def set(self, key: str, value: bytes) -> None:
        with zipfile.ZipFile(self.path, "a") as archive:
            archive.writestr(key, value)

    def get(self, key: str) -> bytes:
        with zipfile.ZipFile(self.path) as archive:
            assert archive.testzip() is None
            return archive.read(key)


class Sqlite(Place):
    """Looked at by another process: SQLite's locks do not work between two copies of the library in one process, and the
    wheel has its own."""

    CODE = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
if sys.argv[2] == "set":
    with base:
        base.execute("CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)")
        base.execute("REPLACE INTO zarr VALUES (?, ?)", (sys.argv[3], sys.stdin.buffer.read()))
else:
    sys.stdout.buffer.write(base.execute("SELECT v FROM zarr WHERE k = ?", (sys.argv[3],)).fetchone()[0])
base.close()
"""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"base{next(numbers)}.sqlite"
        super().__init__(f"sqlite://{self.path}")

    def _run(self, how: str, key: str, value: bytes = b"") -> bytes:
        command = [sys.executable, "-c", self.CODE, str(self.path), how, key]
        return subprocess.run(command, input=value, stdout=subprocess.PIPE, check=True).stdout

    def set(self, key: str, value: bytes) -> None:
        self._run("set", key, value)

    def get(self, key: str) -> bytes:
        return self._run("get", key)


class S3(Place):
    """A bucket of the server of the tests that needs no signature."""

    server = ""

    def __init__(self, folder: Path, bucket: str = "public") -> None:
        self.bucket = f"{bucket}-{os.getpid()}-{next(numbers)}"
        super().__init__(
            f"s3://{self.bucket}/x.zarr",
            {"s3.endpoint": self.server, "s3.anonymous": "yes", "s3.region": "us-east-1", "s3.retries": "1"},
        )

    def _request(self, key: str, method: str, value: bytes | None = None) -> bytes:
        url = f"{self.server}/{self.bucket}/x.zarr/{urllib.parse.quote(key)}"
        with urllib.request.urlopen(urllib.request.Request(url, value, method=method)) as answer:
            return bytes(answer.read())

    def set(self, key: str, value: bytes) -> None:
        self._request(key, "PUT", value)

    def get(self, key: str) -> bytes:
        return self._request(key, "GET")


@contextmanager
def server(script: str, *arguments: str) -> Iterator[str]:
    """A server of tests/support; gives its address."""
    command = [sys.executable, str(SUPPORT / script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.communicate("")


PLACES = {"memory": Memory, "directory": Directory, "zip": Zip, "sqlite": Sqlite, "s3": S3}
