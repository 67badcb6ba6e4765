#!/usr/bin/env bash
# serve_slow.sh - slow and vanishing clients of `zinc serve`, in bounded memory; kill -9 and restart
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
python3 -c 'import socket' 2>/dev/null || { echo "no python3"; exit 77; }
grep -q 'microhttpd *yes' <("$ZINC" --version) || exit 77
exec python3 -B "$SOURCE/tests/serve/slow.py"
