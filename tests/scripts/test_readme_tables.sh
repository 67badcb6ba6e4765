#!/usr/bin/env bash
# test_readme_tables.sh - the README's tables must be those of this build, where it has every optional library
set -euo pipefail
if "$ZINC" --version | grep -q ' no  '; then
	echo "this build lacks an optional library; its tables may differ"
	exit 77
fi
"$ZINC_SOURCE_DIR/scripts/readme_tables.sh" --check
