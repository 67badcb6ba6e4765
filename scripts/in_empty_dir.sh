#!/bin/sh
# in_empty_dir.sh DIR COMMAND... - empty DIR, then run a command in it
set -eu
dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
exec "$@"
