"""Opening and creating: `open`, `open_array`, `open_group`, `create_array`, `create_group`.

The arguments are those of zarr-python's functions of the same names, with these additions:

`codecs`    the whole chain of codecs: JSON, a list, or in short form "blosc:lz4:5:shuffle", "zstd+crc32c", "none"
`format`    a version of Zarr by name: "v2", "v3", or a draft: "v3-2019", "v3-2020", "v3-2022"; or "n5"
`settings`  of the store: {"s3.region": "eu-central-1"}; `storage_options` is another name for it
`relaxed`   writes do not wait for the disk
`links`     symbolic links of a local store: "follow", "beneath" (only to below the root), "refuse"
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core, _create, _json
from ._create import DEFAULT
from ._errors import ExistsError, NotFoundError, ReadOnlyError
from ._nodes import ARRAY, GROUP, NOTHING
from ._place import Place

if TYPE_CHECKING:
    from ._array import Array
    from ._group import Group

Mode = Literal["r", "r+", "a", "w", "w-"]
Format = Literal[2, 3] | None
Store = str | os.PathLike[str] | _core.Store | object | None

shape_of = _create.shape_of
_KINDS = {NOTHING: "nothing", GROUP: "a group", ARRAY: "an array"}

# ---- where ----

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


def _absolute(path: str) -> str:
    """A path that another process, whose working directory differs, understands too."""
    if _SCHEME.match(path):
        return path
    return os.path.join(os.getcwd(), path) if "|" in path or "?" in path else os.path.abspath(path)


def url_of(store: Store) -> str | _core.Store:
    """The URL of what a user passes as a store.

    >>> url_of("s3://bucket/a.zarr")
    's3://bucket/a.zarr'
    """
    if store is None:
        return f"memory://zinczarr-{uuid.uuid4().hex}"
    if isinstance(store, _core.Store):
        return store
    if isinstance(store, (str, os.PathLike)):
        path = os.fspath(store)
        if not isinstance(path, str):
            raise TypeError(f"a path is a text, not {path!r}")
        if not path:
            raise ValueError("the URL is empty")
        return _absolute(path)
    kind = type(store).__name__
    if kind == "LocalStore" and hasattr(store, "root"):
        return _absolute(os.fspath(store.root))
    if kind == "ZincStore" and hasattr(store, "url"):
        return str(store.url)
    raise TypeError(
        f"{kind} cannot be opened; pass a URL or a path.  To use Zinc below zarr-python, see zinczarr.ZincCodecPipeline"
    )


# fsspec's words for settings that Zinc has, too
_FSSPEC = {
    "anon": "anonymous",
    "key": "access_key_id",
    "secret": "secret_access_key",
    "endpoint_url": "endpoint",
    "account_name": "account",
    "requester_pays": "request_payer",
    "region_name": "region",
}
_WORDS = {True: "yes", False: "no"}


def _setting(value: object) -> str:
    return _WORDS[value] if isinstance(value, bool) else str(value)


def settings_of(settings: Mapping[str, object] | None, storage_options: Mapping[str, object] | None) -> dict[str, str]:
    """Settings as texts; names of fsspec become Zinc's.

    >>> settings_of(None, {"anon": True, "region_name": "us-east-1"})
    {'anonymous': 'yes', 'region': 'us-east-1'}
    """
    made: dict[str, str] = {}
    for name, value in {**(storage_options or {}), **(settings or {})}.items():
        if isinstance(value, Mapping):  # client_kwargs
            made.update(settings_of(None, value))
        elif value is not None:
            made[_FSSPEC.get(name, name)] = _setting(value)
    return made


_LINKS = {"follow": 0, "beneath": 1, "refuse": 2}


def links_of(links: str) -> int:
    if links not in _LINKS:
        raise ValueError(f"links is one of {', '.join(_LINKS)}, not {links!r}")
    return _LINKS[links]


def format_of(zarr_format: int | None, format: str | None) -> str | None:
    """The name of a version, from zarr-python's number or Zinc's name."""
    if zarr_format is None:
        return format
    if zarr_format not in (2, 3):
        raise ValueError(f"zarr_format is 2 or 3, not {zarr_format!r}; format= names the drafts")
    if format not in (None, f"v{zarr_format}"):
        raise ValueError(f"zarr_format={zarr_format} contradicts format={format!r}")
    return f"v{zarr_format}"


_REFUSED = {
    "chunk_store": "metadata and chunks are in one store",
    "synchronizer": "writes are exclusive already",
    "meta_array": "arrays are NumPy's",
    "object_codec": 'pass dtype="string" or dtype="bytes"',
}
_ALIASES = ("chunk_shape", "compressor", "dimension_separator")
_OWN = {"place", "overwrite", "rest"}  # of make_array, not of its callers
_IGNORED = ("cache_attrs", "cache_metadata", "use_consolidated", "write_empty_chunks")


def refuse_unknown(where: str, rest: Mapping[str, object]) -> None:
    """A TypeError for arguments that are left over; those of zarr-python that change nothing are accepted."""
    for name, value in rest.items():
        if name in _REFUSED and value is not None:
            raise TypeError(f"{where}: {name}= is not supported: {_REFUSED[name]}")
        if name not in _REFUSED and name not in _IGNORED:
            raise TypeError(f"{where}: there is no argument {name}=")


@functools.cache
def _creating() -> set[str]:
    """Names of all arguments of functions that create."""
    return {*inspect.signature(make_array).parameters, *_ALIASES, *_REFUSED, *_IGNORED} - _OWN


def _check_creating(where: str, rest: Mapping[str, object]) -> None:
    """A TypeError for a name that no function that creates has, also when the node exists and nothing is created."""
    for name in rest:
        if name not in _creating():
            raise TypeError(f"{where}: there is no argument {name}=")


def join(base: str, path: str | None) -> str:
    """A path below another one; both may have slashes at their ends.

    >>> join("/", "a/b"), join("/g", "/x/"), join("/g", None)
    ('/a/b', '/g/x', '/g')
    """
    parts = [part for part in f"{base}/{path or ''}".split("/") if part]
    if any(part in (".", "..") for part in parts):
        raise ValueError(f'a path has no parts "." or "..": {path!r}')
    return "/" + "/".join(parts)


@dataclass(frozen=True)
class Target:
    """A node that may not exist: where, and how to open its hierarchy."""

    url: str | _core.Store
    path: str | None
    options: dict[str, Any]

    def look(self, read_only: bool = False) -> tuple[Place | None, int]:
        """The place and kind of what is there; (None, NOTHING) without a hierarchy."""
        try:
            place = self.place(read_only)
        except NotFoundError:
            return None, NOTHING
        return place, place.hierarchy().kind(place.path)

    def place(self, read_only: bool = False) -> Place:
        """The place in its hierarchy, which must exist."""
        options = _given({**self.options, "read_only": read_only or self.options["read_only"]})
        h = _core.Hierarchy(self.url, **options)
        return Place(self.url, join(h.path, self.path), options).attach(h)

    def make(self) -> Place:
        """The place of a node that will be created."""
        if self.options["read_only"]:
            raise ReadOnlyError(f"{self.url}: read_only=True, nothing can be created")
        h = _core.Hierarchy(self.url, create=True, **_given(self.options))
        return Place(self.url, join(h.path, self.path), _given(self.options)).attach(h)


_DEFAULTS = {"settings": {}, "read_only": False, "relaxed": False, "links": 0, "format": None, "strict": False}


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Without defaults: a place is shown and pickled with what the user wanted."""
    return {k: v for k, v in options.items() if k not in _DEFAULTS or v != _DEFAULTS[k]}


