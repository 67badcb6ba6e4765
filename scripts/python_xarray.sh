#!/usr/bin/env bash
# python_xarray.sh [quick | full] - xarray's own tests of Zarr, with the engine zinc and with Zinc's pipeline
#
# quick: the tests of xarray's Zarr classes for local stores, with everything opened by the engine zinc
#        (python/tests/xarray_suite.py).
# full:  also all its Zarr classes with the default pipeline of zarr-python and then with Zinc's: every test that passes with
#        the default must pass with Zinc's.
#
# Environment: PYTHON [python3], in which zinczarr, xarray with its tests, zarr, dask, pytest and pytest-xdist are
# installed; JOBS [2]; XARRAY_OUT [build/python], where lists of results go.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
OUT=${XARRAY_OUT:-build/python}
CLASSES="Zarr and not ZarrRegionAutoIcechunk"
mkdir -p "$OUT"

# xarray's fixtures are in its conftest.py, and the configuration of our tests would refuse its marks
run_pytest() {
	"$PYTHON" -m pytest -q -n "${JOBS:-2}" -W ignore -c /dev/null --rootdir "$OUT" -p no:cacheprovider "$@"
}

# results FILE: name and outcome of each test, from pytest's report
results() {
	"$PYTHON" - "$1" <<'PY'
import sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).iter("testcase"):
    bad = [c.tag for c in case if c.tag in ("failure", "error", "skipped")]
    print(case.get("classname") + "::" + case.get("name"), bad[0] if bad else "passed")
PY
}

# suite NAME PIPELINE: all Zarr classes; failures are counted, not fatal
suite() {
	ZARR_CODEC_PIPELINE__PATH=$2 run_pytest --pyargs xarray.tests.test_backends -k "$CLASSES" --junitxml "$OUT/$1.xml" >"$OUT/$1.log" 2>&1 || true
	results "$OUT/$1.xml" | sort >"$OUT/$1.txt"
	echo "python-xarray: $1: $(grep -c ' passed$' "$OUT/$1.txt") passed, $(grep -c -E ' (failure|error)$' "$OUT/$1.txt") failed"
}

engine() {
	run_pytest -p xarray.tests.conftest python/tests/xarray_suite.py
}

pipeline() {
	suite xarray-default zarr.core.codec_pipeline.BatchedCodecPipeline
	suite xarray-zinc zinczarr.ZincCodecPipeline
	local lost
	lost=$(comm -23 <(grep ' passed$' "$OUT/xarray-default.txt") <(grep ' passed$' "$OUT/xarray-zinc.txt"))
	[ -s "$OUT/xarray-default.txt" ] || { echo "python-xarray: no test was run" && return 1; }
	[ -z "$lost" ] || { printf 'python-xarray: passes with the default pipeline only:\n%s\n' "$lost" && return 1; }
}

case ${1:-quick} in
quick) engine ;;
full) engine && pipeline ;;
*) echo "usage: $0 [quick | full]" >&2 && exit 2 ;;
esac
