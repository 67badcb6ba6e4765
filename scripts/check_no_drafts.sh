#!/bin/sh
# check_no_drafts.sh - a build without the drafts of version 3 (ZINC_WITH_DRAFTS=OFF) works, and reports what is missing
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "check_no_drafts: $*"
	exit 1
}

# refused WORDS ARGUMENTS: the command must end with status 4 and say so
refused()
{
	words=$1
	shift
	status=0
	"$zinc" "$@" >"$dir/out" 2>&1 || status=$?
	test $status -eq 4 || fail "zinc $*: status $status: $(cat "$dir/out")"
	grep -qF "$words" "$dir/out" || fail "zinc $*: $(cat "$dir/out")"
}

cmake -S "$root" -B "$dir/build" -DZINC_WITH_DRAFTS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 >"$dir/log" 2>&1 &&
	cmake --build "$dir/build" -j 2 --target zinc_command >>"$dir/log" 2>&1 || { tail -20 "$dir/log"; fail "no build"; }
zinc=$dir/build/zinc
if nm "$dir/build/libzinc.so.0" | grep -q 'draft_parse\|format_v3_20'; then
	fail "the drafts are in the library"
fi

test "$("$zinc" formats | cut -d' ' -f1 | tr '\n' ' ')" = "v3 v2 n5 " || fail "formats: $("$zinc" formats)"
"$zinc" --version | grep -qx 'formats: v3 v2 n5' || fail "--version does not list the formats"

for format in v3 v2 n5; do
	"$zinc" create "$dir/$format.zarr" --shape 4 --dtype int32 --format $format
	"$zinc" info "$dir/$format.zarr" >/dev/null
done
without='unsupported (built without drafts)'
refused "$without" create "$dir/new.zarr" --shape 4 --dtype int32 --format v3-2022
n=0
for year in 2019 2020 2022; do
	for entry in "$root/tests/golden/v3-$year"/*/zarr.json; do
		refused "$without" tree "$(dirname "$entry")"
		refused "$without" info "$(dirname "$entry")/foo"
		n=$((n + 1))
	done
done
test $n -gt 2 || fail "no data of the drafts to test"
echo "check_no_drafts: $n hierarchies of drafts detected and refused"