def target_of(
    store: Store,
    path: str | os.PathLike[str] | None,
    *,
    zarr_format: int | None = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    storage_options: Mapping[str, object] | None = None,
    read_only: bool = False,
    relaxed: bool = False,
    links: str = "follow",
    strict: bool = False,
) -> Target:
    read_only = read_only or bool(getattr(store, "read_only", False))
    options = {
        "settings": settings_of(settings, storage_options) or dict(getattr(store, "settings", None) or {}),
        "read_only": read_only,
        "relaxed": relaxed,
        "links": links_of(links),
        "format": format_of(zarr_format, format),
        "strict": strict,
    }
    return Target(url_of(store), None if path is None else os.fspath(path), options)


# ---- nodes ----


def array_at(place: Place, core: _core.Array | None = None, config: object = None) -> Array:
    from ._array import Array

    made = Array(core or _core.Array.open(place.hierarchy(), place.path), place)
    return made if config is None else with_config(made, config)


def group_at(place: Place) -> Group:
    from ._group import Group

    return Group(place)


_CONFIG = ("order", "write_empty_chunks", "read_missing_chunks")
_TUNING = "sharding_coalesce_"  # libzinc joins requests by rules of its own


def with_config(array: Array, config: object) -> Array:
    """zarr-python's runtime configuration: whether chunks that are all fill value are stored.  What would change results
    and is not supported is refused."""
    if config is None:
        return array
    members: Mapping[str, object] = config if isinstance(config, Mapping) else vars(config)
    unknown = [name for name in members if name not in _CONFIG and not name.startswith(_TUNING)]
    if unknown:
        raise TypeError(f"config: there is no {unknown[0]}; there are {', '.join(_CONFIG)}")
    if _order(members.get("order")) and array.ndim > 1 and array.order != "F":
        raise TypeError('config: order="F" is not supported: results are in C order')
    if members.get("read_missing_chunks", True) is False:
        raise TypeError('config: read_missing_chunks=False is not supported; use read(..., missing="error")')
    array.write_empty_chunks = bool(members.get("write_empty_chunks"))
    return array


