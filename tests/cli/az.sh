#!/usr/bin/env bash
# az.sh - credentials of Azure from every source reach the server, and nothing shows them: neither output, errors, JSON nor
# traces, whether it works or fails; and what a user does with containers
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 stores
grep -q '^az ' out && [ -e "$ZINC_BUILD_DIR/zinc-modules/store_az.so" ] || { echo "built without the az store"; exit 77; }
python3 -c 'import http.server, ssl' 2>/dev/null || { echo "no python3"; exit 77; }

serve_script az_server.py
for name in $(compgen -e AZURE_ || true) $(compgen -e IDENTITY_ || true); do unset "$name"; done
unset http_proxy https_proxy HTTPS_PROXY ZINC_PROFILES
export HOME=$PWD ZINC_AZ_ENDPOINT=$server/lab ZINC_AZ_RETRIES=1 AZURE_POD_IDENTITY_AUTHORITY_HOST=none
key=Y2FuYXJ5IGtleSBvZiB0aGUgYWNjb3VudCBvZiB0aGUgdGVzdHM=
plain=$(env | cut -d= -f1 | sort)

# Nothing that the program printed contains a secret.
clean() { # clean WHAT
	local word file
	for word in "$key" Y2FuYXJ5 canary sig=; do
		for file in out err; do
			! grep -qF -- "$word" "$file" || bad "$1: $word in $file"
		done
	done
	checks=$((checks + 1))
}
works() { # works NAME: the source is good for a container
	zinc 0 create "az://plain-$1/x.zarr/t" --shape 4 --dtype uint8 --trace-requests
	clean "$1"
	[ -s err ] || bad "no trace"
	zinc 0 info "az://plain-$1/x.zarr/t" --json --trace-requests
	clean "$1"
	zinc 0 tree "az://plain-$1/x.zarr" --trace-requests
	clean "$1"
	zinc 3 info "az://denied-$1/x.zarr/t" --json --trace-requests
	has AuthorizationPermissionMismatch err
	clean "$1"
	zinc 3 info "az://echo-$1/x.zarr/t" --trace-requests
	clean "$1"
}
fails() { # fails NAME TEXT [STATUS]: no credentials, and no request to the container without them
	zinc "${3:-3}" info "az://public-$1/x.zarr/t" --json --trace-requests
	has "$2" err
	! grep -q "GET $server/lab/public-$1" err || bad "$1: a request without credentials"
	clean "$1"
}
forget() {
	local name
	for name in $(comm -13 <(echo "$plain") <(env | cut -d= -f1 | sort)); do unset "$name"; done
}

# ---- sources ----
export AZURE_STORAGE_KEY=$key && works key && forget
export ZINC_AZ_ACCOUNT_KEY=$key && works setting && forget
export AZURE_STORAGE_SAS_TOKEN='?sv=2023-11-03&sig=canary%2Bsas%3D' && works sas && forget
export AZURE_STORAGE_CONNECTION_STRING="AccountName=lab;AccountKey=$key;BlobEndpoint=$server/lab" && works connection && forget
export AZURE_POD_IDENTITY_AUTHORITY_HOST=$server/_identity/good && works machine
export AZURE_POD_IDENTITY_AUTHORITY_HOST=none
export IDENTITY_ENDPOINT=$server/_identity/absolute/msi IDENTITY_HEADER=canary-header && works app && forget
export AZURE_CLIENT_ID=me AZURE_TENANT_ID=t AZURE_CLIENT_SECRET=canary-secret AZURE_AUTHORITY_HOST=$server/_identity/number
works secret && forget
echo canary.jwt >token
export AZURE_CLIENT_ID=me AZURE_TENANT_ID=t AZURE_FEDERATED_TOKEN_FILE=token AZURE_AUTHORITY_HOST=$server/_identity/short
works workload && forget
cat >profiles <<END
[lab]
az.account_key = $key
END
export ZINC_PROFILES=profiles ZINC_PROFILE=lab && works profile && forget

# ---- sources that fail ----
export AZURE_CLIENT_ID=me AZURE_TENANT_ID=t AZURE_CLIENT_SECRET=canary AZURE_AUTHORITY_HOST=$server/_identity/refuse
fails refused "credentials from the client secret: refused: HTTP 401 invalid_client" && forget
export AZURE_STORAGE_KEY=canary* && fails nokey "the key of the account is not base64" 2 && forget
export AZURE_STORAGE_CONNECTION_STRING=canary && fails noconnection "connection string is malformed" 2 && forget

# ---- containers ----
zinc 3 info az://hidden-a/x.zarr/t
has "no credentials: set AZURE_STORAGE_KEY" err
zinc 2 info abfs://c@evil.example.org/x.zarr
has "must be ACCOUNT.dfs.core.windows.net" err
unset ZINC_AZ_ENDPOINT
zinc 2 info az://c/x.zarr
has "which account?" err
export ZINC_AZ_ENDPOINT=$server/lab AZURE_STORAGE_KEY=$key
zinc 0 create az://hns-a/x.zarr/g/t --shape 8 --dtype uint8 --chunks 2 --shards 4
bytes 01 02 03 04 05 06 07 08 >raw
zinc 0 put az://hns-a/x.zarr/g/t --from raw
zinc 0 cat az://hns-a/x.zarr/g/t
prints <<<"[1 2 3 4 5 6 7 8]"
zinc 0 validate az://hns-a/x.zarr
zinc 0 cp az://hns-a/x.zarr az://plain-copy/y.zarr
zinc 0 diff az://hns-a/x.zarr az://plain-copy/y.zarr
zinc 0 rm --yes az://plain-copy/y.zarr
zinc 0 tree az://hns-a/x.zarr
has t out
finish
