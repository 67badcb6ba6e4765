"""scenarios.py - more than one exchange: two programs work on one array or hierarchy in turn

A scenario is a function of (first, second, case or None, path) which raises Different if the two do not agree with
NumPy.  One of the two is always Zinc.
"""

import itertools
import json
import os
from dataclasses import dataclass

import numpy as np

import values
from cases import blosc, codec, plain, shard, to_bytes
from peers import ZarrsProgram, Zarrita, Zinc, fresh, named, peers, read_document


class Different(Exception):
    pass


@dataclass(frozen=True)
class Scenario:
    name: str
    tags: tuple
    first: object
    second: object
    case: object
    play: object
    cannot: str | None = None  # why it is skipped

    @property
    def way(self):
        return f"{self.first.name} > {self.second.name}"


def run(scenario, path):
    """Run a scenario; yields way, state, detail."""
    case = scenario.case
    refusals = [case and who.why_not(case, "write") for who in (scenario.first, scenario.second)]
    refusal = next(filter(None, [scenario.cannot, *refusals]), None)
    if refusal:
        yield scenario.way, "skip", refusal
        return
    try:
        scenario.play(scenario.first, scenario.second, case, fresh(path))
        fresh(path)
        yield scenario.way, "pass", ""
    except Exception as e:  # any exception of a peer is a result here
        yield scenario.way, "fail", f"{type(e).__name__}: {e}".strip()[:600]


def same(what, want, got):
    want, got = np.asarray(want), np.asarray(got)
    if got.dtype != want.dtype or got.shape != want.shape:
        raise Different(f"{what}: {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}")
    a, b = values.quiet(want), values.quiet(got)
    if values.bits(a) != values.bits(b):
        raise Different(f"{what}: elements differ\nwant\n{want}\ngot\n{got}")


def same_json(what, want, got):
    if json.dumps(want, sort_keys=True) != json.dumps(got, sort_keys=True):
        raise Different(f"{what}: {got}, not {want}")


def both_see(what, want, first, second, path):
    for who in (first, second):
        same(f"{what}, seen by {who.name}", want, who.read(path).values)


# ---- arrays that scenarios work on: (7, 9) elements ----


def layouts(dtype="float32"):
    le, zstd, crc = to_bytes(dtype), codec("zstd", level=3, checksum=False), codec("crc32c")
    chains = {
        "plain": [le],
        "zstd": [le, zstd],
        "gzip": [le, codec("gzip", level=1), crc],
        "blosc": [le, blosc(dtype)],
        "big-transposed": [codec("transpose", order=[1, 0]), codec("bytes", endian="big"), zstd],
        "shard": [shard((2, 3), [le, zstd])],
        "shard-start": [shard((2, 3), [le, crc], location="start")],
        "shard-nested": [shard((4, 3), [shard((2, 3), [codec("transpose", order=[1, 0]), le, zstd])])],
        "shard-transposed": [codec("transpose", order=[1, 0]), shard((3, 2), [le])],
        "shard-gzip": [shard((2, 3), [le]), codec("gzip", level=1)],
    }
    for name, chain in chains.items():
        chunks = (4, 3) if "shard" not in name else (6, 6) if name == "shard-transposed" else (4, 6)
        yield plain(name, "", dtype, (7, 9), chunks, chain)


BOXES = ["0:2,0:3", "1:3,2:4", "3:7,2:9", "0:4,0:3", "6:7,8:9", "2:6,0:9", "0:7,0:9"]


def index_of(text):
    """A selection's text as a NumPy index."""
    return tuple(slice(*(int(n) if n else None for n in part.split(":"))) for part in text.split(","))


def partial_writes(first, second, case, path):
    """The first makes the array, then both write parts in turn; fill value written over a chunk counts too."""
    first.write(case, path)
    model = case.data()
    for n, (text, who) in enumerate(zip(BOXES, itertools.cycle((second, first)))):
        box = index_of(text)
        if n % 3 == 2:
            model[box] = values.fill_of(case.dtype, case.fill)
        else:
            model[box] = values.random(case.dtype, model[box].shape, f"{case.name}{n}")
        who.put(path, box, np.ascontiguousarray(model[box]))
        both_see(f"after {who.name} wrote {text}", model, first, second, path)


