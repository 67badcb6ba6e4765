#!/usr/bin/env bash
# python_xarray.sh [quick | full] - xarray's own tests of Zarr, with the engine zinc and with Zinc's pipeline
#
# quick: the tests of xarray's Zarr classes for local stores, as they are and with everything opened by the engine zinc
#        (python/tests/xarray_suite.py): what passes with zarr must not fail with zinc.
# full:  also all its Zarr classes with the default pipeline of zarr-python and with Zinc's, compared in the same way.
#
# Environment: PYTHON [python3], in which zinczarr, xarray with its tests, zarr, dask, pytest and pytest-xdist are
# installed; JOBS [2]; XARRAY_OUT [build/python], where lists of results go.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
OUT=${XARRAY_OUT:-build/python}
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

# suite NAME ARGUMENT...: outcomes to NAME.txt; failures are counted, not fatal
suite() {
	local name=$1
	shift
	run_pytest "$@" --junitxml "$OUT/$name.xml" >"$OUT/$name.log" 2>&1 || true
	results "$OUT/$name.xml" | sort >"$OUT/$name.txt"
	echo "python-xarray: $name: $(grep -c ' passed$' "$OUT/$name.txt") passed, $(grep -c -E ' (failure|error)$' "$OUT/$name.txt") failed"
	grep -q ' passed$' "$OUT/$name.txt"
}

# compare THEIRS OURS: what passes with theirs does not fail with ours
compare() {
	local lost
	lost=$(comm -12 <(grep ' passed$' "$OUT/$1.txt" | sed 's/ [a-z]*$//') <(grep -E ' (failure|error)$' "$OUT/$2.txt" | sed 's/ [a-z]*$//'))
	[ -z "$lost" ] || { printf 'python-xarray: passes in %s and fails in %s:\n%s\n' "$1" "$2" "$lost" && return 1; }
}

engine() {
	XARRAY_SUITE_ENGINE=zarr suite xarray-engine-zarr -p xarray.tests.conftest python/tests/xarray_suite.py
	suite xarray-engine-zinc -p xarray.tests.conftest python/tests/xarray_suite.py
	compare xarray-engine-zarr xarray-engine-zinc
}

pipeline() {
	local classes=(--pyargs xarray.tests.test_backends -k Zarr)
	ZARR_CODEC_PIPELINE__PATH=zarr.core.codec_pipeline.BatchedCodecPipeline suite xarray-pipeline-default "${classes[@]}"
	ZARR_CODEC_PIPELINE__PATH=zinczarr.ZincCodecPipeline suite xarray-pipeline-zinc "${classes[@]}"
	compare xarray-pipeline-default xarray-pipeline-zinc
}

case ${1:-quick} in
quick) engine ;;
full) engine && pipeline ;;
*) echo "usage: $0 [quick | full]" >&2 && exit 2 ;;
esac
