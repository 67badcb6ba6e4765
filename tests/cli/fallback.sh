#!/usr/bin/env bash
# fallback.sh - fallback data types of the drafts, read and written
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- reading ----
mkdir -p d.zarr/meta/root d.zarr/data/root/a
core=https://purl.org/zarr/spec/protocol/core/3.0
cat >d.zarr/zarr.json <<END
{"zarr_format": "$core", "metadata_encoding": "$core", "metadata_key_suffix": ".json", "extensions": []}
END
cat >d.zarr/meta/root/a.array.json <<'END'
{"shape": [3], "chunk_grid": {"type": "regular", "chunk_shape": [2], "separator": "/"}, "chunk_memory_layout": "C",
 "data_type": {"extension": "https://example.com/angle/1.0", "type": "degrees", "fallback": "<i2"},
 "fill_value": 7, "extensions": [], "attributes": {}}
END
printf '\1\0\2\0' >d.zarr/data/root/a/c0

zinc 4 cat d.zarr/a
says https://example.com/angle/1.0
zinc 4 cat d.zarr/a --fallback none
zinc 4 cat d.zarr/a --fallback r16
zinc 0 info d.zarr/a
has https://example.com/angle/1.0
for allow in any int16 r16,int16; do
	zinc 0 cat d.zarr/a --as json --fallback $allow
	prints <<<'[1,2,7]'
	has 'read as int16' err
done
zinc 0 info d.zarr/a --fallback any
has int16

# ---- writing ----
zinc 0 create d.zarr/when --shape 4 --dtype '<M8[s]'
has '"fallback": "<i8"' d.zarr/meta/root/when.array.json
zinc 0 create d.zarr/when --shape 4 --dtype '<M8[s]' --overwrite --fallback r64
has '"fallback": "r64"' d.zarr/meta/root/when.array.json
zinc 0 create d.zarr/when --shape 4 --dtype '<M8[s]' --overwrite --fallback none
lacks fallback d.zarr/meta/root/when.array.json
zinc 2 create d.zarr/when --shape 4 --dtype '<M8[s]' --overwrite --fallback int32
says '4 bytes'
zinc 2 create x.zarr --shape 4 --dtype '<M8[s]' --fallback int64
says fallback
zinc 0 create v.zarr --shape 4 --dtype '<M8[s]'
zinc 0 cp v.zarr c.zarr --format v3-2020 --fallback none
lacks fallback c.zarr/meta/root.array.json
