"""The examples in the pages of the documentation give what the pages show."""

import doctest
import pathlib

import pytest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python"


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda p: p.name)
def test_page(page, tmp_path, monkeypatch):
    if ">>> import dask" in page.read_text():
        pytest.importorskip("dask.array", reason="dask is not installed")
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert failed == 0
    assert tried > 0 or ">>>" not in page.read_text()


def test_there_are_pages():
    assert len(list(PAGES.glob("*.md"))) >= 5
