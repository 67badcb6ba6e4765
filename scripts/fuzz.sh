#!/usr/bin/env bash
# fuzz.sh [NAME...] - run every fuzz target (or those named) under libFuzzer for FUZZ_SECONDS each
#
# Inputs that add coverage are stored in build-fuzz/corpus/<name>/, findings in build-fuzz/findings/.  A
# finding becomes a named file in fuzz/corpus/<name>/ together with its fix.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

BUILD=${BUILD:-build}-fuzz
scripts/setup.sh build test clang || exit 1
CC=clang CXX=clang++ cmake -G Ninja -B "$BUILD" -S . -DZINC_TESTS=ON -DZINC_FUZZ=ON -DZINC_SANITIZE=address \
	-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" --log-level=WARNING >/dev/null || exit 1

names=("$@")
[ $# -gt 0 ] || for source in fuzz/fuzz_*.c; do
	name=${source#fuzz/fuzz_}
	names+=("${name%.c}")
done
cmake --build "$BUILD" -j "${JOBS:-2}" --target "${names[@]/#/fuzz_}" -- --quiet || exit 1

passed=0 failed=0
mkdir -p "$BUILD/findings"
for name in "${names[@]}"; do
	mkdir -p "$BUILD/corpus/$name"
	dict=()
	[ ! -f "fuzz/$name.dict" ] || dict=("-dict=fuzz/$name.dict")
	if "$BUILD/tests/fuzz_$name" "-max_total_time=${FUZZ_SECONDS:-60}" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=5 \
		-print_final_stats=1 "-artifact_prefix=$BUILD/findings/$name-" "${dict[@]}" \
		"$BUILD/corpus/$name" "fuzz/corpus/$name" >"$BUILD/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$BUILD/$name.log") executions, nothing found"
	else
		failed=$((failed + 1))
		tail -n 60 "$BUILD/$name.log"
		echo "$name: FOUND something, see $BUILD/findings/"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
