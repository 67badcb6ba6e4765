"""Zarr for Python, on libzinc.

>>> import zinczarr
>>> a = zinczarr.create_array("memory://intro/t", shape=(4, 3), dtype="f4")
>>> a[1:3] = 5
>>> a[:, 0]
array([0., 5., 5., 0.], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _certificates, _core, errors
from ._array import Array
from ._attrs import Attributes
from ._group import Group
from ._open import create_array, create_group, open, open_array, open_group
from ._tools import consolidate, copy, diff, explain, info, stats, tree, validate
from ._versions import show_versions
from .errors import ZincError, ZincWarning

if TYPE_CHECKING:
    from ._dask import shard_aligned_chunks
    from .zarr_pipeline import ZincCodecPipeline
    from .zarr_store import ZincStore

_certificates.use_system()

__version__ = _core.VERSION

threads = _core.threads
trim = _core.trim


def formats() -> list[tuple[str, str]]:
    """The versions of Zarr, with their purposes."""
    return [(name, purpose) for name, _, purpose in _core.rows("formats")]


# Names that need zarr-python or dask, and the modules that have them: imported when they are first used
_LAZY = {
    "ZincCodecPipeline": "zarr_pipeline",
    "ZincStore": "zarr_store",
    "shard_aligned_chunks": "_dask",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Array",
    "Attributes",
    "Group",
    "ZincCodecPipeline",
    "ZincError",
    "ZincStore",
    "ZincWarning",
    "consolidate",
    "copy",
    "create_array",
    "create_group",
    "diff",
    "errors",
    "explain",
    "formats",
    "info",
    "open",
    "open_array",
    "open_group",
    "shard_aligned_chunks",
    "show_versions",
    "stats",
    "threads",
    "tree",
    "trim",
    "validate",
]
