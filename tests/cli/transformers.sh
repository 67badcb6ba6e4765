#!/usr/bin/env bash
# transformers.sh - arrays with storage transformers: known, ignorable, required but unknown
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# array NAME TRANSFORMERS: five bytes in chunks of two
array() {
	mkdir -p "t.zarr/$1"
	cat >"t.zarr/$1/zarr.json" <<END
{"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "uint8",
 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
 "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes"}],
 "storage_transformers": [$2]}
END
}

zinc 0 create --group t.zarr
indexed='{"name": "indexed", "configuration": {"chunks_per_shard": [2]}}'
printf '\1\2\3\4\5' >five

# ---- known ----
array known "$indexed"
zinc 0 put t.zarr/known --from five
[ -f t.zarr/known/c/0 ] && [ -f t.zarr/known/c/1 ] && [ ! -f t.zarr/known/c/2 ] || bad "three chunks are two shards"
[ "$(wc -c <t.zarr/known/c/0)" = 36 ] || bad "two chunks of two bytes, and an index of 32"
zinc 0 cat t.zarr/known --as json
prints <<<'[1,2,3,4,5]'
zinc 0 validate t.zarr/known
zinc 0 info t.zarr/known --stored
has 3

# ---- ignorable ----
array ignorable '{"name": "unheard.of", "must_understand": false}'
zinc 0 put t.zarr/ignorable --from five
zinc 0 cat t.zarr/ignorable --as json
prints <<<'[1,2,3,4,5]'
zinc 0 validate t.zarr/ignorable

# ---- required, and unknown ----
array unknown "$indexed, {\"name\": \"https://example.com/unheard-of/1.0\"}"
mkdir -p t.zarr/unknown/c
printf 'who knows' >t.zarr/unknown/c/0
zinc 0 info t.zarr/unknown
has https://example.com/unheard-of/1.0
zinc 0 tree t.zarr
has https://example.com/unheard-of/1.0
zinc 0 ls -l t.zarr
has unknown
zinc 0 attrs t.zarr/unknown
zinc 4 cat t.zarr/unknown
says https://example.com/unheard-of/1.0
zinc 4 put t.zarr/unknown --from five
zinc 4 validate t.zarr/unknown
has https://example.com/unheard-of/1.0
zinc 4 validate t.zarr

# ---- damaged ----
array damaged '{"name": "indexed", "configuration": {"chunks_per_shard": [0]}}'
zinc 5 cat t.zarr/damaged
says chunks_per_shard
array known "$indexed"
printf 'no shard' >t.zarr/known/c/1
zinc 5 cat t.zarr/known
says c/1
zinc 1 validate t.zarr/known
has c/1