def into_nothing(first, second, case, path):
    """The first writes metadata only; the second the first elements of an array without chunks."""
    first.write(plain(case.name, "", case.dtype, case.shape, case.chunks, case.codecs, written=False), path)
    model = np.full(case.shape, values.fill_of(case.dtype, case.fill))
    for text in ("3:5,2:7", "6:7,0:1"):
        box = index_of(text)
        model[box] = values.random(case.dtype, model[box].shape, text)
        second.put(path, box, np.ascontiguousarray(model[box]))
        both_see(f"after {second.name} wrote {text}", model, first, second, path)


def resized(first, second, case, path):
    """Growing shows fill value, shrinking hides; both see each other's shape.  Chunk borders only, because
    the specification does not define elements beyond the border inside a chunk."""
    first.write(case, path)
    model = case.data()
    fill = values.fill_of(case.dtype, case.fill)
    for chunks, who in (((3, 4), second), ((1, 2), first), ((2, 4), second), ((2, 1), first)):
        shape = tuple(n * c for n, c in zip(chunks, case.chunks))
        who.resize(path, list(shape))
        grown = np.full(np.maximum(model.shape, shape), fill)
        grown[tuple(slice(0, n) for n in model.shape)] = model
        model = grown[tuple(slice(0, n) for n in shape)].copy()
        both_see(f"after {who.name} resized to {shape}", model, first, second, path)


def appended(first, second, case, path):
    first.write(case, path)
    model = case.data()
    for n, (axis, who) in enumerate(((0, second), (1, second), (0, first), (1, first))):
        extra = list(model.shape)
        extra[axis] = 2 + n
        more = values.random(case.dtype, extra, f"{case.name}{n}")
        who.append(path, axis, more)
        model = np.concatenate([model, more], axis)
        both_see(f"after {who.name} appended along {axis}", model, first, second, path)


def selections(first, second, case, path):
    """`zinc cat -s` against NumPy, and `zinc put -s` seen by the peer, for every kind of selection."""
    peer, zinc = (first, second) if isinstance(second, Zinc) else (second, first)
    first.write(case, path)
    model = case.data()
    table = {
        "3": np.s_[3], "-1,2": np.s_[-1, 2], "10:20": np.s_[10:20], "::2,1::3": np.s_[::2, 1::3], "-5:": np.s_[-5:],
        "...,4": np.s_[..., 4], ":, 2:5": np.s_[:, 2:5], "[1,5,6]": np.s_[[1, 5, 6]], "[0,6,3],[8,0]": np.ix_([0, 6, 3], [8, 0]),
        "2:4,[1,7]": np.s_[2:4, [1, 7]],
    }  # fmt: skip
    for text, index in table.items():
        same(f"cat -s '{text}'", model[index], zinc.cat(path, text))
    for n, (text, index) in enumerate(table.items()):
        model[index] = values.random(case.dtype, np.shape(model[index]), f"{case.name}{n}")
        zinc.put_text(path, text, np.array(model[index], order="C"))  # ascontiguousarray would add a dimension
        same(f"after put -s '{text}'", model, peer.read(path).values)


LARGE = (900, 700)


def large():
    """Chunks of most of a megabyte, of which a reader needs a small part."""
    t, zstd = "float32", codec("zstd", level=1, checksum=False)
    chains = {
        "zstd": [to_bytes(t), zstd],
        "zstd-checksum": [to_bytes(t), codec("zstd", level=1, checksum=True)],
        "gzip": [to_bytes(t), codec("gzip", level=1)],
        "blosc": [to_bytes(t), blosc(t, "zstd", 1, "bitshuffle")],
        "plain": [to_bytes(t)],
        "transposed": [codec("transpose", order=[1, 0]), to_bytes(t), blosc(t)],
        "shard": [shard((50, 50), [to_bytes(t), zstd])],
        "shard-start": [shard((25, 100), [to_bytes(t), blosc(t)], location="start")],
    }
    for name, chain in chains.items():
        yield plain(f"large-{name}", "", t, LARGE, (500, 400), chain)


