#!/usr/bin/env bash
# test_picture.sh - picture.py draws what the command prints, and the README shows that picture
set -euo pipefail
"$ZINC_SOURCE_DIR/scripts/picture.py" "$ZINC" zinc.svg
python3 -c 'import sys, xml.dom.minidom as x; x.parse("zinc.svg")'
for text in 'zinc tree earth.zarr' 'temperature' '388800' '######' '1 error'; do
	grep -qF -- "$text" zinc.svg || { echo "the picture does not show: $text"; exit 1; }
done
grep -qF docs/images/zinc.svg "$ZINC_SOURCE_DIR/README.md"
test -s "$ZINC_SOURCE_DIR/docs/images/zinc.svg"
