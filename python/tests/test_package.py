"""The package as a whole: certificates, versions, entry points, metadata."""

import io
import os
import pathlib
import subprocess
import sys
from importlib import metadata

import pytest

import zinczarr
from zinczarr import _certificates, _core, _versions

# ---- certificates ----


@pytest.fixture
def places(tmp_path: pathlib.Path) -> list[str]:
    """Three places, of which the last two exist."""
    paths = [tmp_path / name for name in ("debian", "fedora", "alpine")]
    for path in paths[1:]:
        path.write_text("certificates")
    return [str(path) for path in paths]


def test_certificates_first_place_that_exists(places: list[str]) -> None:
    assert _certificates.find(places) == places[1]


def test_certificates_of_python_if_no_place_exists(monkeypatch: pytest.MonkeyPatch, places: list[str]) -> None:
    monkeypatch.setattr(_certificates, "of_python", lambda: ["/nowhere", places[2]])
    assert _certificates.find(["/nowhere/else"]) == places[2]


def test_certificates_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_certificates, "of_python", list)
    assert _certificates.find(["/nowhere"]) is None


@pytest.mark.parametrize(
    ("bundled", "environ", "first_exists", "expected"),
    [
        (True, {}, False, 1),  # a wheel on another system than Debian
        (True, {}, True, None),  # OpenSSL finds it
        (True, {"SSL_CERT_FILE": "mine"}, False, "mine"),
        (True, {"SSL_CERT_FILE": ""}, False, 1),  # empty is unset
        (False, {}, False, None),  # the system's OpenSSL
    ],
)
def test_certificates_in_environment(
    monkeypatch: pytest.MonkeyPatch,
    places: list[str],
    bundled: bool,
    environ: dict[str, str],
    first_exists: bool,
    expected: int | str | None,
) -> None:
    monkeypatch.setattr(_certificates, "is_bundled", lambda: bundled)
    if first_exists:
        pathlib.Path(places[0]).touch()
    _certificates.use_system(environ, places)
    assert environ.get("SSL_CERT_FILE") == (places[expected] if isinstance(expected, int) else expected)


def test_certificates_that_do_not_exist_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    environ: dict[str, str] = {}
    monkeypatch.setattr(_certificates, "is_bundled", lambda: True)
    monkeypatch.setattr(_certificates, "of_python", list)
    _certificates.use_system(environ, ["/nowhere"])
    assert environ == {}


# ---- versions ----


def test_show_versions_names_everything() -> None:
    out = io.StringIO()
    zinczarr.show_versions(out)
    rows = dict(line.split(maxsplit=1) for line in out.getvalue().splitlines() if not line.startswith(("built", "stores m")))
    assert rows["zinczarr"] == zinczarr.__version__
    assert {name for name, _, _ in _core.rows("codecs")} == set(rows["codecs"].split())
    assert {"fs", "memory", "zip"} <= set(rows["stores"].split())


def test_stores_missing_with_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _core.rows

    def without_curl(what: str) -> list[tuple[str, str, str]]:
        return [(name, "no" if name == "curl" else also, text) for name, also, text in real(what)]

    monkeypatch.setattr(_core, "rows", without_curl)
    assert {"http", "s3", "gs", "az"} <= set(_versions.stores()[False])
    assert {"fs", "memory", "zip"} <= set(_versions.stores()[True])


def test_python_m_zinczarr() -> None:
    run = subprocess.run([sys.executable, "-m", "zinczarr"], capture_output=True, text=True, timeout=60, env=dict(os.environ))
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("zinczarr ")


# ---- the installed distribution; not there with PYTHONPATH=python/src ----


def distribution() -> metadata.Distribution:
    try:
        return metadata.distribution("zinczarr")
    except metadata.PackageNotFoundError:
        pytest.skip("zinczarr is not installed, but used from its source tree")


def test_distribution_has_the_version_of_the_library() -> None:
    assert distribution().version == _core.VERSION


def test_entry_points() -> None:
    found = {(point.group, point.name): point.value for point in distribution().entry_points}
    assert found == {
        ("zarr.codec_pipeline", "zinczarr"): "zinczarr:ZincCodecPipeline",
        ("xarray.backends", "zinc"): "zinczarr.xarray_engine:ZincBackendEntrypoint",
    }


def test_pipeline_is_registered_by_its_entry_point() -> None:
    pytest.importorskip("zarr", minversion="3.4", reason="zarr 3.4 is not installed")
    distribution()
    from zarr.core.config import config
    from zarr.registry import get_pipeline_class

    with config.set({"codec_pipeline.path": "zinczarr.ZincCodecPipeline"}):
        assert get_pipeline_class() is zinczarr.ZincCodecPipeline


def test_engine_is_registered_by_its_entry_point() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    distribution()
    assert "zinc" in xarray.backends.list_engines()


def test_package_has_no_file_outside_its_directories() -> None:
    names = {str(path).split("/")[0] for path in distribution().files or []}
    assert {name for name in names if name != ".."} <= {
        "zinczarr",
        "zinczarr.libs",
        f"zinczarr-{_core.VERSION}.dist-info",
    }