def parts_of_large(first, second, case, path):
    """`zinc cat -s` of parts, all of it by the other, and `zinc put -s` of parts."""
    peer, zinc = (first, second) if isinstance(second, Zinc) else (second, first)
    first.write(case, path)
    model = case.data()
    rows, columns = LARGE
    texts = ["0:1,0:1", "490:510,390:410", f"{rows - 1}:{rows},0:{columns}", f"0:{rows},{columns - 1}:{columns}", "500:900,400:700"]
    for text in texts:
        same(f"cat -s {text}", model[index_of(text)], zinc.cat(path, text))
    for text in texts:
        box = index_of(text)
        model[box] = values.random(case.dtype, model[box].shape, text)
        zinc.put(path, box, np.ascontiguousarray(model[box]))
    both_see("after zinc wrote parts", model, first, second, path)


def defaults(first, second, case, path):
    """Arrays made with only a shape and a type."""
    for n, (name, shape) in enumerate(itertools.product(["int32", "float64", "uint8", "bool"], [(7, 9), (5,), (2, 3, 4)])):
        data, at = values.random(name, shape, name), f"{path}-{n}"
        first.write_default(fresh(at), data)
        same(f"{name}{shape}", data, second.read(at).values)
        fresh(at)


# ---- hierarchies: only zarr-python has them, and zarrita consolidated metadata ----

ATTRIBUTES = {"title": "größe", "n": 2**53 + 1, "list": [1, 2.5, None, {"a": []}]}


def make_with_zarr(path):
    import zarr

    root = zarr.create_group(path, attributes=ATTRIBUTES)
    root.create_group("empty", attributes={"of": "root"})
    deep = root.create_group("a/b", attributes={"deep": True})
    for group, name in ((root, "x"), (deep, "y")):
        group.create_array(name, shape=(5,), dtype="int16", chunks=(2,), attributes={"name": name})[...] = np.arange(5)


def make_with_zinc(zinc, path):
    zinc.run("create", path, "--group", "--attrs", json.dumps(ATTRIBUTES))
    zinc.run("create", f"{path}/empty", "--group", "--attrs", '{"of": "root"}')
    zinc.run("create", f"{path}/a/b/y", "--shape", "5", "--dtype", "int16", "--chunks", "2", "--attrs", '{"name": "y"}')
    zinc.run("attrs", f"{path}/a/b", "deep=true")
    zinc.run("create", f"{path}/x", "--shape", "5", "--dtype", "int16", "--chunks", "2", "--attrs", '{"name": "x"}')
    for name in ("x", "a/b/y"):
        zinc.put(f"{path}/{name}", None, np.arange(5, dtype="int16"))


TREE = {
    "": ("group", ATTRIBUTES), "a": ("group", {}), "a/b": ("group", {"deep": True}), "a/b/y": ("array", {"name": "y"}),
    "empty": ("group", {"of": "root"}), "x": ("array", {"name": "x"}),
}  # fmt: skip


def zinc_tree(zinc, path):
    found, todo = {}, [json.loads(zinc.run("tree", "--json", path))]
    while todo:
        node = todo.pop()
        attributes = json.loads(zinc.run("attrs", "--json", os.path.join(path, node["path"].lstrip("/"))))
        found[node["path"].lstrip("/")] = (node["node_type"], attributes)
        todo += node.get("children", [])
    return found


def zarr_tree(path, consolidated=None):
    import zarr

    root = zarr.open_group(path, mode="r", use_consolidated=consolidated)
    kind = lambda node: "array" if isinstance(node, zarr.Array) else "group"
    return {"": ("group", root.attrs.asdict()), **{name: (kind(n), n.attrs.asdict()) for name, n in root.members(max_depth=None)}}


def groups_of_zarr(first, second, case, path):
    make_with_zarr(path)
    same_json("tree", TREE, zinc_tree(second, path))
    for name in ("x", "a/b/y"):
        same(name, np.arange(5, dtype="int16"), second.read(f"{path}/{name}").values)
    second.validate(path)


def groups_of_zinc(first, second, case, path):
    make_with_zinc(first, path)
    same_json("tree", TREE, zarr_tree(path))
    for name in ("x", "a/b/y"):
        same(name, np.arange(5, dtype="int16"), second.read(f"{path}/{name}").values)
    first.validate(path)


