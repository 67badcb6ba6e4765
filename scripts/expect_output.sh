#!/usr/bin/env bash
# expect_output.sh FILE COMMAND... - run a command; it must succeed and print the contents of FILE
#
# The path of the working directory is removed from its output.  With UPDATE=1 FILE is written instead.
set -euo pipefail
expected=$1
shift

run() { "$@" | sed "s#$PWD/##g"; }

if [ -n "${UPDATE:-}" ]; then
	run "$@" >"$expected"
else
	run "$@" | diff -u "$expected" -
fi
