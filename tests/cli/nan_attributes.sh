#!/usr/bin/env bash
# nan_attributes.sh - NaN and Infinity in attributes, which are not JSON, but which xarray and zarr-python write
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

zinc 0 create a.zarr/t --shape 4 --dtype float32 --dims x
sed -i 's/"attributes": {}/"attributes": {"valid_min": NaN, "range": [-Infinity, {"high": Infinity}], "n": 2.50}/' \
	a.zarr/zarr.json a.zarr/t/zarr.json
has 'NaN' a.zarr/t/zarr.json

# ---- read with a warning, shown as JSON ----
zinc 0 info a.zarr/t --json
is_json
has '"attributes":{"valid_min":"NaN","range":["-Infinity",{"high":"Infinity"}],"n":2.50}'
says 'rule M2'
zinc 0 tree a.zarr --json
is_json
zinc 0 attrs a.zarr/t valid_min
prints <<<'"NaN"'
zinc 5 info a.zarr/t --strict
zinc 0 validate a.zarr
has 'warning M2: t/zarr.json'
zinc 1 validate a.zarr --strict

# ---- kept by edits, and by consolidated metadata ----
zinc 0 attrs a.zarr/t more=1
zinc 0 attrs a.zarr more=1
zinc 0 resize a.zarr/t 6
for document in a.zarr/t/zarr.json a.zarr/zarr.json; do
	has '"valid_min": NaN' $document
	has -Infinity $document
	has '"high": Infinity' $document
	has '"more": 1' $document
done
zinc 0 consolidate a.zarr
[ "$(grep -c '"valid_min": NaN' a.zarr/zarr.json)" = 2 ] || bad "not in the copy"
zinc 0 validate a.zarr
lacks stale
zinc 0 ls a.zarr

# ---- and by copies ----
zinc 0 cp a.zarr same.zarr
zinc 0 diff a.zarr same.zarr
has '"valid_min": NaN' same.zarr/t/zarr.json
for format in v2 v3-2019 v3-2020 v3-2022; do
	zinc 0 cp a.zarr $format.zarr --format $format
	grep -rq '"valid_min": NaN' $format.zarr || bad "lost in $format"
	zinc 0 cp $format.zarr back-$format.zarr --format v3
	has '"valid_min": NaN' back-$format.zarr/t/zarr.json
	has '"high": Infinity' back-$format.zarr/zarr.json
	zinc 0 diff a.zarr back-$format.zarr
done

# ---- nowhere else ----
sed -i 's/"fill_value": 0.0/"fill_value": NaN/' same.zarr/t/zarr.json
zinc 5 info same.zarr/t
says 'rule M2'
printf '{"zarr_format": 3, "node_type": "group", "attributes": {}, "odd": NaN}' >same.zarr/zarr.json
zinc 5 info same.zarr
zinc 2 attrs a.zarr/t x=NaN

# ---- 0 and 1 for false and true ----
zinc 0 create a.zarr/b --shape 3 --dtype bool
sed -i 's/"fill_value": false/"fill_value": 1/' a.zarr/b/zarr.json
zinc 0 cat a.zarr/b --as json
prints <<<'[true,true,true]'
says 'rule M49'
zinc 5 cat a.zarr/b --strict
sed -i 's/"fill_value": 1/"fill_value": 2/' a.zarr/b/zarr.json
zinc 5 cat a.zarr/b

finish
