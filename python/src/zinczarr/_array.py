"""`Array`: NumPy's indexing on an array of a Zarr hierarchy."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _core, _dtypes, _url
from ._create import shape_of
from ._dtypes import NUMBERS, Element
from ._errors import UnsupportedError
from ._indexing import (
    AnyArray,
    Mixed,
    Plan,
    Shape,
    block_plan,
    coordinate_plan,
    mask_plan,
    numpy_plan,
    orthogonal_plan,
)
from ._place import Place

if TYPE_CHECKING:
    from ._attrs import Attributes
    from ._html import Tree
    from ._info import Info
    from ._results import Explanation, Stats

Fields = str | Sequence[str]

# What becomes of numbers that do not fit: the flags of zinc_convert.  They may be joined: "truncate,clamp".
CONVERT: Mapping[str, int] = {"exact": 0, "clamp": 1, "truncate": 2, "wrap": 4, "round": 8}


_empty = np.empty


class Metadata(dict[str, Any]):
    """The metadata in the words of Zarr v3, whatever the version on disk.  Its members are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def zarr_format(self) -> int:
        """2 or 3; drafts of version 3 are 3."""
        return 2 if self["format"] == "v2" else 3

    @property
    def shape(self) -> Shape:
        """The shape when the metadata were read."""
        return tuple(self["shape"])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self["shape"])

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """A name or None for each dimension, or None if none has a name."""
        names = self["dimension_names"]
        return None if names is None else tuple(names)


