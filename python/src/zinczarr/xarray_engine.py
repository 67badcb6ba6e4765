"""The engine `zinc` of xarray: `xarray.open_dataset(url, engine="zinc")`.

It opens every version of Zarr in every store of Zinc, and gives what the engine `zarr` gives for the same data: names of
dimensions, attributes, fill values and CF decoding follow xarray's rules.  It does not need zarr-python.  xarray
writes with zarr-python, where `ZincCodecPipeline` does the work.

1. Variables are lazy: each access reads what is needed, and nothing is read twice for one access.
2. No lock is held: many threads may read at the same time.
3. Data sets pickle as URLs, so that the workers of dask open them again.
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import re
import warnings
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from xarray import Dataset, Variable
from xarray.backends.common import AbstractDataStore, BackendArray, BackendEntrypoint, _normalize_path
from xarray.backends.store import StoreBackendEntrypoint
from xarray.core import indexing

from . import _core, _nodes, _open, _url
from ._errors import NotFoundError, ZincError, ZincWarning
from ._nodes import ARRAY, GROUP, NOTHING, Node
from ._place import Place

if TYPE_CHECKING:
    from xarray import DataTree
    from xarray.core.indexing import ExplicitIndexer

    from ._array import Array

DIMENSIONS = "_ARRAY_DIMENSIONS"  # where xarray keeps the names of dimensions in versions that have none
FILL = "_FillValue"
# zarr-python opens these by itself or with fsspec, so they belong to the engine `zarr`
_OTHERS = {"file", "memory", "http", "https", "s3", "gs", "az", "abfs", "abfss"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
_DRAFTS = ("v3-2019", "v3-2020", "v3-2022")


# ---- elements ----


class ZincBackendArray(BackendArray):
    """A variable's elements, read when they are indexed."""

    __slots__ = ("_array", "dtype", "shape")

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = _shown(array)

    def get_duck_array(self, dtype: Any = None) -> Any:
        """Everything; xarray's own way reads through an index, which is the same with one more copy."""
        return self._finish(self._array[...])

    def __getitem__(self, key: ExplicitIndexer) -> Any:
        value = indexing.explicit_indexing_adapter(key, self.shape, self._support(key), self._method(key))
        return self._finish(value)

    async def async_getitem(self, key: ExplicitIndexer) -> Any:
        import asyncio

        return await asyncio.to_thread(self.__getitem__, key)

    def _method(self, key: ExplicitIndexer) -> Any:
        if isinstance(key, indexing.BasicIndexer):
            return self._array.__getitem__
        if isinstance(key, indexing.VectorizedIndexer) and self._support(key) is indexing.IndexingSupport.VECTORIZED:
            return self._array.vindex.__getitem__
        return self._array.oindex.__getitem__

    def _support(self, key: ExplicitIndexer) -> indexing.IndexingSupport:
        """Points are read as points, unless they fill most of the lines that they are in."""
        if isinstance(key, indexing.VectorizedIndexer) and _scattered(key.tuple):
            return indexing.IndexingSupport.VECTORIZED
        return indexing.IndexingSupport.OUTER

    def _finish(self, value: Any) -> Any:
        if self.dtype.kind == "T" and isinstance(value, str):
            return np.asarray(value, self.dtype)
        return np.asarray(value)


def _scattered(key: tuple[Any, ...]) -> bool:
    """Are there far fewer points than elements where their lines cross?"""
    if any(isinstance(k, slice) for k in key):
        return False
    arrays = [np.asarray(k) for k in key]
    points = np.broadcast_shapes(*(a.shape for a in arrays))
    crossings = 1
    for a in arrays:
        crossings *= max(1, len(np.unique(a)))
    return crossings > 4 * max(1, int(np.prod(points)))


