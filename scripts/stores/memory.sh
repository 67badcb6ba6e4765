# The memory store: its writers are threads.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_memory() { try memory "this process" -t 'memory://conform{}' 'memory://race/{}'; }
