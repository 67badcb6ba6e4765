#!/usr/bin/env bash
# schema_peer.sh - random schemas: zinc gives the results of Python's jsonschema
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
"$ZINC" --version | grep -q 'pcre2.*yes' || exit 77
peer="$SOURCE/tests/support/schema_peer.py"
export XDG_CACHE_HOME=$PWD/cache

for seed in 1 2 3; do
	python3 "$peer" make "d$seed" "$seed" || exit $?
	"$ZINC" conventions "d$seed/node.zarr" --schemas "d$seed/schemas" --json >verdicts || [ $? = 1 ]
	python3 "$peer" compare "d$seed" verdicts
done