def _shown(array: Array) -> np.dtype[Any]:
    """Texts of any length are marked as such where NumPy has no type for them."""
    if array.dtype == np.dtype(object) and array._element.text:
        from xarray.coding.strings import create_vlen_dtype

        return create_vlen_dtype(str)  # type: ignore[no-any-return, no-untyped-call]
    return array.dtype


# ---- variables ----


class Source:
    """An array of a group with its document, and what xarray wants to know of them."""

    def __init__(self, array: Array, node: Node, document: Mapping[str, Any], masked: bool) -> None:
        self.array = array
        self.format: str = node.array.get("format", "v3")
        self.attributes = node.attributes
        self.document = document
        self.masked = masked

    def variable(self) -> Variable:
        dimensions = self.dimensions()
        attributes, more = self._fill()
        chunks = _chunks(self.array)
        encoding: dict[str, Any] = {
            "chunks": chunks,
            "preferred_chunks": dict(zip(dimensions, chunks, strict=True)),
            "shards": self.array.shards if self.array._core.regular else None,
            **codecs_of(self.format, self.document),
            **more,
        }
        if self.array.dtype.kind == "T":
            encoding["dtype"] = self.array.dtype
        data = indexing.LazilyIndexedArray(ZincBackendArray(self.array))
        return Variable(dimensions, data, self._visible(attributes), encoding)

    def dimensions(self) -> tuple[Hashable, ...]:
        """As xarray has them: in the document since version 3, in an attribute or in netCDF-C's members before."""
        names = self.document.get("dimension_names") if self.format == "v3" else None
        if names is None:
            names = self.attributes.get(DIMENSIONS)
        if names is None:
            names = self._netcdf()
        if names is None and self.array.ndim == 0:
            names = []
        if names is None or len(names) != self.array.ndim:
            raise KeyError(
                f"{self.array.name} is missing the `dimension_names` metadata or the attribute `{DIMENSIONS}`, which xarray "
                "needs to determine the dimensions of a variable."
            )
        return tuple(names)

    def _netcdf(self) -> list[str] | None:
        for place in (self.document, self.attributes):
            members = place.get("_NCZARR_ARRAY") or place.get("_nczarr_array")
            if isinstance(members, Mapping):
                refs = members.get("dimrefs") or members.get("dimension_references")
                return None if refs is None else [os.path.basename(r) for r in refs]
        return None

    def _visible(self, attributes: dict[str, Any]) -> dict[str, Any]:
        if self.format == "v3" and self.document.get("dimension_names") is not None:
            return attributes
        return {k: v for k, v in attributes.items() if k != DIMENSIONS and not k.lower().startswith("_nc")}

    def _fill(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Attributes with _FillValue, and what the encoding says of it.

        Before version 3 the fill value is what netCDF calls _FillValue; since then that is an attribute of its own.
        """
        attributes = dict(self.attributes)
        value = self.array.fill_value
        if self.masked:
            if value is not None and self.document.get("fill_value") is not None:
                attributes[FILL] = value
            return attributes, {}
        if FILL in attributes:
            attributes[FILL] = decode_fill(attributes[FILL], self.array.dtype)
        return attributes, {"fill_value": value} if self.format == "v3" else {}


def decode_fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """_FillValue as xarray writes it into the attributes of version 3: floats are base64 of a little-endian double."""
    if dtype.kind == "f" and isinstance(value, str):
        return np.frombuffer(base64.standard_b64decode(value), "<f8")[0].item()
    if dtype.kind == "c" and isinstance(value, (list, tuple)):
        real, imag = (decode_fill(v, np.dtype("f8")) for v in value)
        return complex(real, imag)
    if dtype.kind == "S" and isinstance(value, str):
        return base64.standard_b64decode(value)
    converted = {"b": bool, "i": int, "u": int, "U": str, "T": str}.get(dtype.kind)
    return value if converted is None else converted(value)


def _chunks(array: Array) -> tuple[Any, ...]:
    """A length for each dimension; for dimensions of different lengths all of them."""
    grid = array.metadata.get("chunk_grid") or {}
    if grid.get("name", "regular") == "regular":
        return tuple(array.chunks)
    return tuple(_compact(lengths) for lengths in array.read_chunk_sizes)


def _compact(lengths: tuple[int, ...]) -> Any:
    if not lengths:
        return (0,)
    regular = len(set(lengths[:-1])) <= 1 and lengths[-1] <= lengths[0]
    return lengths[0] if regular else lengths


# ---- codecs, for writing the data set again with zarr-python ----


def codecs_of(format: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Filters, serializer and compressors: objects of zarr-python and numcodecs if they are installed, else JSON."""
    return {"v3": _codecs_v3, "v2": _codecs_v2}.get(format, _codecs_of_draft)(document)


def _codecs_of_draft(document: Mapping[str, Any]) -> dict[str, Any]:
    return {}  # nothing that zarr-python writes has them


def _codecs_v2(document: Mapping[str, Any]) -> dict[str, Any]:
    compressor = document.get("compressor")
    listed = {"compressors": [compressor] if compressor else [], "filters": document.get("filters") or []}
    try:
        import numcodecs
    except ImportError:
        return {name: tuple(codecs) for name, codecs in listed.items()}
    return {name: tuple(_made(numcodecs.get_codec, c) for c in codecs) for name, codecs in listed.items()}


def _codecs_v3(document: Mapping[str, Any]) -> dict[str, Any]:
    chain = list(document.get("codecs") or [])
    while len(chain) == 1 and isinstance(chain[0], Mapping) and chain[0].get("name") == "sharding_indexed":
        chain = list(chain[0]["configuration"]["codecs"])
    try:
        from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec
        from zarr.core.metadata.v3 import parse_codecs
    except ImportError:
        return {}
    made = _made(parse_codecs, chain)
    if made is chain:
        return {}
    kinds: dict[str, list[Any]] = {"filters": [], "serializer": [], "compressors": []}
    for codec in made:
        first = isinstance(codec, ArrayArrayCodec)
        kinds["filters" if first else "serializer" if isinstance(codec, ArrayBytesCodec) else "compressors"].append(codec)
    return {
        "filters": tuple(kinds["filters"]),
        "serializer": kinds["serializer"][0] if kinds["serializer"] else "auto",
        "compressors": tuple(kinds["compressors"]),
    }


def _made(make: Any, what: Any) -> Any:
    """What zarr-python or numcodecs make of a codec's JSON; the JSON if they do not know it: reading does not need it."""
    try:
        return make(what)
    except Exception:
        return what


# ---- groups ----


class Found(NamedTuple):
    """A node, and where to open it."""

    node: Node
    place: Place


class ZincDataStore(AbstractDataStore):
    """A group as xarray's data store: its arrays are variables.  Read-only."""

    def __init__(self, found: list[Found], masked: bool) -> None:
        self._group = found[0].node
        self._arrays = [f for f in found[1:] if f.node.kind == ARRAY]
        self._masked = masked
        self._sources: dict[str, Source] | None = None

    def sources(self) -> dict[str, Source]:
        if self._sources is None:
            self._sources = {f.node.name: self._source(f) for f in self._arrays}
        return self._sources

    def _source(self, found: Found) -> Source:
        place = found.place
        array = _open.array_at(place)  # first: its errors name the key and the rule
        document = json.loads(place.hierarchy().document(place.path))
        return Source(array, found.node, document, self._masked)

    def get_variables(self) -> dict[str, Variable]:
        return {name: source.variable() for name, source in self.sources().items()}

    def get_attrs(self) -> dict[str, Any]:
        return {k: v for k, v in self._group.attributes.items() if not k.lower().startswith("_nc")}

    def get_dimensions(self) -> dict[Hashable, int]:
        sizes: dict[Hashable, int] = {}
        for source in self.sources().values():
            for name, n in zip(source.dimensions(), source.array.shape, strict=True):
                if sizes.setdefault(name, n) != n:
                    raise ValueError(f"found conflicting lengths for dimension {name} ({n} != {sizes[name]})")
        return sizes

    def get_encoding(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self._sources = None


def _opened(
    filename_or_obj: Any,
    group: str | None,
    consolidated: bool | None,
    zarr_format: int | None,
    storage_options: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
    format: str | None,
) -> Place:
    """The place of a group, of a URL or of what zinczarr has opened."""
    from ._group import Group

    path = (group or "").strip("/")
    is_path = isinstance(filename_or_obj, (str, os.PathLike))
    try:
        if isinstance(filename_or_obj, Group):
            found = filename_or_obj.get_group(path) if path else filename_or_obj
        else:
            found = _open.open_group(
                _normalize_path(filename_or_obj) if is_path else filename_or_obj,
                mode="r",
                path=path or None,
                zarr_format=zarr_format,  # type: ignore[arg-type]
                storage_options=storage_options,
                settings=settings,
                format=format,
            )
    except NotFoundError as e:
        raise FileNotFoundError(f"No such file or directory, or it is no group of Zarr: {e}") from e
    if consolidated and not (found.consolidated or found.place.hierarchy().consolidated("/")):
        raise ValueError(f"{found.url}: there is no consolidated metadata")
    return found.place


def _masks(place: Place, wanted: bool | None) -> bool:
    """Is the fill value netCDF's _FillValue?  Before version 3 it is, as xarray has it."""
    return place.hierarchy().format != "v3" if wanted is None else wanted


def _usable(place: Place, depth: int) -> list[Found]:
    """The group and what is below.  Warnings name what is no node of this hierarchy; a damaged variable or group is an error,
    since a data set without it would be another one."""
    found: list[Found] = []
    for node in _nodes.walk(place, depth):
        if node.damaged:
            _open.array_at(place.at(node.path))  # raises, with key and reason
        elif node.kind == GROUP and node.problem:
            place.hierarchy().attributes(node.path)  # raises, if its document is damaged
        here = Found(node, place.at(node.path)) if node.usable or not found else _misnamed(place, node)
        if here is None or here.node.problem:
            warnings.warn(f"{node.path}: {node.problem}", ZincWarning, stacklevel=4)
        if here is not None and (here.node.kind != NOTHING or not found):
            found.append(here)
    return found


def _misnamed(place: Place, node: Node) -> Found | None:
    """xarray names variables without a name "__xarray_dataarray_variable__" and "__values__", which version 3 reserves.

    Such an array is opened as the root of a hierarchy of its own.
    """
    if not node.name.startswith("__") or place.read_only is False:
        return None
    try:
        url = _url.node_url(_url.place_url(place), node.path[len(place.path.rstrip("/")) :])
        own = Place(url, "/", {**place.options, "climb": False})
        inner = _nodes.walk(own, 0)[0]
    except (ZincError, ValueError):
        return None
    return Found(inner._replace(name=node.name, path=node.path), own) if inner.kind == ARRAY else None


def _by_group(found: list[Found]) -> dict[str, list[Found]]:
    """Each group with its own children, parents first."""
    made: dict[str, list[Found]] = {f.node.path: [f] for f in found if f.node.kind == GROUP or f is found[0]}
    for f in found[1:]:
        parent = f.node.path.rsplit("/", 1)[0] or "/"
        if f.node.kind == ARRAY and parent in made:
            made[parent].append(f)
    return made


# ---- the engine ----


class ZincBackendEntrypoint(BackendEntrypoint):
    """xarray's engine `zinc`.

    filename_or_obj   a URL, a path, a `zinczarr.Group`, or zarr-python's LocalStore or a ZincStore
    group             path of the group to open; of the top group in `open_datatree`
    consolidated      True: fail if there is no consolidated metadata.  It is used in any case where it is fresh
    zarr_format       2 or 3; found by itself
    format            the same by name, also of a draft: "v3-2020"
    storage_options, settings  of the store; see `zinczarr.open`
    use_zarr_fill_value_as_mask  the fill value is `_FillValue` [only before version 3]
    mode              "r"
    """

    description = "Open Zarr of every version in every store of Zinc, without zarr-python"
    url = "https://pypi.org/project/zinczarr"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Only what the engine `zarr` cannot open: drafts of version 3, and stores that only Zinc has."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return False
        text = os.fspath(filename_or_obj)
        if not isinstance(text, str):
            return False
        scheme = _SCHEME.match(text)
        if scheme or "|" in text:
            return _is_ours(text, scheme[1].lower() if scheme else "")
        return _is_draft(os.path.expanduser(text))

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        mode: str = "r",
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        zarr_format: int | None = None,
        settings: Mapping[str, Any] | None = None,
        format: str | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
    ) -> Dataset:
        _check_mode(mode)
        place = _opened(filename_or_obj, group, consolidated, zarr_format, storage_options, settings, format)
        store = ZincDataStore(_usable(place, 1), _masks(place, use_zarr_fill_value_as_mask))
        return StoreBackendEntrypoint().open_dataset(
            store,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    # xarray fills this in for engines that it finds by their entry points; the class may be passed itself
    open_dataset_parameters = tuple(inspect.signature(open_dataset).parameters)[1:]

    def open_datatree(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        mode: str = "r",
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        zarr_format: int | None = None,
        settings: Mapping[str, Any] | None = None,
        format: str | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
    ) -> DataTree:
        from xarray import DataTree

        groups = self.open_groups_as_dict(
            filename_or_obj,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
            group=group,
            mode=mode,
            consolidated=consolidated,
            storage_options=storage_options,
            zarr_format=zarr_format,
            settings=settings,
            format=format,
            use_zarr_fill_value_as_mask=use_zarr_fill_value_as_mask,
        )
        tree = DataTree.from_dict(groups)
        for path, dataset in groups.items():
            tree[path].set_close(dataset._close)
        return tree

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        mode: str = "r",
        consolidated: bool | None = None,
        storage_options: Mapping[str, Any] | None = None,
        zarr_format: int | None = None,
        settings: Mapping[str, Any] | None = None,
        format: str | None = None,
        use_zarr_fill_value_as_mask: bool | None = None,
    ) -> dict[str, Dataset]:
        _check_mode(mode)
        place = _opened(filename_or_obj, group, consolidated, zarr_format, storage_options, settings, format)
        masked = _masks(place, use_zarr_fill_value_as_mask)
        made: dict[str, Dataset] = {}
        for path, found in _by_group(_usable(place, -1)).items():
            made[_relative(path, place.path, bool(group))] = StoreBackendEntrypoint().open_dataset(
                ZincDataStore(found, masked),
                mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords,
                drop_variables=drop_variables,
                use_cftime=use_cftime,
                decode_timedelta=decode_timedelta,
            )
        return made


def _relative(path: str, top: str, below: bool) -> str:
    """The name of a group in the dictionary: as xarray has it, "/a/b", or "a/b" below a group that was asked for."""
    name = path[len(top.rstrip("/")) :].strip("/")
    return (name or ".") if below else f"/{name}"


def _check_mode(mode: str) -> None:
    if mode != "r":
        raise ValueError(f'the engine zinc reads: mode is "r", not {mode!r}; xarray writes with zarr-python')


def _is_ours(url: str, scheme: str) -> bool:
    """Is the store one that only Zinc has?"""
    if "|" in url:
        return True
    names = {name for _, others, _ in _core.rows("stores") for name in others.split(",")}
    return scheme in names - _OTHERS


def _is_draft(path: str) -> bool:
    """Is it a directory with a draft of version 3?"""
    if not os.path.isdir(path):
        return False
    try:
        return _core.Hierarchy(path, read_only=True).format in _DRAFTS
    except (ZincError, OSError, NotFoundError):
        return False
