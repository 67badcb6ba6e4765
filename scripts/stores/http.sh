# The http store with the server of the tests.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_http() {
	mkdir -p "$dir/served"
	serve_python web tests/support/http_server.py "$dir/served"
	try http "tests' own" "" "$endpoint/plain/{}?write=yes&conditions=yes" "$endpoint/plain/race.zarr/{}?write=yes&conditions=yes"
}
