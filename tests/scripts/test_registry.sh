#!/usr/bin/env bash
# test_registry.sh - docs/registry.md must be what this build does with each registered name, where it has every library
set -euo pipefail
if "$ZINC" --version | grep -q ' no  '; then
	echo "this build lacks an optional library; its page may differ"
	exit 77
fi
"$ZINC_SOURCE_DIR/scripts/registry_page.py" --check
