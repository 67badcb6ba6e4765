"""The notebook runs, offline, and shows what it says."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

import zinczarr

NOTEBOOK = Path(__file__).parent.parent / "examples" / "zinczarr.ipynb"

# What the output of a cell contains, by a piece of its source
EXPECTED = {
    "temperature[:20] =": ["zinc-stored", "float32", "(30, 90, 180)", "12 of 18 chunks"],
    "temperature[0, 45, :3]": ["nan", "(2, 3)", "(2, 90, 3) (2,)", "(10, 45, 60)"],
    "log.append": ["[4, 4, 4]"],
    "long_name": ["'valid_max': 340.0", "'units': 'K'"],
    "print(root.tree())": ["├── log (10, 3) int64", "└── names (2,) string"],
    "sharded = root.create_array": ["6 of 12 shards", "blosc"],
    "root.validate()": ["nothing is wrong"],
    'format="v2", verify': ["copied 2 groups, 5 arrays", "equal (7 nodes", "dtype=float32"],
    'other["t2m"]': ["values", "1 of 486000", "(3, 4, 5)"],
    "temperature.explain": ["better chunks"],
    "temperature.stats": ["zinc-bars", "mean"],
    "temperature.to_dask": ["True"],
    "open_dataset": ["True ('time', 'lat', 'lon')"],
    "codec_pipeline.path": ["ZincCodecPipeline 10 10"],
    "damage": ["/sharded", "error"],
    "NotFoundError": ["NotFoundError", "True"],
}


def _output(cell: Any) -> str:
    parts: list[str] = []
    for output in cell.outputs:
        assert output.output_type != "error", output
        assert output.get("name") != "stderr", output.get("text")
        parts.append(output.get("text", ""))
        parts += [str(value) for value in output.get("data", {}).values()]
    return "\n".join(parts)


def _install(path: Path) -> None:
    """What pip does for entry points, for a tree that is not installed."""
    info = path / "zinczarr-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zinczarr\nVersion: 0\n")
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    points = tomllib.loads(text)["project"]["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines))


def test_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for need in ("nbclient", "ipykernel", "zarr", "xarray", "dask"):
        pytest.importorskip(need)
    import nbformat
    from nbclient import NotebookClient

    _install(tmp_path)
    source = str(Path(zinczarr.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if out := os.environ.get("ZINC_NOTEBOOK_OUT"):  # to look at it
        nbformat.write(book, out)
    shown = {cell.source: _output(cell) for cell in book.cells if cell.cell_type == "code"}
    for piece, wanted in EXPECTED.items():
        found = [output for source, output in shown.items() if piece in source]
        assert len(found) == 1, piece
        for text in wanted:
            assert text in found[0], (piece, text, found[0][:2000])