def _with_older(config: object, rest: Mapping[str, object]) -> object:
    """The configuration, with the older argument write_empty_chunks=."""
    given = rest.get("write_empty_chunks")
    if given is None:
        return config
    if config is not None:
        raise TypeError("write_empty_chunks= is an older name for a part of config=; do not pass both")
    return {"write_empty_chunks": given}


def _missing(target: Target, what: str) -> NotFoundError:
    where = target.url if isinstance(target.url, str) else target.url.url
    return NotFoundError(f"{where}: {'/' + target.path.strip('/') if target.path else '/'}: there is no {what}")


def _wrong(place: Place, kind: int, wanted: str) -> NotFoundError:
    return NotFoundError(f"{place.text}: {place.path}: there is {_KINDS[kind]}, not {wanted}")


def _array_there(target: Target, read_only: bool, config: object) -> Array | None:
    """The array, with its document read once; None if there is none, and the caller finds out what there is."""
    try:
        return array_at(target.place(read_only), config=config)
    except NotFoundError:
        return None


_MODES = ("r", "r+", "a", "w", "w-")


def _check_mode(mode: str | None, read_only: bool, default: str) -> str:
    mode = mode or ("r" if read_only else default)
    if mode not in _MODES:
        raise ValueError(f"mode is one of {', '.join(_MODES)}, not {mode!r}")
    if read_only and mode not in ("r", "a"):
        raise ValueError(f'mode "{mode}" writes, but the store is read-only')
    return mode


def _open_node(
    target: Target, mode: str, wanted: int | None, make: Callable[[bool], Array | Group] | None, config: object = None
) -> Array | Group:
    """The rules of the modes, for arrays (wanted ARRAY), groups, or either (None)."""
    what = "node" if wanted is None else _KINDS[wanted].split()[1]
    if mode == "w" and make:
        return make(True)
    if wanted == ARRAY and mode in ("r", "r+"):
        found = _array_there(target, mode == "r", config)
        if found is not None:
            return found
    place, kind = target.look(read_only=mode == "r")
    if mode == "w-" and kind != NOTHING and place:
        raise ExistsError(f"{place.text}: {place.path}: there is {_KINDS[kind]} already")
    if place and kind != NOTHING:
        if wanted not in (None, kind):
            raise _wrong(place, kind, _KINDS[wanted or 0])
        return array_at(place, config=config) if kind == ARRAY else group_at(place)
    if mode in ("r", "r+") or target.options["read_only"] or not make:
        raise _missing(target, what)
    return make(False)


