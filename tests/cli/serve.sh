#!/usr/bin/env bash
# serve.sh - the protocol of `zinc serve`: values, ranges, conditions, keys, tokens, hosts, connections, start and stop
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
python3 -c 'import socket' 2>/dev/null || { echo "no python3"; exit 77; }
[ "$(cat "$SOURCE"/server/page/* | wc -c)" -lt 60000 ] || { echo "the page has 60 000 bytes or more"; exit 1; }
zinc 0 create probe.zarr --group
if ! grep -q 'microhttpd *yes' <("$ZINC" --version); then
	zinc 4 serve probe.zarr
	says "libmicrohttpd"
	exit 77
fi
exec python3 -B "$SOURCE/tests/serve/protocol.py"
