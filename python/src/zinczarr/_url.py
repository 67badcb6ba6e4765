"""URLs: of nodes, and without secrets."""

from __future__ import annotations

import re

from ._place import Place

_USER = re.compile(r"(?<=://)[^/@|]*@")
_CONTAINERS = ("az:", "abfs:", "abfss:")  # what stands before "@" is no secret there
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
# A query in a bare path: after a file that is a store
_FILE_QUERY = re.compile(r"\.(?:zip|sqlite|db|lmdb|leveldb|bdb|kct|kch|tcb|tch)[^?|]*\?")


def _has_query(part: str) -> bool:
    return "?" in part and bool(_SCHEME.match(part) or part[:1] != "/" or _FILE_QUERY.search(part))


def shown(url: str) -> str:
    """A URL as it may be shown: without user, password and settings.

    >>> shown("https://me:secret@host/a.zarr?token=x"), shown("/data/what?.zarr")
    ('https://host/a.zarr', '/data/what?.zarr')
    """
    if not url.startswith(_CONTAINERS):
        url = _USER.sub("", url)
    return "|".join(part.split("?", 1)[0] if _has_query(part) else part for part in url.split("|"))


def node_url(url: str, path: str) -> str:
    """The URL of a node below the node that a URL names.

    >>> node_url("s3://b/a.zarr?region=eu", "/x/y"), node_url("a.zip|zip:", "x")
    ('s3://b/a.zarr/x/y?region=eu', 'a.zip|zip:x')
    """
    path = path.strip("/")
    if not path:
        return url
    before, pipe, last = url.rpartition("|")
    last, mark, query = last.partition("?") if _has_query(last) else (last, "", "")
    slash = "" if last.endswith(("/", ":")) or (pipe and not last) else "/"
    return f"{before}{pipe}{last}{slash}{path}{mark}{query}"


def place_url(place: Place) -> str:
    """The URL of the node at a place, with everything that is needed to open it."""
    h = place.hierarchy()
    base, path = h.path.rstrip("/"), place.path.rstrip("/")
    if path == base:
        return place.text
    if path.startswith(base + "/"):
        return node_url(place.text, path[len(base) :])
    raise ValueError(f"{path or '/'} is above {shown(place.text)}; open the hierarchy by its root")


def store_url(place: Place) -> str:
    """The URL of the root of a place's hierarchy, as it may be shown."""
    h = place.hierarchy()
    slash = "" if h.url.endswith((":", "/")) or not h.prefix else "/"
    return f"{h.url}{slash}{h.prefix.rstrip('/')}"
