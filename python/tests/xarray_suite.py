"""xarray's own tests of reading Zarr, with the engine `zinc` instead of `zarr`.  scripts/python_xarray.sh runs this.

Everything that the tests write is written by zarr-python.  Everything that they open by a path is opened by Zinc, also where a
test says `engine="zarr"` or calls `open_zarr`; what Zinc cannot open (stores in memory of zarr-python) is not in these
classes, nor are grids of chunks of different sizes, which libzinc refuses.  Tests of writing open what they wrote, so they are
here too.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
import xarray.tests.test_backends as suite
from xarray.backends.zarr import ZarrBackendEntrypoint
from zarr.storage import LocalStore

from zinczarr.xarray_engine import ZincBackendEntrypoint

default_zarr_format = suite.default_zarr_format
tmp_store = suite.tmp_store
OPENED: list[str] = []
# Arguments that only choose how zarr-python opens a store
_IGNORED = ("store", "engine", "cache_members")


def _by_zinc(name: str) -> Any:
    original, ours = getattr(ZarrBackendEntrypoint, name), getattr(ZincBackendEntrypoint, name)

    @functools.wraps(original)  # xarray looks at the parameters
    def method(self: ZarrBackendEntrypoint, filename_or_obj: Any, **options: Any) -> Any:
        root = filename_or_obj.root if isinstance(filename_or_obj, LocalStore) else filename_or_obj
        if not isinstance(root, (str, os.PathLike)) or options.get("store") or options.get("mode", "r") != "r":
            return original(self, filename_or_obj, **options)
        OPENED.append(name)
        return ours(ZincBackendEntrypoint(), root, **{k: v for k, v in options.items() if k not in _IGNORED})

    return method


# With "zarr" the tests run as xarray has them: some fail there, too
ENGINE = os.environ.get("XARRAY_SUITE_ENGINE", "zinc")
# What is different on purpose, by how the names of tests begin
_DIFFERENT = {
    "test_read_non_consolidated_warning": "Zinc does not warn that there is no consolidated metadata: it lists quickly without",
    "test_zarr_fill_value_setting[2-": "Zinc honours use_zarr_fill_value_as_mask, which xarray's engine accepts and ignores",
}


@pytest.fixture(autouse=True)
def zinc_opens(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if ENGINE == "zarr":
        return
    for begin, why in _DIFFERENT.items():
        if request.node.name.startswith(begin):
            pytest.xfail(why)
    for name in ("open_dataset", "open_groups_as_dict"):
        monkeypatch.setattr(ZarrBackendEntrypoint, name, _by_zinc(name))


class TestZincDirectoryStore(suite.TestZarrDirectoryStore):
    pass


class TestZincWriteEmpty(suite.TestZarrWriteEmpty):
    pass


class TestZincDataArrayToZarr(suite.TestDataArrayToZarr):
    pass


class TestZincRegionAuto(suite.TestZarrRegionAuto):
    pass


class TestZincNCZarr(suite.TestNCZarr):
    pass


def test_zinc_was_used(tmp_path: Path) -> None:
    """Without this, nobody would see that everything went to zarr-python."""
    xr.Dataset({"v": ("x", [1, 2])}).to_zarr(tmp_path / "a")
    xr.open_zarr(tmp_path / "a")
    assert len(OPENED) > 0 or ENGINE == "zarr"