def open(
    store: Store = None,
    *,
    mode: Mode | None = None,
    zarr_format: Format = None,
    path: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    config: object = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    read_only: bool = False,
    relaxed: bool = False,
    links: str = "follow",
    strict: bool = False,
    **kwargs: Any,
) -> Array | Group:
    """Open the array or group that a URL names.

    mode: "r" reads only, "r+" reads and writes what exists; "a" (the default) also creates what is missing: an array if
    `shape` or `data` is given, else a group; "w" replaces what exists, "w-" fails if something exists.  The other
    arguments are those of `create_array` or `create_group`, and are used only when something is created.

    >>> import zinczarr
    >>> a = zinczarr.open("memory://open/t", mode="w", shape=(4, 3), dtype="f4")
    >>> a[1] = 7
    >>> zinczarr.open("memory://open/t", mode="r")[1]
    array([7., 7., 7.], dtype=float32)
    """
    target = target_of(
        store,
        path,
        zarr_format=zarr_format,
        format=format,
        settings=settings,
        storage_options=storage_options,
        read_only=read_only,
        relaxed=relaxed,
        links=links,
        strict=strict,
    )
    mode_ = _check_mode(mode, target.options["read_only"], "a")

    def make(overwrite: bool) -> Array | Group:
        if "shape" in kwargs or "data" in kwargs:
            return _new_array(target, overwrite=overwrite, config=config, **kwargs)
        if config is not None:
            raise TypeError("config is for arrays; a group has none")
        return _new_group(target, overwrite=overwrite, **kwargs)

    _check_creating("open", kwargs)
    return _open_node(target, mode_, None, make, _with_older(config, kwargs))


def open_array(
    store: Store = None,
    *,
    mode: Mode | None = None,
    zarr_format: Format = None,
    path: str | os.PathLike[str] = "",
    storage_options: Mapping[str, object] | None = None,
    config: object = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    read_only: bool = False,
    relaxed: bool = False,
    links: str = "follow",
    strict: bool = False,
    **kwargs: Any,
) -> Array:
    """Open an array; with mode "a", "w" or "w-" create it, from the arguments of `create_array`."""
    target = target_of(
        store,
        path,
        zarr_format=zarr_format,
        format=format,
        settings=settings,
        storage_options=storage_options,
        read_only=read_only,
        relaxed=relaxed,
        links=links,
        strict=strict,
    )
    mode_ = _check_mode(mode, target.options["read_only"], "r+")

    def make(overwrite: bool) -> Array:
        return _new_array(target, overwrite=overwrite, config=config, **kwargs)

    _check_creating("open_array", kwargs)
    return _open_node(target, mode_, ARRAY, make, _with_older(config, kwargs))  # type: ignore[return-value]


def open_group(
    store: Store = None,
    *,
    mode: Mode | None = None,
    path: str | None = None,
    storage_options: Mapping[str, object] | None = None,
    zarr_format: Format = None,
    attributes: Mapping[str, object] | None = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    read_only: bool = False,
    relaxed: bool = False,
    links: str = "follow",
    strict: bool = False,
    **kwargs: Any,
) -> Group:
    """Open a group; with mode "a" (the default), "w" or "w-" create it, with `attributes`."""
    target = target_of(
        store,
        path,
        zarr_format=zarr_format,
        format=format,
        settings=settings,
        storage_options=storage_options,
        read_only=read_only,
        relaxed=relaxed,
        links=links,
        strict=strict,
    )
    mode_ = _check_mode(mode, target.options["read_only"], "a")
    refuse_unknown("open_group", kwargs)
    made = _open_node(
        target, mode_, GROUP, lambda overwrite: _new_group(target, overwrite=overwrite, attributes=attributes)
    )
    if kwargs.get("use_consolidated") is True and not made.consolidated:  # type: ignore[union-attr]
        raise ValueError(f"{made!r} has no consolidated metadata")
    return made  # type: ignore[return-value]


# ---- creating ----


def _clear(target: Target, force: bool) -> None:
    """Erase what is there if its version is another than the new node's: the library replaces nodes of one version."""
    place, found = Target(target.url, target.path, {**target.options, "format": None}).look()
    wanted = target.options["format"]
    if place is None or found == NOTHING or wanted in (None, place.hierarchy().format):
        return
    place.hierarchy().erase(place.path, force=force)


