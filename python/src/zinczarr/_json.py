"""JSON of attributes and options: NumPy's scalars and arrays become plain values, what is not JSON is refused."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: object) -> object:
    """A value that `json` does not know; its TypeError names the type."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (np.bool_, np.integer, np.floating, np.str_)):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufUT":
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} of type {type(value).__name__} is not JSON")


def dumps(value: object) -> str:
    """The value as JSON text; NaN and the infinities are written as zarr-python writes them, as tokens of their own."""
    return json.dumps(value, default=plain, separators=(",", ":"))


def loads(text: str) -> Any:
    return json.loads(text)


def attributes_text(value: Mapping[str, object] | None) -> tuple[str | None, dict[str, object]]:
    """Attributes of a new node as JSON text, and those that have NaN or an infinity, which are set afterwards."""
    if value is None:
        return None, {}
    later: dict[str, object] = {}
    texts: list[str] = []
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"names of attributes are texts, not {key!r}")
        try:
            texts.append(f"{json.dumps(key)}:{json.dumps(item, default=plain, allow_nan=False)}")
        except ValueError:
            dumps(item)  # what else is wrong is said here
            later[key] = item
    return "{" + ",".join(texts) + "}", later
