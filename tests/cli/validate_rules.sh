#!/usr/bin/env bash
# validate_rules.sh - every rule of version 3 is found under its number, lenient and strict, in text and in JSON
#
# test_rules validates all of these stores with all options; here the command validates each, and the first of each
# kind with all its options (with ZINC_LONG all of them).
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

declare -A lenient=([error]=1 [lenient]=0 [warning]=0 [unsupported]=4)
declare -A strict=([error]=1 [lenient]=1 [warning]=0 [unsupported]=4)
declare -A severity=([error]=error [lenient]=warning [warning]=warning [unsupported]=warning)
declare -A seen=()

# every_way URL RULE EXPECT WHERE
every_way() {
	zinc $lax validate "$1"
	grep -qE "^(error|warning|unsupported) $2: " out || bad "$1: $2 is not named"
	zinc "${strict[$3]}" validate --strict "$1"
	if [ "$4" = - ] || [ "$4" = more ]; then
		zinc "${lenient[$3]}" validate --fast "$1"
	fi
	if [ "$3" = error ] && [ "$4" = - ]; then # other commands: corrupt, in one line
		zinc 5 cat "$1"
		says "rule $2"
	fi
}

rule_stores v3
fixtures=0
while read -r url rule expect where; do
	fixtures=$((fixtures + 1))
	if quick 10; then continue; fi
	lax=${lenient[$expect]}
	[ "$where" != copy ] || lax=1
	zinc $lax validate --json "$url"
	is_json
	has "\"severity\":\"${severity[$expect]}\",\"rule\":\"$rule\""
	if [ -n "${ZINC_LONG:-}" ] || [ -z "${seen[$expect@$where]:-}" ]; then
		every_way "$url" "$rule" "$expect" "$where"
		seen[$expect@$where]=1
	fi
done <stores
[ $fixtures -gt 160 ] || bad "only $fixtures stores"
finish
