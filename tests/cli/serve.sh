#!/usr/bin/env bash
# serve.sh - the protocol of `zinc serve`: values, ranges, conditions, keys, tokens, hosts, connections, start and stop
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
python3 -c 'import socket' 2>/dev/null || { echo "no python3"; exit 77; }
zinc 0 create probe.zarr --group
if ! grep -q 'microhttpd *yes' <("$ZINC" --version); then
	zinc 4 serve probe.zarr
	says "libmicrohttpd"
	exit 77
fi
exec python3 -B "$SOURCE/tests/serve/protocol.py"
