#!/usr/bin/env bash
# validate_rules.sh - every rule is found under its number, lenient and strict, in text and in JSON
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

# ---- the fixtures of docs/rules.md, lenient and strict ----
declare -A lenient=([error]=1 [lenient]=0 [warning]=0 [unsupported]=4)
declare -A strict=([error]=1 [lenient]=1 [warning]=0 [unsupported]=4)
declare -A severity=([error]=error [lenient]=warning [warning]=warning [unsupported]=warning)
fixtures=0
while read -r rule says expect where fixture; do
	case $rule in '#'* | '') continue ;; esac
	fixtures=$((fixtures + 1))
	if quick 10; then continue; fi
	url=$SOURCE/tests/rules/$fixture
	if [ "$fixture" = M3-draft ]; then # another version of Zarr, which every command leaves alone
		zinc 4 validate "$url"
		continue
	fi
	lax=${lenient[$expect]}
	[ "$where" != copy ] || lax=1
	zinc $lax validate "$url"
	grep -qE "^(error|warning|unsupported) $says: " out || bad "$fixture: $says is not named"
	zinc "${strict[$expect]}" validate --strict "$url"
	zinc $lax validate --json "$url"
	is_json
	has "\"severity\":\"${severity[$expect]}\",\"rule\":\"$says\""
	if [ "$where" = document ]; then
		zinc "${lenient[$expect]}" validate --fast "$url"
	fi
	if [ "$expect" = error ] && [ "$where" = document ]; then # other commands: corrupt, in one line
		zinc 5 cat "$url"
		says "rule $says"
	fi
done <"$SOURCE/tests/rules/index.txt"
[ $fixtures -gt 140 ] || bad "only $fixtures fixtures"
finish
