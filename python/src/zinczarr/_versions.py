"""What this installation consists of: versions, libraries, stores and codecs."""

import platform
import re
import sys
from importlib import metadata
from typing import TextIO

from . import _certificates, _core

__all__ = ["show_versions"]

# Packages that zinczarr works with; only numpy is needed.
PEERS = ("numpy", "zarr", "xarray", "dask", "distributed")


def version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def stores() -> dict[bool, list[str]]:
    """Names of the stores that this build has (True) and has not (False)."""
    purposes = [purpose for _, has, purpose in _core.rows("libraries") if has != "yes"]
    missing = set(re.findall(r"\w+", " ".join(text for text in purposes if text.startswith("store"))))
    names = [name for name, _, _ in _core.rows("stores")]
    return {has: [name for name in names if (name not in missing) == has] for has in (True, False)}


def lines() -> list[tuple[str, str]]:
    libraries = _core.rows("libraries")
    known = stores()
    return [
        ("zinczarr", _core.VERSION),
        ("python", f"{platform.python_version()} on {platform.platform()}"),
        *((package, version_of(package)) for package in PEERS),
        ("libraries", " ".join(name for name, has, _ in libraries if has == "yes")),
        ("built without", " ".join(name for name, has, _ in libraries if has != "yes") or "nothing"),
        ("stores", " ".join(known[True])),
        ("stores missing", " ".join(known[False]) or "none"),
        ("codecs", " ".join(name for name, _, _ in _core.rows("codecs"))),
        ("formats", " ".join(name for name, _, _ in _core.rows("formats"))),
        ("threads", str(_core.threads())),
        ("certificates", _certificates.find() or "none found: name a file in SSL_CERT_FILE"),
    ]


def show_versions(file: TextIO | None = None) -> None:
    """Print versions, libraries, stores and codecs, for a bug report.

    >>> show_versions()  # doctest: +ELLIPSIS
    zinczarr        ...
    """
    out = file or sys.stdout
    for name, text in lines():
        print(f"{name:<16}{text}", file=out)
