#!/usr/bin/env bash
# validate_v2.sh - every rule of version 2 is found under its number, and docs/rules.md lists all of them
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

declare -A lenient=([error]=1 [lenient]=0 [warning]=0 [unsupported]=4)
declare -A strict=([error]=1 [lenient]=1 [warning]=0 [unsupported]=4)
declare -A severity=([error]=error [lenient]=warning [warning]=warning [unsupported]=warning)
declare -A seen=()
rule_stores v2
fixtures=0
while read -r url rule expect where; do
	fixtures=$((fixtures + 1))
	grep -qE "^\| $rule \|.*[ ,]${url#"$rule"-}[ ,]" "$SOURCE/docs/rules.md" || bad "$url: not in docs/rules.md"
	if quick 10; then continue; fi
	zinc "${lenient[$expect]}" validate --json "$url" # found without giving the version
	is_json
	has "\"severity\":\"${severity[$expect]}\",\"rule\":\"$rule\""
	if [ -n "${ZINC_LONG:-}" ] || [ -z "${seen[$expect]:-}" ]; then # test_rules does so with all of them
		zinc "${lenient[$expect]}" validate --format v2 "$url"
		grep -qE "^(error|warning|unsupported) $rule: " out || bad "$url: $rule is not named"
		[ "$(grep -cE "^(error|warning|unsupported) " out)" = 1 ] || bad "$url: more than one finding"
		zinc "${strict[$expect]}" validate --format v2 --strict "$url"
		seen[$expect]=1
	fi
done <stores
[ $fixtures -gt 52 ] || bad "only $fixtures stores"

# ---- two versions at one place: a warning on opening and by validate, never erased as an orphan ----
zinc 0 create both.zarr/x --format v2 --shape 4 --dtype int16
echo '{"zarr_format": 3, "node_type": "group"}' >both.zarr/zarr.json
cp both.zarr/zarr.json both.zarr/x/
zinc 0 tree both.zarr
has "documents of Zarr version 2 are beside zarr.json, and not read" err
zinc 0 tree --format v2 both.zarr
has "zarr.json is beside the documents of Zarr version 2, and not read" err
has "int16"
zinc 0 validate --repair --orphans --format v2 both.zarr
has "warning V2-1: x/zarr.json: a document of another version of Zarr"
zinc 0 validate --repair --orphans both.zarr
has "warning M1: x/.zarray: a document of another version of Zarr"
[ -e both.zarr/x/zarr.json ] && [ -e both.zarr/x/.zarray ] || bad "erased a document of another version"
rm both.zarr/zarr.json both.zarr/x/zarr.json
zinc 0 tree both.zarr
lacks beside err

# ---- consolidated metadata that no reader can use: an error, and rewritten ----
for text in '{' '[]' '{"zarr_consolidated_format": 2, "metadata": {}}' '{"zarr_consolidated_format": 1}'; do
	echo "$text" >both.zarr/.zmetadata
	zinc 0 tree both.zarr
	zinc 1 validate both.zarr
	has "error V2-22: / /consolidated_metadata: the consolidated metadata is damaged"
	zinc 0 validate --repair both.zarr
	zinc 0 validate both.zarr
	has ": 0 errors, 0 warnings"
done

finish