def edited_attributes(first, second, case, path):
    """Both edit attributes of one array and of one group; no edit is lost."""
    import zarr

    zinc = first if isinstance(first, Zinc) else second
    make_with_zarr(path) if zinc is second else make_with_zinc(zinc, path)
    for node, want in (("x", {"name": "x"}), ("", dict(ATTRIBUTES))):
        at = os.path.join(path, node)
        zinc.run("attrs", at, "units=\"K\"", "big=18446744073709551615", "deep={\"a\":[1,null]}")
        want.update(units="K", big=2**64 - 1, deep={"a": [1, None]})
        same_json("after zinc", want, zarr.open(at, mode="r").attrs.asdict())
        zarr.open(at, mode="r+").attrs.update({"from": "zarr", "units": "degC"})
        want.update({"from": "zarr", "units": "degC"})
        same_json("after zarr", want, json.loads(zinc.run("attrs", "--json", at)))
        zinc.run("attrs", at, "--rm", "big")
        del want["big"]
        same_json("after zinc --rm", want, zarr.open(at, mode="r").attrs.asdict())


def consolidated_by_zarr(first, second, case, path):
    """Zinc reads through consolidated metadata, and drops it when it changes a document below."""
    import zarr

    make_with_zarr(path)
    zarr.consolidate_metadata(path)
    same_json("tree", TREE, zinc_tree(second, path))
    second.validate(path)
    second.run("attrs", f"{path}/a/b", "deep=false")
    want = {**TREE, "a/b": ("group", {"deep": False})}
    same_json("seen by zarr after an edit", want, zarr_tree(path))
    same_json("seen by zinc after an edit", want, zinc_tree(second, path))


def consolidated_by_zinc(first, second, case, path):
    make_with_zinc(first, path)
    first.drive("consolidate", path)
    if "consolidated_metadata" not in read_document(path):
        raise Different("no consolidated_metadata in the root's document")
    if isinstance(second, Zarrita):
        listed = {item["path"].strip("/"): item["kind"] for item in second.ask("tree", path)["contents"]}
        same_json("tree", {k: v[0] for k, v in TREE.items()}, listed)
    else:
        same_json("tree", TREE, zarr_tree(path, consolidated=True))
    first.validate(path)


# ---- the list ----


def all_scenarios(quick=False):
    zinc, found, some = Zinc(), [], slice(None, None, 3 if quick else 1)

    def add(play, tag, peer, case=None, ways="both", cannot=None):
        pairs = {"both": [(peer, zinc), (zinc, peer)], "from": [(peer, zinc)], "to": [(zinc, peer)]}[ways]
        for first, second in pairs:
            name = "-".join(filter(None, ("then", play.__name__, case and case.name, first.name, second.name)))
            found.append(Scenario(name, (f"then {tag}",), first, second, case, play, cannot and f"{peer.name}: {cannot}"))

    for peer in peers():
        odd = isinstance(peer, Zarrita)
        if isinstance(peer, ZarrsProgram):  # it reads and writes all elements, and no more
            add(defaults, "made with defaults", peer, ways="to")
            continue
        add(defaults, "made with defaults", peer, ways="from", cannot=odd and "its default fill value is null, which is not valid")
        add(defaults, "made with defaults", peer, ways="to")
        for case in list(layouts())[some]:
            add(partial_writes, "partial writes in turn", peer, case)
            add(into_nothing, "partial writes into nothing", peer, case)
            add(resized, "resized in turn", peer, case, cannot=odd and "cannot resize")
            add(appended, "appended in turn", peer, case, cannot=odd and "cannot append")
            add(selections, "every kind of selection", peer, case, "to")
        for case in list(large())[some]:
            add(parts_of_large, "parts of large chunks", peer, case)
    zarr, tensorstore, zarrita = (named(n) for n in ("zarr", "tensorstore", "zarrita"))
    for peer in (zarr, tensorstore):
        no_groups = "has no groups and no editing of attributes" if peer is tensorstore else None
        add(groups_of_zarr, "groups and attributes", peer, ways="from", cannot=no_groups)
        add(groups_of_zinc, "groups and attributes", peer, ways="to", cannot=no_groups)
        add(edited_attributes, "attributes edited in turn", peer, cannot=no_groups)
        add(consolidated_by_zarr, "consolidated metadata", peer, ways="from", cannot=no_groups)
        add(consolidated_by_zinc, "consolidated metadata", peer, ways="to", cannot=no_groups)
    add(consolidated_by_zinc, "consolidated metadata", zarrita, ways="to")
    return found
