#!/usr/bin/env bash
# extensions.sh - unknown extensions: nodes are shown and marked, elements and whole hierarchies are refused (exit 4)
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

uri=https://example.org/made-up/1.0

# node_is_marked URL NAME: commands that show the array at URL report NAME as unknown, those that need it refuse
node_is_marked() {
	local url=$1 name=$2 parent=${1%/*}

	zinc 0 info "$url"
	has "$name"
	zinc 0 tree "$parent"
	has unsupported
	has good
	zinc 0 ls -l "$parent"
	has good
	zinc 0 attrs "$url"
	zinc 4 cat "$url"
	says "$name"
	zinc 4 validate "$url"
	zinc 0 attrs "$url" 'edited=true'
	zinc 0 cat "$parent/good"
}

# ---- the drafts: a template for each, then one part of it replaced ----

core=https://purl.org/zarr/spec
entry_2019="{\"zarr_format\": \"http://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_encoding\": \"application/json\", \"extensions\": [@]}"
entry_2020="{\"zarr_format\": \"$core/protocol/core/3.0\", \"metadata_encoding\": \"$core/protocol/core/3.0\", \"metadata_key_suffix\": \".json\", \"extensions\": [@]}"
entry_2022="{\"zarr_format\": \"$core/core/3.0\", \"metadata_encoding\": {\"type\": \"json\", \"metadata_key_suffix\": \".json\"}, \"extensions\": [@]}"
grid='{"type": "regular", "chunk_shape": [2], "separator": "."}'

# array VERSION TYPE GRID LAYOUT CODEC-MEMBER EXTENSIONS
array() {
	local first=
	[ "$1" != 2019 ] || first='"zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0", "chunk_codecs": [], '
	case $5 in *chunk_codecs*) first= ;; esac
	echo "{$first\"shape\": [4], \"data_type\": $2, \"chunk_grid\": $3, \"chunk_memory_layout\": $4, $5 \"fill_value\": 0, \"extensions\": [$6], \"attributes\": {\"note\": 1}}"
}

made_up="{\"extension\": \"$uri\", \"type\": \"x\", \"members\": {\"kept\": [1, null]}}"
required="{\"extension\": \"$uri\", \"must_understand\": true, \"members\": {\"kept\": [1, null]}}"
ignorable="{\"extension\": \"$uri\", \"must_understand\": false, \"members\": {\"kept\": [1, null]}}"

try_draft() { # VERSION ENTRY META SUFFIX CODEC-MEMBER ENTRY-OF-ANOTHER-ENCODING
	local version=$1 entry=$2 meta=$3 suffix=$4 codec=$5 other=$6 d=d$1.zarr kind u1=u1

	[ "$version" != 2022 ] || u1=uint8
	mkdir -p "$d/$meta"
	echo "${entry/@/}" >"$d/zarr.json"
	array "$version" "\"$u1\"" "$grid" '"C"' "" "" >"$d/$meta/good.array$suffix"
	array "$version" "$made_up" "$grid" '"C"' "" "" >"$d/$meta/type.array$suffix"
	array "$version" "\"$u1\"" "$made_up" '"C"' "" "" >"$d/$meta/grid.array$suffix"
	array "$version" "\"$u1\"" "$grid" "$made_up" "" "" >"$d/$meta/layout.array$suffix"
	array "$version" "\"$u1\"" "$grid" '"C"' "$codec" "" >"$d/$meta/codec.array$suffix"
	array "$version" "\"$u1\"" "$grid" '"C"' "" "$required" >"$d/$meta/extension.array$suffix"
	array "$version" "\"$u1\"" "$grid" '"C"' "" "$ignorable" >"$d/$meta/ignorable.array$suffix"
	for kind in type grid layout codec extension; do
		node_is_marked "$d/$kind" "$uri"
		has '"kept"' "$d/$meta/$kind.array$suffix"
		has '"edited": true' "$d/$meta/$kind.array$suffix"
	done
	zinc 0 cat "$d/ignorable"
	zinc 0 resize "$d/ignorable" 6
	has '"kept"' "$d/$meta/ignorable.array$suffix"

	# the whole hierarchy: every command, for any node
	echo "${entry/@/$ignorable}" >"$d/zarr.json"
	zinc 0 cat "$d/good"
	echo "${entry/@/$required}" >"$d/zarr.json"
	for kind in "info $d" "tree $d" "ls $d" "attrs $d/good" "cat $d/good" "validate $d" "resize $d/good 5" \
		"create $d/new --shape 2 --dtype u1" "rm --yes $d/good" "consolidate $d"; do
		# shellcheck disable=SC2086
		zinc 4 $kind
		says "$uri"
	done
	[ -e "$d/$meta/good.array$suffix" ] || bad "erased in a hierarchy that is not understood"

	# and its metadata encoding
	echo "${other/@/}" >"$d/zarr.json"
	zinc 4 tree "$d"
	says "$uri"
}

try_draft 2019 "$entry_2019" meta/root "" "\"chunk_codecs\": [{\"codec\": \"$uri\", \"members\": {\"kept\": [1, null]}}]," \
	"${entry_2019/application\/json/$uri}"
try_draft 2020 "$entry_2020" meta/root .json "\"compressor\": {\"codec\": \"$uri\", \"configuration\": {\"kept\": 1}}," \
	"${entry_2020/_encoding\": \"$core\/protocol\/core\/3.0/_encoding\": \"$uri}"
try_draft 2022 "$entry_2022" meta .json "\"codecs\": [{\"type\": \"$uri\", \"configuration\": {\"kept\": 1}}]," \
	"${entry_2022/\"type\": \"json\"/\"extension\": \"$uri\", \"type\": \"x\"}"

# the storage transformers of 2022
array 2022 '"uint8"' "$grid" '"C"' "\"storage_transformers\": [$made_up]," "" >d2022.zarr/meta/transformer.array.json
echo "${entry_2022/@/}" >d2022.zarr/zarr.json
node_is_marked d2022.zarr/transformer "$uri"
has '"kept"' d2022.zarr/meta/transformer.array.json

# ---- the final version ----

v3() { # PATH TYPE GRID KEYS CODECS MORE
	mkdir -p "$1"
	echo "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": $2, \"chunk_grid\": $3, \"chunk_key_encoding\": $4, \"fill_value\": 0, \"codecs\": $5, \"attributes\": {}$6}" >"$1/zarr.json"
}
regular='{"name": "regular", "configuration": {"chunk_shape": [2]}}'
other='{"name": "example.made-up", "configuration": {"kept": [1, null]}}'
mkdir -p d3.zarr
echo '{"zarr_format": 3, "node_type": "group"}' >d3.zarr/zarr.json
v3 d3.zarr/good '"uint8"' "$regular" '"default"' '["bytes"]' ''
v3 d3.zarr/type "$other" "$regular" '"default"' '["bytes"]' ''
v3 d3.zarr/grid '"uint8"' "$other" '"default"' '["bytes"]' ''
v3 d3.zarr/keys '"uint8"' "$regular" "$other" '["bytes"]' ''
v3 d3.zarr/codec '"uint8"' "$regular" '"default"' "[\"bytes\", $other]" ''
v3 d3.zarr/transformer '"uint8"' "$regular" '"default"' '["bytes"]' ", \"storage_transformers\": [$other]"
v3 d3.zarr/member '"uint8"' "$regular" '"default"' '["bytes"]' ', "example.made-up": {"must_understand": true, "kept": [1, null]}'
v3 d3.zarr/ignorable '"uint8"' "$regular" '"default"' '["bytes"]' ', "example.made-up": {"must_understand": false, "kept": [1, null]}'
for kind in type grid keys codec transformer member; do
	node_is_marked d3.zarr/$kind example.made-up
	has '"kept"' d3.zarr/$kind/zarr.json
done
zinc 0 cat d3.zarr/ignorable
zinc 0 resize d3.zarr/ignorable 6
has '"kept"' d3.zarr/ignorable/zarr.json

# ---- version 2, which has types and codecs ----

v2() { # PATH TYPE COMPRESSOR FILTERS
	mkdir -p "$1"
	echo "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": $2, \"compressor\": $3, \"fill_value\": null, \"order\": \"C\", \"filters\": $4, \"own\": [1]}" >"$1/.zarray"
}
mkdir -p d2.zarr
echo '{"zarr_format": 2}' >d2.zarr/.zgroup
v2 d2.zarr/good '"|u1"' null null
v2 d2.zarr/type '"<f16"' null null
v2 d2.zarr/compressor '"|u1"' '{"id": "made-up", "kept": 1}' null
v2 d2.zarr/filter '"|u1"' null '[{"id": "made-up", "kept": 1}]'
node_is_marked d2.zarr/type f16
node_is_marked d2.zarr/compressor made-up
node_is_marked d2.zarr/filter made-up
zinc 0 resize d2.zarr/good 6
has '"own"' d2.zarr/good/.zarray

finish
