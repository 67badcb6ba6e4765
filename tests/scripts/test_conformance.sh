#!/usr/bin/env bash
# test_conformance.sh - every rule of docs/conformance.md is named by tests, and its table says by which
#
# Whether they pass is for ctest to say; `make conformance` puts both together.
set -euo pipefail
"$ZINC_SOURCE_DIR/scripts/check_conformance.py" --list
