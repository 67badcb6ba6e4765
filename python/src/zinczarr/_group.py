"""`Group`: the nodes below a place, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from . import _core, _nodes, _open, _url
from ._attrs import Attributes
from ._create import DEFAULT
from ._errors import ExistsError, NotFoundError
from ._nodes import ARRAY, GROUP, Node
from ._place import Place
from ._progress import Progress, reporter

if TYPE_CHECKING:
    from ._array import Array
    from ._html import Tree
    from ._info import Info
    from ._results import CopyResult, DiffResult, ValidateResult

T = TypeVar("T")


class Group:
    """A group of a Zarr hierarchy, of any version.  Made by `zinczarr.open`, `open_group` and `create_group`.

    >>> import zinczarr
    >>> g = zinczarr.create_group("memory://group")
    >>> a = g.create_array("x/t", shape=(4, 6), dtype="i4", chunks=(2, 6))
    >>> list(g), "x/t" in g, g["x/t"].shape
    (['x'], True, (4, 6))
    >>> g.tree()
    /
    └── x
        └── t (4, 6) int32

    A child whose document cannot be used is not among the members; a `ZincWarning` names it, and `tree()` shows it.
    """

    __slots__ = ("__weakref__", "_place")

    def __init__(self, place: Place) -> None:
        self._place = place

    # ---- what it is ----

    @property
    def place(self) -> Place:
        """The URL, the path and the options it was opened with."""
        return self._place

    @property
    def path(self) -> str:
        """Its path in the hierarchy, without slashes at the ends; "" for the root."""
        return self._place.path.strip("/")

    @property
    def name(self) -> str:
        """The path with a slash before it."""
        return "/" + self.path

    @property
    def basename(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def url(self) -> str:
        """The URL of this group, with its settings."""
        return _url.place_url(self._place)

    @property
    def store(self) -> str:
        """The URL of the hierarchy's root, without secrets."""
        return _url.store_url(self._place)

    @property
    def format(self) -> str:
        """The version of Zarr: "v2", "v3", "v3-2020" ..."""
        return self._place.hierarchy().format

    @property
    def zarr_format(self) -> int:
        """2 or 3; drafts of version 3 are 3."""
        return 2 if self.format == "v2" else 3

    @property
    def read_only(self) -> bool:
        """Was it opened for reading only?"""
        return self._place.read_only

    @property
    def attrs(self) -> Attributes:
        """The attributes: a mapping whose changes are stored at once."""
        return Attributes(self._place)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the group's document says."""
        node = _nodes.walk(self._place, 0)[0]
        return {
            "path": node.path,
            "node_type": "group",
            "format": self.format,
            "zarr_format": self.zarr_format,
            "attributes": node.attributes,
            "metadata_key": node.metadata_key,
            "implicit": node.implicit,
        }

    @property
    def consolidated(self) -> bool:
        """Has it consolidated metadata?"""
        return self._place.hierarchy().consolidated(self._place.path)

    def update_attributes(self, new_attributes: Mapping[str, Any]) -> Group:
        """Set attributes; others stay as they are."""
        self.attrs.update(new_attributes)
        return self

    # ---- members ----

    def _at(self, path: str) -> Place:
        if not isinstance(path, str):
            raise TypeError(f"the path of a node is a text, not {path!r}")
        return self._place.at(_open.join(self._place.path, path))

    def _open(self, node: Node) -> Array | Group:
        place = self._place.at(node.path)
        if node.kind != ARRAY:
            return Group(place)
        return _open.array_at(place, None if isinstance(node.shown, str) else node.shown)

    def _relative(self, path: str) -> str:
        return path[len(self._place.path.rstrip("/")) + 1 :]

    def _children(self, kind: int | None = None, arrays: bool = False) -> Iterator[Node]:
        return (node for node in _nodes.below(self._place, arrays=arrays) if kind in (None, node.kind))

    def __getitem__(self, path: str) -> Array | Group:
        place = self._at(path)
        if place.path == self._place.path:
            return self
        try:
            return _open.array_at(place)
        except NotFoundError:
            if place.hierarchy().kind(place.path) != GROUP:
                raise
        return Group(place)

    def get(self, path: str, default: T | None = None) -> Array | Group | T | None:
        """The node, or `default` where there is none."""
        try:
            return self[path]
        except NotFoundError:
            return default

    def get_array(self, path: str) -> Array:
        """The array at a path; NotFoundError if there is none, or a group."""
        return _open.array_at(self._at(path))

    def get_group(self, path: str) -> Group:
        """The group at a path; NotFoundError if there is none, or an array."""
        place = self._at(path)
        kind = place.hierarchy().kind(place.path)
        if kind != GROUP:
            raise NotFoundError(f"{place.path}: there is {'an array' if kind == ARRAY else 'nothing'}, not a group")
        return Group(place)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        place = self._at(path)
        return place.hierarchy().kind(place.path) != 0

    def __iter__(self) -> Iterator[str]:
        return (node.name for node in self._children())

    def __len__(self) -> int:
        return sum(1 for _ in self._children())

    def keys(self) -> Iterator[str]:
        """Names of the children."""
        return iter(self)

    def members(
        self, max_depth: int | None = 0, *, use_consolidated_for_children: bool = True
    ) -> tuple[tuple[str, Array | Group], ...]:
        """Path and node of each member: of children (0), of their children too (1) ..., of all below (None)."""
        return tuple((self._relative(node.path), self._open(node)) for node in self._below(max_depth, True))

    def _below(self, max_depth: int | None, arrays: bool = False) -> Iterator[Node]:
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth is None or at least 0, not {max_depth}")
        return _nodes.below(self._place, -1 if max_depth is None else max_depth + 1, arrays)

    def nmembers(self, max_depth: int | None = 0) -> int:
        """How many members `members(max_depth)` has."""
        return sum(1 for _ in self._below(max_depth))

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Name and array of each child that is an array."""
        return ((node.name, self._open(node)) for node in self._children(ARRAY, True))  # type: ignore[misc]

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Name and group of each child that is a group."""
        return ((node.name, self._open(node)) for node in self._children(GROUP))  # type: ignore[misc]

    def array_keys(self) -> Iterator[str]:
        """Names of the children that are arrays."""
        return (node.name for node in self._children(ARRAY))

    def group_keys(self) -> Iterator[str]:
        """Names of the children that are groups."""
        return (node.name for node in self._children(GROUP))

    def array_values(self) -> Iterator[Array]:
        """The children that are arrays."""
        return (array for _, array in self.arrays())

    def group_values(self) -> Iterator[Group]:
        """The children that are groups."""
        return (group for _, group in self.groups())

    def values(self) -> Iterator[Array | Group]:
        """The children."""
        return (self._open(node) for node in self._children(None, True))

    def items(self) -> Iterator[tuple[str, Array | Group]]:
        """Name and node of each child."""
        return ((node.name, self._open(node)) for node in self._children(None, True))

    # ---- changes ----

    def create_array(
        self,
        name: str,
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
        order: Literal["C", "F"] | None = None,
        attributes: Mapping[str, object] | None = None,
        chunk_key_encoding: object = None,
        dimension_names: object = None,
        overwrite: bool | str = False,
        config: object = None,
        write_data: bool = True,
        **kwargs: Any,
    ) -> Array:
        """Create an array below this group; the arguments are those of `zinczarr.create_array`."""
        if kwargs.pop("storage_options", None):
            raise TypeError("storage_options= belong to the URL that the group was opened by")
        return _open.make_array(
            self._at(name),
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

    create = create_array

    def create_group(
        self, name: str, *, overwrite: bool | str = False, attributes: Mapping[str, object] | None = None
    ) -> Group:
        """Create a group, and groups for all missing ancestors."""
        place = self._at(name)
        _open.make_group(place, attributes, overwrite)
        return Group(place)

    def require_group(
        self, name: str, *, overwrite: bool | str = False, attributes: Mapping[str, object] | None = None
    ) -> Group:
        """The group of this name, which is created if it is missing."""
        if overwrite:
            return self.create_group(name, overwrite=overwrite, attributes=attributes)
        found = self._require(name, GROUP, lambda: self.create_group(name, attributes=attributes))
        return found  # type: ignore[return-value]

    def require_groups(self, *names: str) -> tuple[Group, ...]:
        """The groups at these paths, which are created where they are missing."""
        return tuple(self.require_group(name) for name in names)

    def require_array(
        self, name: str, *, shape: object, dtype: object = None, exact: bool = False, **kwargs: Any
    ) -> Array:
        """The array of this name, which is created if it is missing.

        TypeError if it has another shape, or a type that its elements cannot be cast to safely (`exact`: another type).
        """
        array = self._require(
            name, ARRAY, lambda: self.create_array(name, shape=shape, dtype="f8" if dtype is None else dtype, **kwargs)
        )
        return _checked(array, shape, dtype, exact)  # type: ignore[arg-type]

    def _require(self, name: str, kind: int, make: Callable[[], Array | Group]) -> Array | Group:
        found = self.get(name)
        if found is None:
            try:
                return make()
            except ExistsError:  # another process was faster
                found = self[name]
        if isinstance(found, Group) != (kind == GROUP):
            raise TypeError(f"{name}: there is {'a group' if isinstance(found, Group) else 'an array'}")
        return found

    def __setitem__(self, key: str, value: object) -> None:
        """Save NumPy's array, or a number or text, replacing what is there."""
        self.create_array(key, data=np.asanyarray(value), overwrite=True)

    def __delitem__(self, key: str) -> None:
        """Erase a node and everything below, if all keys there belong to it."""
        self.erase(key)

    def erase(self, path: str, *, force: bool = False, progress: Progress = None) -> tuple[int, int]:
        """Erase a node and everything below it; returns how many nodes and keys were erased.

        Nothing is erased if there are keys below that may not belong to it (a README, nodes of another version,
        documents that are not understood), unless `force`.
        """
        place = self._at(path)
        if place.path == self._place.path:
            raise ValueError("a group cannot erase itself; erase it from its parent")
        with reporter(progress, "erasing", "node") as report:
            return place.hierarchy().erase(place.path, force=force, progress=report)

    def move(self, source: str, dest: str, *, overwrite: bool = False, progress: Progress = None) -> None:
        """Rename a node: copy, verify, erase."""
        with reporter(progress, "moving", "chunk") as report:
            _core.move(
                self._place.hierarchy(),
                self._at(source).path,
                self._at(dest).path,
                {"overwrite": int(overwrite)},
                progress=report,
            )

    # zarr-python's other ways to create

    def _filled(self, name: str, shape: object, fill_value: object, kwargs: dict[str, Any]) -> Array:
        kwargs.setdefault("dtype", "f8")
        return self.create_array(name, shape=shape, fill_value=fill_value, **kwargs)

    def empty(self, *, name: str, shape: object, **kwargs: Any) -> Array:
        """Create an array of the type's zero, of which nothing is stored."""
        return self._filled(name, shape, DEFAULT, kwargs)

    def zeros(self, *, name: str, shape: object, **kwargs: Any) -> Array:
        """Create an array of zeros."""
        return self._filled(name, shape, 0, kwargs)

    def ones(self, *, name: str, shape: object, **kwargs: Any) -> Array:
        """Create an array of ones."""
        return self._filled(name, shape, 1, kwargs)

    def full(self, *, name: str, shape: object, fill_value: object, **kwargs: Any) -> Array:
        """Create an array whose elements are all `fill_value`."""
        return self._filled(name, shape, fill_value, kwargs)

    # ---- looking ----

    def tree(
        self,
        expand: bool | None = None,
        level: int | None = None,
        *,
        attrs: bool = False,
        max_nodes: int = 500,
        plain: bool = True,
    ) -> Tree:
        """The hierarchy below: `level` levels of it, with `attrs` also dimensions and attributes."""
        from ._html import tree

        return tree(self._place, level=level, attrs=attrs, max_nodes=max_nodes)

    @property
    def info(self) -> Info:
        """A summary for people."""
        from ._info import group_info

        return group_info(self)

    def info_complete(self) -> Info:
        """With the number of members."""
        from ._info import group_info

        return group_info(self, complete=True)

    def __repr__(self) -> str:
        return f"<Group {_url.shown(self.store)} {self.name}>"

    def _repr_html_(self) -> str:
        from ._html import group_html

        return group_html(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    # ---- tools ----

    def consolidate(self, *, remove: bool = False, progress: Progress = None) -> Group:
        """Write (or remove) consolidated metadata of everything below."""
        with reporter(progress, "consolidating", "node") as report:
            self._place.hierarchy().consolidate(self._place.path, remove=remove, progress=report)
        return self

    def copy(self, target: Any, **options: Any) -> CopyResult:
        """Copy everything to another place, see `zinczarr.copy`."""
        from ._tools import copy

        return copy(self, target, **options)

    def validate(self, **options: Any) -> ValidateResult:
        """Check everything, see `zinczarr.validate`."""
        from ._tools import validate

        return validate(self, **options)

    def diff(self, other: Any, **options: Any) -> DiffResult:
        """Compare with another group, see `zinczarr.diff`."""
        from ._tools import diff

        return diff(self, other, **options)

    def stats(self, **options: Any) -> Any:
        """Statistics of all arrays below, see `zinczarr.stats`."""
        from ._tools import stats

        return stats(self, **options)

    # ---- as an object of Python ----

    def _identity(self) -> tuple[str, str, str]:
        return self.store, self._place.path, json.dumps(dict(self._place.options.get("settings", {})), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Group) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __reduce__(self) -> tuple[object, ...]:
        return Group, (self._place,)

    def __dask_tokenize__(self) -> tuple[object, ...]:
        return ("zinczarr.Group", *self._identity(), self._place.hierarchy().attributes(self._place.path))


def _checked(array: Array, shape: object, dtype: object, exact: bool) -> Array:
    wanted = _open.shape_of(shape)
    if array.shape != wanted:
        raise TypeError(f"{array.name} has the shape {array.shape}, not {wanted}")
    if dtype is None:
        return array
    given: np.dtype[Any] = np.dtype(dtype)  # type: ignore[call-overload]
    if array.dtype != given and (exact or not np.can_cast(array.dtype, given)):
        raise TypeError(f"{array.name} has the type {array.dtype}, not {given}")
    return array
