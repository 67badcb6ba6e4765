#!/bin/sh
# test_stores_table.sh - docs/stores/README.md shows the capabilities that the stores of this build have
exec "$ZINC_SOURCE_DIR/scripts/stores_table.py" "$ZINC" --check
