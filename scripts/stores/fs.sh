# Files.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_fs() {
	try fs "this machine" "" "$dir/fs/{}" "$dir/race.zarr/{}"
	place fs "$dir/place-{}.zarr"
}