class Array:
    """An array of a Zarr hierarchy, of any version.  Made by `zinczarr.open`, `open_array` and `create_array`.

    It is indexed as NumPy's arrays are; each access reads or writes the store.  Handles may be used by many threads at
    once, survive `fork`, and pickle as the URL, the path and the options they were opened with.
    """

    __slots__ = (
        "__weakref__",
        "_core",
        "_document",
        "_element",
        "_order",
        "_place",
        "_plain",
        "_v2",
        "write_empty_chunks",
    )

    def __init__(
        self, core: _core.Array, place: Place, *, document: str | None = None, write_empty_chunks: bool = False
    ) -> None:
        self._core = core
        self._place = place
        self.write_empty_chunks = write_empty_chunks  # store chunks that hold only the fill value?
        self._document = document  # of an array that was not opened by its path
        self._learn()

    def _learn(self) -> None:
        """What follows from the metadata and does not change when others resize the array."""
        self._v2: bool = self._place.hierarchy().format == "v2"
        about = json.loads(self._core.describe()) if self._v2 else {}
        self._element: Element = _dtypes.of(self._core, about.get("byte_order") == "big")
        self._order: str = "F" if about.get("order") == "F" else "C"
        self._plain: bool = self._order == "C" and self._element.as_is

    # ---- what it is ----

    @property
    def shape(self) -> Shape:
        """The shape; setting it resizes the array."""
        return self._core.shape

    @shape.setter
    def shape(self, value: Sequence[int]) -> None:
        self.resize(value)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._core.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._core.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of the elements."""
        return self._element.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element in memory."""
        return self._element.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements in memory; for texts and bytes of any length those of the references only."""
        return self.size * self.itemsize

    @property
    def chunks(self) -> Shape:
        """The shape of a chunk; of an inner chunk where sharded.

        UnsupportedError if chunks have several lengths (see `write_chunk_sizes`), or the grid is not supported.
        """
        found = self._core.chunks
        if found is None:
            raise self._uneven("chunks")
        return found

    @property
    def shards(self) -> Shape | None:
        """The shape of shards, or None.  UnsupportedError if they have several lengths (see `write_chunk_sizes`)."""
        found = self._core.shards
        if found is not None and not self._core.regular:
            raise self._uneven("shards")
        return found

    def _uneven(self, what: str) -> UnsupportedError:
        why = self._core.unsupported or f"{what} have several lengths; see write_chunk_sizes"
        return UnsupportedError(f"{self.url}: {self.name}: {why}")

    @property
    def read_chunk_sizes(self) -> tuple[Shape, ...]:
        """The lengths of the chunks (the inner ones where sharded) along each dimension, cut at the array's end."""
        return tuple(_lengths(n, edge) for n, edge in zip(self.shape, self._edges(inner=True), strict=True))

    @property
    def write_chunk_sizes(self) -> tuple[Shape, ...]:
        """The lengths of the stored objects along each dimension, cut at the array's end."""
        return tuple(_lengths(n, edge) for n, edge in zip(self.shape, self._edges(), strict=True))

    @property
    def fill_value(self) -> Any:
        """What elements are that are not stored; None if a document of v2 does not define it."""
        return None if self._undefined_fill() else _dtypes.fill_value(self._core, self._element)

    def _undefined_fill(self) -> bool:
        if not self._v2:
            return False
        document = self._document or self._place.hierarchy().document(self._core.path)
        return json.loads(document).get("fill_value") is None

    @property
    def order(self) -> str:
        """The memory order of results: that of the chunks in v2, "C" elsewhere."""
        return self._order

    @property
    def cdata_shape(self) -> Shape:
        """How many chunks there are along each dimension; inner ones where sharded."""
        if self._core.grid is not None and self._core.chunks is None:
            return self._core.grid
        return tuple(-(-n // max(c, 1)) for n, c in zip(self.shape, self.chunks, strict=True))

    @property
    def nchunks(self) -> int:
        """The number of chunks, stored or not."""
        return math.prod(self.cdata_shape)

    @property
    def nchunks_initialized(self) -> int:
        """How many chunks are stored; every chunk of a stored shard counts."""
        if self._core.shards is not None and not self._core.regular:
            return self._chunks_in_stored_shards()
        shards = self.shards
        per = math.prod(s // c for s, c in zip(shards, self.chunks, strict=True)) if shards else 1
        return self.stored()["objects"] * per

    def _chunks_in_stored_shards(self) -> int:
        """Shards have several lengths: each is looked for."""
        h = self._place.hierarchy()
        keys = {key for key, _ in h.store.list(h.prefix + (self.path + "/" if self.path else ""))}
        per = [[n // c for n in edge] for edge, c in zip(map(self._core.lengths, range(self.ndim)), self.chunks, strict=True)]
        return sum(
            math.prod(counts[i] for counts, i in zip(per, index, strict=True))
            for index in np.ndindex(*(self._core.grid or ()))
            if self._core.chunk_key(index) in keys
        )

    def nbytes_stored(self) -> int:
        """Bytes of all keys of the array in the store, with its metadata."""
        h = self._place.hierarchy()
        prefix = h.prefix + (self.path + "/" if self.path else "")
        return sum(size for _, size in h.store.list(prefix))

    @property
    def path(self) -> str:
        """Its path in the hierarchy, without slashes at the ends; "" for the root."""
        return self._core.path.strip("/")

    @property
    def name(self) -> str:
        """The path with a slash before it."""
        return "/" + self.path

    @property
    def basename(self) -> str:
        """The last part of the path."""
        return self.name.rsplit("/", 1)[1]

    @property
    def metadata(self) -> Metadata:
        """What the array's document says."""
        return Metadata(json.loads(self._core.describe()))

    @property
    def dimension_names(self) -> tuple[str | None, ...]:
        """A name or None for each dimension."""
        return self._core.dimension_names

    @property
    def read_only(self) -> bool:
        """Was it opened for reading only?"""
        return self._place.read_only

    @property
    def url(self) -> str:
        """The URL that the array was opened by."""
        return self._place.text

    @property
    def place(self) -> Place:
        """The URL, the path and the options it was opened with."""
        return self._place

    # ---- what others know about it ----

    @property
    def store(self) -> str:
        """The URL of the hierarchy's root, without secrets."""
        return _url.store_url(self._place)

    @property
    def attrs(self) -> Attributes:
        """The attributes: a mapping whose changes are stored at once."""
        from ._attrs import Attributes

        return Attributes(self._place)

    @property
    def info(self) -> Info:
        """A summary for people."""
        from ._info import array_info

        return array_info(self)

    def info_complete(self) -> Info:
        """The summary, with the number and bytes of stored objects."""
        from ._info import array_info

        return array_info(self, complete=True)

    def _repr_html_(self) -> str:
        from ._html import array_html

        return array_html(self)

    def tree(self) -> Tree:
        """The array as a tree of one node."""
        from ._html import tree

        return tree(self._place)

    def stored(self) -> dict[str, int]:
        """What is in the store: objects, bytes ..."""
        return self._core.stored()

    def stats(self, selection: Any = ..., **options: Any) -> Stats:
        """Minimum, maximum, mean and so on of a selection; see `zinczarr.stats`."""
        from ._tools import array_stats

        return array_stats(self, selection, **options)

    def explain(self, selection: Any = ..., **options: Any) -> Explanation:
        """What reading a selection would cost; see `zinczarr.explain`."""
        from ._tools import array_explain

        return array_explain(self, selection, **options)

    def to_dask(self, **options: Any) -> Any:
        """A dask array of it, with a block for each shard or chunk unless `chunks` says otherwise."""
        from ._dask import to_dask

        return to_dask(self, **options)

    def update_attributes(self, new_attributes: Mapping[str, Any]) -> Array:
        """Set attributes; others stay as they are."""
        self.attrs.update(new_attributes)
        return self

    # ---- reading ----

    def __getitem__(self, key: Any) -> Any:
        if self._plain:
            made = self._core.get(key, _empty, self._element.memory)
            if made is not NotImplemented:
                return made
        fields, key = _pop_fields(key)
        return self._get(numpy_plan(key, self._core.shape), fields=fields)

    def read(
        self,
        selection: Any = ...,
        *,
        out: Any = None,
        dtype: DTypeLike | None = None,
        convert: str = "exact",
        missing: str = "fill",
        threads: int = 0,
        progress: _core.Progress | None = None,
    ) -> Any:
        """Read what `a[selection]` names, into `out` if it is given, as `dtype` if that is given.

        Numbers that do not fit `dtype`, or the type of `out`, raise RangeError; `convert` says what else may become of
        them: "clamp", "truncate", "wrap", "round", several joined by commas.  `missing="error"` raises NotFoundError
        for chunks that are not stored, which are fill value otherwise.
        """
        fields, selection = _pop_fields(selection)
        options = {"missing_is_error": _choice(missing, "missing"), "threads": threads, "progress": progress}
        wanted = None if dtype is None else np.dtype(dtype)
        plan = numpy_plan(selection, self._core.shape)
        return self._get(plan, fields=fields, out=out, dtype=wanted, convert=_flags(convert), options=options)

    def get_basic_selection(self, selection: Any = ..., *, out: Any = None, fields: Fields | None = None) -> Any:
        """Integers, slices and `...`."""
        return self._get(_basic(selection, self._core.shape), out=out, fields=fields)

    def get_orthogonal_selection(self, selection: Any, *, out: Any = None, fields: Fields | None = None) -> Any:
        """Integers, slices, lists and masks, each for its own dimension."""
        return self._get(orthogonal_plan(selection, self._core.shape), out=out, fields=fields)

    def get_coordinate_selection(self, selection: Any, *, out: Any = None, fields: Fields | None = None) -> Any:
        """Elements by their coordinates: an array of indices for each dimension."""
        return self._get(coordinate_plan(selection, self._core.shape), out=out, fields=fields)

    def get_mask_selection(self, mask: Any, *, out: Any = None, fields: Fields | None = None) -> Any:
        """Elements where a mask of the array's shape is true."""
        return self._get(_mask(mask, self._core.shape), out=out, fields=fields)

    def get_block_selection(self, selection: Any, *, out: Any = None, fields: Fields | None = None) -> Any:
        """Whole blocks, which are chunks, or shards where sharded, by their indices."""
        return self._get(block_plan(selection, self._core.shape, self._edges()), out=out, fields=fields)

    def _get(
        self,
        plan: Plan | Mixed,
        *,
        fields: Fields | None = None,
        out: Any = None,
        dtype: np.dtype[Any] | None = None,
        convert: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        if out is not None:
            return self._get_into(plan, out, fields, dtype, convert, options or {})
        element = self._element
        number = 0
        memory = element.memory
        native = None if dtype is None else dtype.newbyteorder("=")
        if native is not None and native != memory and element.number and _dtypes.converts(memory, native):
            number, memory = NUMBERS[native], native
        made = np.empty(plan.shape, memory, order="F" if self._order == "F" else "C")
        plan.read(made, self._reader(number, convert, options or {}))
        if not number:
            made = element.finish(made)
        if fields:
            made = made[fields if isinstance(fields, str) else list(fields)]
        if dtype is not None and made.dtype != dtype:
            made = _dtypes.checked(made, dtype)
        return made if plan.shape else made[()]

    def _get_into(
        self, plan: Plan | Mixed, out: Any, fields: Fields | None, dtype: Any, convert: int, options: Mapping[str, Any]
    ) -> Any:
        into = out if isinstance(out, np.ndarray) else np.asarray(out)
        if not isinstance(out, np.ndarray) and not np.may_share_memory(into, np.asarray(out)):
            raise TypeError("out must be a NumPy array, or something that NumPy makes one of without a copy")
        if into.shape != plan.shape:
            raise ValueError(f"out has the shape {into.shape}, but the selection has {plan.shape}")
        if dtype is not None and dtype != into.dtype:
            raise ValueError(f"out has the type {into.dtype}, not {dtype}")
        if not into.flags.writeable:
            raise ValueError("out is read-only")
        element = self._element
        if not fields and into.dtype == element.memory:
            plan.read(into, self._reader(0, convert, options))
        elif not fields and element.number and _dtypes.converts(element.memory, into.dtype):
            plan.read(into, self._reader(NUMBERS[into.dtype], convert, options))
        else:
            into[...] = self._get(plan, fields=fields, dtype=into.dtype, convert=convert, options=options)
        return out

    def _reader(self, number: int, convert: int, options: Mapping[str, Any]) -> Any:
        def transfer(memory: AnyArray, select: Any, points: Any, mask: Any) -> None:
            self._core.read(memory, number, select, points=points, mask=mask, convert=convert, **options)

        return transfer

    # ---- writing ----

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        fields, key = _pop_fields(key)
        self._set(numpy_plan(key, self._core.shape), value, fields=fields)

    def write(
        self,
        value: ArrayLike,
        selection: Any = ...,
        *,
        convert: str = "exact",
        store_fill: bool | None = None,
        relaxed: bool = False,
        single_writer: bool = False,
        threads: int = 0,
        progress: _core.Progress | None = None,
    ) -> None:
        """Write `value` to what `a[selection]` names.  Unlike `a[selection] = value` nothing is cast: an element that
        does not fit raises RangeError, and nothing is written; `convert` as in `read`.

        `store_fill` stores chunks that hold only the fill value [as write_empty_chunks: no].  `relaxed` does not wait
        for the disk.  `single_writer` promises that nobody else writes.
        """
        fields, selection = _pop_fields(selection)
        options = {
            "store_fill": self.write_empty_chunks if store_fill is None else store_fill,
            "relaxed": relaxed,
            "single_writer": single_writer,
            "threads": threads,
            "progress": progress,
        }
        plan = numpy_plan(selection, self._core.shape)
        self._set(plan, value, fields=fields, convert=_flags(convert), options=options)

    def set_basic_selection(self, selection: Any, value: ArrayLike, *, fields: Fields | None = None) -> None:
        """Write elements by integers, slices and an ellipsis, as `a[...] = value`."""
        self._set(_basic(selection, self._core.shape), value, fields=fields)

    def set_orthogonal_selection(self, selection: Any, value: ArrayLike, *, fields: Fields | None = None) -> None:
        """Write elements by one index, slice, list or mask per dimension, as `a.oindex[...] = value`."""
        self._set(orthogonal_plan(selection, self._core.shape), value, fields=fields)

    def set_coordinate_selection(self, selection: Any, value: ArrayLike, *, fields: Fields | None = None) -> None:
        """Write elements by their coordinates, as `a.vindex[...] = value`."""
        self._set(coordinate_plan(selection, self._core.shape), value, fields=fields)

    def set_mask_selection(self, mask: Any, value: ArrayLike, *, fields: Fields | None = None) -> None:
        """Write the elements where a mask of the whole array is true."""
        self._set(_mask(mask, self._core.shape), value, fields=fields)

    def set_block_selection(self, selection: Any, value: ArrayLike, *, fields: Fields | None = None) -> None:
        """Write whole chunks, or shards where sharded, by their indices, as `a.blocks[...] = value`."""
        self._set(block_plan(selection, self._core.shape, self._edges()), value, fields=fields)

    def _set(
        self,
        plan: Plan | Mixed,
        value: ArrayLike,
        *,
        fields: Fields | None = None,
        convert: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if fields:
            value = self._with_fields(plan, value, fields)
        source, number, flags = self._prepare(value, convert)
        options = {"store_fill": self.write_empty_chunks} if options is None else options
        plan.write(_broadcast(source, plan.shape), self._writer(number, flags, options))

    def _with_fields(self, plan: Plan | Mixed, value: ArrayLike, fields: Fields) -> AnyArray:
        """The selected records with one field replaced.  Others that write the same records meanwhile lose theirs."""
        if not isinstance(fields, str) and len(fields) != 1:
            raise IndexError("only one field can be written at a time")
        name = fields if isinstance(fields, str) else fields[0]
        records = np.asarray(self._get(plan)).copy()
        if name not in (records.dtype.names or ()):
            raise IndexError(f"there is no field {name!r}")
        records[name] = value
        return records

    def _prepare(self, value: ArrayLike, convert: int | None) -> tuple[AnyArray, int, int]:
        """(elements that the library takes, number of their type, flags).  `convert` None: cast as NumPy does."""
        return _dtypes.prepare(value, self._element, convert)

    def _writer(self, number: int, convert: int, options: Mapping[str, Any]) -> Any:
        def transfer(memory: AnyArray, select: Any, points: Any, mask: Any) -> None:
            self._core.write(memory, number, select, points=points, mask=mask, convert=convert, **options)

        return transfer

    # ---- the shape ----

    def append(self, data: ArrayLike, axis: int = 0) -> Shape:
        """Add `data` at the end of an axis, and return the new shape.

        The range is reserved first, in one step.  So appends of many threads, processes and machines at the same time
        all keep their elements.
        """
        source, number, flags = self._prepare(data, None)
        self._core.append(source, number, _axis(axis, self.ndim), convert=flags)
        return self.shape

    def reserve(self, count: int, axis: int = 0) -> int:
        """Grow an axis by `count` in one step, and return where the new range begins.

        Nobody else gets the same range, so it may be written later, in parts, by other workers, or through zarr-python.
        Until then it is fill value.
        """
        return self._core.reserve(count, _axis(axis, self.ndim))

    def resize(self, new_shape: int | Sequence[int]) -> None:
        """Change the shape.  Chunks that lie wholly outside are erased.  Elements that are cut off of other chunks are
        there again when the array grows, as in zarr-python."""
        self._core.resize(shape_of(new_shape))

    def refresh(self) -> Array:
        """Read the metadata again: others may have resized the array."""
        self._core.refresh()
        self._learn()
        return self

    # ---- other ways to index ----

    @property
    def oindex(self) -> OIndex:
        """Orthogonal indexing: each dimension by an index, slice, list or mask of its own."""
        return OIndex(self)

    @property
    def vindex(self) -> VIndex:
        """Indexing by coordinates, or by a mask of the whole array."""
        return VIndex(self)

    @property
    def blocks(self) -> BlockIndex:
        """Indexing by whole chunks, or shards where sharded."""
        return BlockIndex(self)

    def _edges(self, inner: bool = False) -> list[int | Shape]:
        """For each dimension the length of a stored object, or of all, cut at the end."""
        core = self._core
        if core.grid is None or core.regular or (inner and core.shards is not None):
            return list(self.chunks if inner or self.shards is None else self.shards)
        return [_cut(n, core.lengths(d)) for d, n in enumerate(self.shape)]

    # ---- as an object of Python and NumPy ----

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        if copy is False:
            raise ValueError("copy=False is not possible: the elements are in the store")
        array = np.asarray(self[...])
        return array if dtype is None else array.astype(dtype, copy=False)

    def __len__(self) -> int:
        shape = self._core.shape
        if not shape:
            raise TypeError("len() of an array without dimensions")
        return shape[0]

    def __iter__(self) -> Iterator[Any]:
        """The items along the first axis; a block of them is read at a time."""
        n = len(self)
        core = self._core
        widest = core.shards or core.chunks
        step = max(1, widest[0] if widest else max(core.lengths(0), default=1))
        for i in range(0, n, step):
            yield from self[i : i + step]

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self[(0,) * self.ndim])
        raise ValueError("the truth of an array with several elements is ambiguous")

    def __int__(self) -> int:
        return int(self._only())

    def __float__(self) -> float:
        return float(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def __index__(self) -> int:
        if self.shape:
            raise TypeError("only arrays without dimensions are indices")
        return self[()].__index__()  # type: ignore[no-any-return]

    def _only(self) -> Any:
        if self.size != 1:
            raise TypeError("only arrays with one element become scalars")
        return self[(0,) * self.ndim]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Array):
            return NotImplemented
        return self._same_data() == other._same_data() and self.metadata == other.metadata

    def __hash__(self) -> int:
        return hash(self._place)

    def __repr__(self) -> str:
        return f"<Array {_url.shown(self.url)} {self.name} shape={self.shape} dtype={self.dtype}>"

    def __dlpack__(self, **options: Any) -> Any:
        return np.asarray(self[...]).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # memory of the CPU

    def __reduce__(self) -> tuple[object, ...]:
        return _reopen, (self._place, self._document, self.write_empty_chunks)

    def __copy__(self) -> Array:
        return type(self)(self._core, self._place, document=self._document, write_empty_chunks=self.write_empty_chunks)

    def __deepcopy__(self, memo: object) -> Array:
        return self.__copy__()

    def __dask_tokenize__(self) -> tuple[object, ...]:
        return "zinczarr.Array", *self._same_data(), self._core.describe()

    def _same_data(self) -> tuple[object, ...]:
        """What names the stored array: where it is, not how it was opened.  Settings name a server."""
        settings = self._place.options.get("settings") or {}
        return self._place.text, self._place.path, sorted((name, repr(value)) for name, value in settings.items())


def _reopen(place: Place, document: str | None = None, write_empty_chunks: bool = False) -> Array:
    if document is not None:
        core = _core.Array.from_document(place.hierarchy(), place.path, document)
    else:
        core = _core.Array.open(place.hierarchy(), place.path)
    return Array(core, place, document=document, write_empty_chunks=write_empty_chunks)


# ---- oindex, vindex, blocks ----


class OIndex:
    """`a.oindex[key]`: each dimension on its own."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        fields, key = _pop_fields(key)
        return self.array.get_orthogonal_selection(key, fields=fields)

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        fields, key = _pop_fields(key)
        self.array.set_orthogonal_selection(key, value, fields=fields)


class VIndex:
    """`a.vindex[key]`: elements by their coordinates, or by a mask of the whole array."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        fields, key = _pop_fields(key)
        return self.array._get(self._plan(key), fields=fields)

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        fields, key = _pop_fields(key)
        self.array._set(self._plan(key), value, fields=fields)

    def _plan(self, key: Any) -> Plan:
        shape = self.array._core.shape
        alone = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        if not isinstance(alone, tuple) and np.asarray(alone).dtype.kind == "b":
            return _mask(alone, shape)
        return coordinate_plan(key, shape)


class BlockIndex:
    """`a.blocks[key]`: whole chunks, or shards where sharded, by their indices."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        fields, key = _pop_fields(key)
        return self.array.get_block_selection(key, fields=fields)

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        fields, key = _pop_fields(key)
        self.array.set_block_selection(key, value, fields=fields)


# ---- arguments ----


def _pop_fields(key: Any) -> tuple[Fields | None, Any]:
    """The names of fields in a key, and the rest of it."""
    if isinstance(key, str):
        return key, ...
    if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
        return key, ...
    if not isinstance(key, tuple) or not any(isinstance(item, str) for item in key):
        return None, key
    names = [item for item in key if isinstance(item, str)]
    rest = tuple(item for item in key if not isinstance(item, str))
    return names[0] if len(names) == 1 else names, rest if rest else ...


def _basic(selection: Any, shape: Shape) -> Plan:
    plan = numpy_plan(selection, shape)
    items = selection if isinstance(selection, tuple) else (selection,)
    if isinstance(plan, Mixed) or not all(_is_basic(item) for item in items):
        raise IndexError("a basic selection has integers, slices and an ellipsis")
    return plan


def _is_basic(item: Any) -> bool:
    return item is None or (isinstance(item, (slice, EllipsisType, SupportsIndex)) and not getattr(item, "ndim", 0))


def _mask(mask: Any, shape: Shape) -> Plan:
    array = np.asarray(mask)
    if array.dtype.kind != "b":
        raise IndexError(f"a mask is boolean, not {array.dtype}")
    return mask_plan(array, shape)


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of bounds for an array of {ndim} dimensions")
    return axis % ndim


def _flags(names: str) -> int:
    try:
        return sum({CONVERT[name.strip()] for name in names.split(",")})
    except KeyError as e:
        raise ValueError(f"convert is one of {', '.join(CONVERT)}, or several with commas, not {names!r}") from e


def _choice(missing: str, what: str) -> bool:
    if missing not in ("fill", "error"):
        raise ValueError(f'{what} is "fill" or "error", not {missing!r}')
    return missing == "error"


def _broadcast(source: AnyArray, shape: Shape) -> AnyArray:
    """As NumPy assigns: leading axes of length one may be too many."""
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = source[0]
    try:
        return np.broadcast_to(source, shape)
    except ValueError:
        raise ValueError(f"could not broadcast a value of the shape {source.shape} to {shape}") from None


def _cut(n: int, lengths: Shape) -> Shape:
    """The last one ends with the dimension."""
    return (*lengths[:-1], n - sum(lengths[:-1])) if lengths else ()


def _lengths(n: int, edge: int | Shape) -> Shape:
    return edge if isinstance(edge, tuple) else tuple(min(edge, n - i) for i in range(0, n, max(edge, 1)))
