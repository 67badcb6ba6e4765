# The gs store with fake-gcs-server and the server of the tests; zarr-python and tensorstore on the same server.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

FAKE_GCS=v1.56.1

build_fake_gcs() { build_server fake-gcs-server github.com/fsouza/fake-gcs-server@$FAKE_GCS; }

# Each start_SERVER leaves its address in $endpoint, with a bucket "zinc".
# In memory: its files cannot hold both the keys a and a/b, and it is twenty times slower with them.
start_fake_gcs() {
	build_fake_gcs || return 1
	local here
	here=127.0.0.1:$(free_port)
	endpoint=http://$here
	start fake-gcs-server "$ROOT/servers/fake-gcs-server" -scheme http -host 127.0.0.1 -port "${here#*:}" \
		-public-host "$here" -external-url "$endpoint" -backend memory -log-level error
	healthy fake-gcs-server "$endpoint/_internal/healthcheck" && python3 - "$endpoint" <<-'END'
		import sys, urllib.request
		urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/storage/v1/b?project=zinc", b'{"name": "zinc"}',
		    {"Content-Type": "application/json"}))
	END
}

# The Google Cloud Storage of the tests has buckets of any name.
start_gs_server() { serve_python gs_server tests/support/gs_server.py; }

test_gs() {
	local query
	unset STORAGE_EMULATOR_HOST GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_AUTH_ACCESS_TOKEN
	export NO_GCE_CHECK=true
	start_gs_server
	query="?endpoint=$endpoint"
	try gs "tests' own" "" "gs://plain-1/conform/{}$query" "gs://plain-1/race/{}$query"
	if [ -n "$QUICK" ]; then
		place gs "gs://plain-1/place-{}$query" # fake-gcs-server is built by the long form only
		return 0
	fi
	if ! start_fake_gcs; then
		bad "fake-gcs-server does not start"
		return 0
	fi
	query="?endpoint=$endpoint"
	lacks=no-conditional-deletes
	try gs fake-gcs-server "" "gs://zinc/conform/{}$query" "gs://zinc/race/{}$query"
	lacks=
	place gs "gs://zinc/place-{}$query"
	exchange_gs
}

# With zarr-python (gcsfs and obstore) and tensorstore, both directions.
exchange_gs() {
	venv gs 'zarr>=3' gcsfs obstore tensorstore
	check "gs, zarr-python and tensorstore" timeout 900 "$bin/python" tests/interop/gs_store.py "$BUILD/zinc" "$endpoint" zinc
}
