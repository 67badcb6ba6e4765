#!/usr/bin/env bash
# validate_v2.sh - every rule of version 2 is found under its number, and docs/rules.md knows all of them
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

declare -A lenient=([error]=1 [lenient]=0 [warning]=0 [unsupported]=4)
declare -A strict=([error]=1 [lenient]=1 [warning]=0 [unsupported]=4)
declare -A severity=([error]=error [lenient]=warning [warning]=warning [unsupported]=warning)
fixtures=0
while read -r rule expect fixture; do
	case $rule in '#'* | '') continue ;; esac
	fixtures=$((fixtures + 1))
	grep -qE "^\| $rule \|.*[ ,]${fixture#"$rule"-}[ ,]" "$SOURCE/docs/rules.md" || bad "$fixture: not in docs/rules.md"
	if quick 10; then continue; fi
	url=$SOURCE/tests/rules/$fixture
	zinc "${lenient[$expect]}" validate --format v2 "$url"
	grep -qE "^(error|warning|unsupported) $rule: " out || bad "$fixture: $rule is not named"
	[ "$(grep -cE "^(error|warning|unsupported) " out)" = 1 ] || bad "$fixture: more than one finding"
	zinc "${strict[$expect]}" validate --format v2 --strict "$url"
	zinc "${lenient[$expect]}" validate --json "$url" # found without being told the version
	is_json
	has "\"severity\":\"${severity[$expect]}\",\"rule\":\"$rule\""
done <"$SOURCE/tests/rules/index_v2.txt"
[ $fixtures -gt 45 ] || bad "only $fixtures fixtures"

finish
