"""zarr-python's own tests of stores (zarr.testing), on ZincStore over each kind of store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("zarr", "3.4")

import hypothesis
import hypothesis.strategies as st
import zarr
from hypothesis import assume
from hypothesis.stateful import rule, run_state_machine_as_test
from store_places import PLACES, S3, Directory, Memory, Place, Sqlite, Zip, server
from zarr.core.buffer import Buffer, cpu
from zarr.testing.stateful import MAX_BINARY_SIZE, ZarrHierarchyStateMachine, ZarrStoreStateMachine
from zarr.testing.store import StoreTests
from zarr.testing.strategies import keys as zarr_keys

from zinczarr.zarr_store import ZincStore

LONG = bool(os.environ.get("ZINC_LONG"))


@pytest.fixture(scope="module", autouse=True)
def s3_server() -> Iterator[None]:
    with server("s3_server.py") as address:
        S3.server = address
        yield


# ---- StoreTests ----


class Suite(StoreTests[ZincStore, cpu.Buffer]):
    store_cls = ZincStore
    buffer_cls = cpu.Buffer
    kind: type[Place]

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return self.kind(tmp_path)

    @pytest.fixture
    def store_kwargs(self, place: Place) -> dict[str, Any]:
        self.at = place
        return {"url": place.url, "settings": place.settings}

    async def set(self, store: ZincStore, key: str, value: Buffer) -> None:
        self.at.set(key, value.to_bytes())

    async def get(self, store: ZincStore, key: str) -> Buffer:
        return self.buffer_cls.from_bytes(self.at.get(key))

    def test_store_repr(self, store: ZincStore) -> None:
        assert repr(store) == f"ZincStore('{store}')"
        assert str(store) == (self.at.url if "://" in self.at.url else f"file://{self.at.url}")

    def test_store_supports_writes(self, store: ZincStore) -> None:
        assert store.supports_writes

    def test_store_supports_listing(self, store: ZincStore) -> None:
        assert store.supports_listing


class TestMemory(Suite):
    kind = Memory


class TestDirectory(Suite):
    kind = Directory


class TestSqlite(Suite):
    kind = Sqlite


class TestS3(Suite):
    kind = S3


class TestZip(Suite):
    """Nothing is erased from an archive: a key that exists is refused, as by zarr's ZipStore."""

    kind = Zip

    async def test_clear(self, store: ZincStore) -> None:
        await store.clear()
        await store.set("key", self.buffer_cls.from_bytes(b"x"))
        with pytest.raises(NotImplementedError):
            await store.clear()
        assert self.at.get("key") == b"x"

    async def test_with_read_only_store(self, open_kwargs: dict[str, Any]) -> None:
        store = await ZincStore.open(**{**open_kwargs, "read_only": True})
        with pytest.raises(ValueError, match="read-only"):
            await store.set("foo", self.buffer_cls.from_bytes(b"bar"))
        writer = store.with_read_only(read_only=False)
        await writer.set("foo", self.buffer_cls.from_bytes(b"bar"))
        with pytest.raises(NotImplementedError):
            await writer.delete("foo")
        await writer.delete("bar")
        with pytest.raises(ValueError, match="read-only"):
            await store.delete("foo")

    def test_store_supports_deletes(self, store: ZincStore) -> None:
        assert not store.supports_deletes


# ---- state machines ----


class ClearedZip(ZincStore):
    """For the state machines, which begin with an empty store."""

    async def clear(self) -> None:
        self.close()
        Path(self.url).unlink(missing_ok=True)


def alone(key: str, others: Iterable[str]) -> bool:
    """Is it neither above nor below another key?"""
    return not any(k.startswith(f"{key}/") or key.startswith(f"{k}/") for k in others)


class DirectoryMachine(ZarrStoreStateMachine):
    """A directory cannot have both "a" and "a/b", nor long names: such keys are not set here."""

    @rule(key=zarr_keys(), data=st.binary(max_size=MAX_BINARY_SIZE))
    def set(self, key: str, data: bytes) -> None:
        assume(alone(key, self.model) and all(len(part) <= 248 for part in key.split("/")))
        super().set(key, data)


class ArchiveHierarchyMachine(ZarrHierarchyStateMachine):
    """Nothing is erased from an archive."""

    delete_chunk = resize_array = delete_dir = delete_array_using_del = delete_group_using_del = None  # type: ignore[assignment]


STORE_MACHINES = {"directory": DirectoryMachine}
HIERARCHY_MACHINES = {"zip": ArchiveHierarchyMachine}


@pytest.fixture(params=PLACES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[ZincStore]:
    place = PLACES[kind](tmp_path)
    with (ClearedZip if kind == "zip" else ZincStore)(place.url, settings=place.settings) as store:
        yield store


def run(machine: Callable[[], Any]) -> None:
    settings = hypothesis.settings(
        max_examples=100 if LONG else 8,
        stateful_step_count=50 if LONG else 15,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    run_state_machine_as_test(machine, settings=settings)


def test_store_machine(kind: str, store: ZincStore) -> None:
    run(lambda: STORE_MACHINES.get(kind, ZarrStoreStateMachine)(store))


@pytest.mark.filterwarnings("ignore::zarr.core.dtype.common.UnstableSpecificationWarning")
def test_hierarchy_machine(kind: str, store: ZincStore) -> None:
    with zarr.config.set({"array.rectilinear_chunks": True, "array.write_empty_chunks": kind == "zip"}):
        run(lambda: HIERARCHY_MACHINES.get(kind, ZarrHierarchyStateMachine)(store))
