#!/usr/bin/env bash
# python_zarr.sh PYTHON quick|full [DIR] - zarr-python's own tests with zinczarr's codec pipeline
#
# quick: the five files that use the pipeline most; every test must pass, or be skipped by zarr-python itself.
# full:  all tests, once with zarr-python's pipeline and once with ours.  Every difference is named; a test that passes with
#        theirs must pass with ours.
#
# PYTHON has zarr and zinczarr (installed, or in PYTHONPATH), pytest, pytest-asyncio, pytest-xdist and hypothesis; full also
# needs pytest-benchmark, numpydoc, moto[s3,server], s3fs, obstore, requests and tomlkit.  The tests come from the source
# distribution of the installed zarr: the directory ZARR_SOURCE, or downloaded.  DIR keeps the logs [a temporary one].
set -euo pipefail
here=$(dirname "$(realpath "$0")")
python=$1 how=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$(realpath -m "${3:-$work}")
mkdir -p "$out"

quick=(tests/test_codec_pipeline_suite.py tests/test_zinczarr_suite.py tests/test_array.py tests/test_indexing.py
	tests/test_v2.py tests/test_config.py)

# The tests of the version that is installed, with one file more: the suite for pipelines, with ours.
get_tests() {
	local version
	version=$("$python" -c 'import zarr; print(zarr.__version__)')
	if [ -z "${ZARR_SOURCE:-}" ]; then
		"$python" -m pip download -q --no-deps --no-binary zarr -d "$work" "zarr==$version"
		tar -C "$work" -xf "$work/zarr-$version.tar.gz"
		ZARR_SOURCE=$work/zarr-$version
	fi
	cp -r "$ZARR_SOURCE" "$work/zarr"
	cat > "$work/zarr/tests/test_zinczarr_suite.py" <<-'END'
		from tests.test_codec_pipeline_suite import CodecPipelineTests


		class TestZincPipeline(CodecPipelineTests):
		    pipeline_path = "zinczarr.ZincCodecPipeline"
	END
}

# zarr-python finds the pipeline by an entry point; a package that is not installed has none.
make_entry_point() {
	if ! "$python" -c 'import importlib.metadata as m; m.distribution("zinczarr")' 2> /dev/null; then
		mkdir -p "$work/entry/zinczarr-0.dist-info"
		printf 'Metadata-Version: 2.1\nName: zinczarr\nVersion: 0\n' > "$work/entry/zinczarr-0.dist-info/METADATA"
		printf '[zarr.codec_pipeline]\nzinczarr = zinczarr:ZincCodecPipeline\n' \
			> "$work/entry/zinczarr-0.dist-info/entry_points.txt"
		export PYTHONPATH=${PYTHONPATH:-}:$work/entry
	fi
}

# run NAME TESTS...: the outcome of each test is in NAME.xml
run() {
	local name=$1
	shift
	(cd "$work/zarr" && "$python" -m pytest -W ignore -p no:accept -p no:cacheprovider -q -n "${JOBS:-2}" \
		-o junit_family=xunit1 --junitxml="$out/$name.xml" "$@") > "$out/$name.log" 2>&1 || true
	tail -n 1 "$out/$name.log"
}

get_tests
make_entry_point
if [ "$how" = full ]; then
	run default tests
	ZARR_CODEC_PIPELINE__PATH=zinczarr.ZincCodecPipeline run ours tests
	"$python" "$here/python_zarr.py" "$out/ours.xml" "$out/default.xml"
else
	ZARR_CODEC_PIPELINE__PATH=zinczarr.ZincCodecPipeline run ours -o addopts= "${quick[@]}"
	"$python" "$here/python_zarr.py" "$out/ours.xml"
fi
