#!/usr/bin/env bash
# serve_fuzz.sh - mutated requests: the server goes on, and ends without a report of a sanitizer
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
python3 -c 'import socket' 2>/dev/null || { echo "no python3"; exit 77; }
grep -q 'microhttpd *yes' <("$ZINC" --version) || exit 77
exec python3 -B "$SOURCE/tests/serve/fuzz_http.py"
