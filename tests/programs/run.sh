#!/usr/bin/env bash
# run.sh PROGRAM... - run every_call in the working directory, with a web server where there can be one
set -eu
mkdir every
if ! "${ZINC:?names the command}" --version | grep -q 'curl *yes' || ! command -v python3 >/dev/null; then
	exec "$@" every
fi
mkfifo server.in
python3 "$ZINC_SOURCE_DIR/tests/support/http_server.py" every <server.in >port &
exec {keep}>server.in # it ends with its standard input
for _ in $(seq 200); do
	[ -s port ] && break
	sleep 0.05
done
"$@" every "http://127.0.0.1:$(cat port)/plain" {keep}>&-
