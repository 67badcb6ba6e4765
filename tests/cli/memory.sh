#!/usr/bin/env bash
# memory.sh - peak memory of the command for store x operation x hostile size: a table, and no line above the promise
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
command -v python3 >/dev/null || exit 77
[ -z "${ZINC_EMULATED-}" ] || exit 77
case $(nm -D "$ZINC_BUILD_DIR/libzinc.so.0" 2>/dev/null) in *__asan_* | *__tsan_*) exit 77 ;; esac # not with sanitizers

python3 "$ZINC_SOURCE_DIR/tests/support/memory_table.py" "$ZINC" || bad "memory above what docs/promises.md says"
finish
