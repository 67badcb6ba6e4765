"""The examples in the documentation strings are right."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil

import pytest

import zinczarr

NEEDS = {"_byte_ranges": "zarr", "xarray_engine": "xarray", "_dask": "dask"}
MODULES = sorted({name for _, name, _ in pkgutil.iter_modules(zinczarr.__path__)} - {"_core"})


@pytest.mark.parametrize("name", ["", *MODULES])
def test_module(name: str) -> None:
    need = "zarr" if name.lstrip("_").startswith("zarr") else NEEDS.get(name)
    if need and importlib.util.find_spec(need) is None:
        pytest.skip(f"{need} is not installed")
    module = importlib.import_module(f"zinczarr.{name}" if name else "zinczarr")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    count = sum(
        len(t.examples)
        for name in ("_open", "_group", "_tools", "_attrs")
        for t in finder.find(importlib.import_module(f"zinczarr.{name}"))
    )
    assert count > 20