def make_group(place: Place, attributes: Mapping[str, object] | None, overwrite: bool | str) -> Group:
    text, later = _json.attributes_text(attributes)
    place.hierarchy().create_group(place.path, text, overwrite_of(overwrite))
    group = group_at(place)
    group.attrs.update(later)
    return group


def overwrite_of(overwrite: object) -> int:
    """1: erase what certainly belongs to the node; 2 ("force"): erase everything below."""
    return 2 if overwrite == "force" else int(bool(overwrite))


def _new_group(
    target: Target, *, overwrite: bool | str = False, attributes: Mapping[str, object] | None = None, **rest: Any
) -> Group:
    refuse_unknown("create_group", rest)
    if overwrite:
        _clear(target, overwrite == "force")
    return make_group(target.make(), attributes, overwrite)


def create_group(
    store: Store,
    *,
    path: str | None = None,
    zarr_format: Format = None,
    overwrite: bool | str = False,
    attributes: Mapping[str, object] | None = None,
    storage_options: Mapping[str, object] | None = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    relaxed: bool = False,
    links: str = "follow",
) -> Group:
    """Create a group, and groups for all missing ancestors.

    >>> import zinczarr
    >>> g = zinczarr.create_group("memory://create", attributes={"title": "test"})
    >>> g.attrs["title"]
    'test'
    """
    target = target_of(
        store,
        path,
        zarr_format=zarr_format,
        format=format,
        settings=settings,
        storage_options=storage_options,
        relaxed=relaxed,
        links=links,
    )
    return _new_group(target, overwrite=overwrite, attributes=attributes)


@dataclass
class Wanted:
    """The arguments of a new array, checked."""

    shape: tuple[int, ...]
    dtype: str
    data: npt.NDArray[Any] | None

    @property
    def itemsize(self) -> int:
        known = _create.numpy_of(self.dtype)
        return known.itemsize if known is not None else 1


def _wanted(shape: object, dtype: object, data: object, fill_value: object) -> Wanted:
    if data is not None:
        if shape is not None or dtype is not None:
            raise ValueError("data has a shape and a dtype; do not pass them too")
        values = np.asanyarray(data)
        return Wanted(values.shape, _create.dtype_of(values), values)
    if shape is None or dtype is None:
        raise ValueError("shape and dtype are needed, or data")
    return Wanted(_create.shape_of(shape), _create.dtype_text(dtype), None)


def _order(order: object) -> bool:
    if order not in (None, "C", "F"):
        raise ValueError(f'order is "C" or "F", not {order!r}')
    return order == "F"


def _alias(rest: dict[str, Any], name: str, value: object, default: object) -> object:
    """An older name of an argument, which replaces it if that was not given."""
    if name not in rest:
        return value
    if value is not default and value != default:
        raise TypeError(f"{name}= is an older name; do not pass both")
    return rest.pop(name)


def _undefine_fill(place: Place) -> None:
    """`fill_value` null in a new document of version 2, which xarray reads as "no value is missing".  Version 3 has none."""
    h = place.hierarchy()
    key = h.prefix + f"{place.path.strip('/')}/.zarray".lstrip("/")
    found = h.store.get_tagged(key) if h.format == "v2" else None
    if found is None:
        return
    document = _json.loads(bytes(found[0]).decode())
    document["fill_value"] = None
    h.store.put(key, json.dumps(document, indent=4).encode(), tag=found[1])


