# Berkeley DB databases; they promise nothing after kill -9.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_berkeleydb() {
	try_local berkeleydb .bdb
}
