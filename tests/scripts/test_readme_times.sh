#!/usr/bin/env bash
# test_readme_times.sh - the README's table of times must be that of bench/readme.json
set -euo pipefail
if [ ! -e "$ZINC_SOURCE_DIR/bench/readme.json" ]; then
	echo "not measured yet: scripts/bench.sh readme"
	exit 77
fi
"$ZINC_SOURCE_DIR/bench/readme_table.py" --check