def make_array(
    place: Place,
    *,
    shape: object = None,
    dtype: object = None,
    data: object = None,
    chunks: object = "auto",
    shards: object = None,
    filters: object = "auto",
    compressors: object = "auto",
    serializer: object = "auto",
    codecs: object = None,
    fill_value: object = DEFAULT,
    order: str | None = None,
    attributes: Mapping[str, object] | None = None,
    chunk_key_encoding: object = None,
    dimension_names: object = None,
    overwrite: bool | str = False,
    config: object = None,
    write_data: bool = True,
    **rest: Any,
) -> Array:
    """Create the array at a place; see create_array."""
    chunks = _alias(rest, "chunk_shape", chunks, "auto")
    compressors = _alias(rest, "compressor", compressors, "auto")
    separator = rest.pop("dimension_separator", None)
    if separator is not None:
        chunk_key_encoding = ("v2", separator)
    config = _with_older(config, rest)
    refuse_unknown("create_array", rest)
    wanted = _wanted(shape, dtype, data, fill_value)
    chunk_edges, shard_edges = _create.edges_text(chunks), _create.edges_text(shards)
    chunk = None if chunk_edges else _create.chunk_shape(chunks, wanted.shape)
    shard, auto = (None, False) if shard_edges else _create.shards_of(shards, chunk, wanted.shape)
    checksum = place.hierarchy().format == "v3"
    text, later = _json.attributes_text(attributes)
    made = _core.Array.create(
        place.hierarchy(),
        place.path,
        shape=wanted.shape,
        dtype=wanted.dtype,
        chunks=chunk,
        shards=shard,
        auto_shards=auto,
        codecs=_create.codecs_text(codecs, filters, serializer, compressors, wanted.itemsize, checksum),
        fill=_create.fill_text(fill_value, wanted.dtype),
        dimension_names=_create.names_of(dimension_names),
        attributes=text,
        key_encoding=_create.key_encoding_text(chunk_key_encoding),
        overwrite=overwrite_of(overwrite),
        fortran=_order(order),
        chunk_edges=chunk_edges,
        shard_edges=shard_edges,
    )
    if fill_value is None:
        _undefine_fill(place)
    array = array_at(place, made, config)
    array.attrs.update(later)
    if wanted.data is not None and write_data:
        array[...] = wanted.data
    return array


def _new_array(target: Target, *, overwrite: bool | str = False, **arguments: Any) -> Array:
    if overwrite:
        _clear(target, overwrite == "force")
    return make_array(target.make(), overwrite=overwrite, **arguments)


def create_array(
    store: Store,
    *,
    name: str | None = None,
    shape: object = None,
    dtype: object = None,
    data: object = None,
    chunks: object = "auto",
    shards: object = None,
    filters: object = "auto",
    compressors: object = "auto",
    serializer: object = "auto",
    fill_value: object = DEFAULT,
    order: Literal["C", "F"] | None = None,
    zarr_format: Format = None,
    attributes: Mapping[str, object] | None = None,
    chunk_key_encoding: object = None,
    dimension_names: object = None,
    storage_options: Mapping[str, object] | None = None,
    overwrite: bool | str = False,
    config: object = None,
    write_data: bool = True,
    codecs: object = None,
    format: str | None = None,
    settings: Mapping[str, object] | None = None,
    relaxed: bool = False,
    links: str = "follow",
    **kwargs: Any,
) -> Array:
    """Create an array, and groups for all missing ancestors.

    shape, dtype: or `data`, which is written unless `write_data` is false
    chunks:       "auto", a number for all dimensions, or one for each (-1: all of it)
    shards:       None, "auto", or numbers, multiples of those of chunks
    codecs:       the whole chain; or as zarr-python has them: filters, serializer, compressors
    fill_value:   what elements are that were never written; None: the type's zero, in v2 an undefined value (null)
    order:        "F" stores the elements of chunks in Fortran order
    overwrite:    erase what exists; keys that may not belong to it (a README) are an error, with "force" erased, too

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://new/t", shape=(100, 100), dtype="f4", chunks=(10, 100), codecs="zstd:5")
    >>> a.chunks, a.dtype, a[0, 0]
    ((10, 100), dtype('float32'), np.float32(0.0))
    """
    target = target_of(
        store,
        name,
        zarr_format=zarr_format,
        format=format,
        settings=settings,
        storage_options=storage_options,
        relaxed=relaxed,
        links=links,
    )
    return _new_array(
        target,
        shape=shape,
        dtype=dtype,
        data=data,
        chunks=chunks,
        shards=shards,
        filters=filters,
        compressors=compressors,
        serializer=serializer,
        codecs=codecs,
        fill_value=fill_value,
        order=order,
        attributes=attributes,
        chunk_key_encoding=chunk_key_encoding,
        dimension_names=dimension_names,
        overwrite=overwrite,
        config=config,
        write_data=write_data,
        **kwargs,
    )


__all__ = ["create_array", "create_group", "open", "open_array", "open_group"]
