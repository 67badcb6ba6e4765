#!/usr/bin/env bash
# python_bare.sh PYTHON WHEEL - use the wheel in a system that has no library of ours, nor any of Debian's that we use
#
# The system is a directory with the loader, the libraries that every manylinux system has, PYTHON, NumPy and the wheel;
# chroot in a mount namespace of its own makes it the root.  There is no libcurl, no OpenSSL, no codec library and no
# certificate of Debian in it.  Its certificates are at Fedora's place, and name only the test's own authority.
# python/tests/bare_check.py reads and writes there: every codec, files, zip, SQLite, LMDB, LevelDB, HTTPS, S3 with TLS;
# then it looks at what is mapped in the process.  Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(realpath "$1") wheel=$(realpath "$2")
prefix=$("$python" -c 'import sys; print(sys.base_prefix)')
real=$("$python" -c 'import os, sys; print(os.path.realpath(sys._base_executable))')
work=$(mktemp -d)
root=$work/root

cleanup() {
	[ -z "${http:-}" ] || exec {http}>&- # the servers end with their input
	[ -z "${s3:-}" ] || exec {s3}>&-
	rm -rf "$work"
}
trap cleanup EXIT

# ---- the system ----

copy() { # a file and where it is
	mkdir -p "$root$(dirname "$1")"
	cp -L "$1" "$root$1"
}
libraries() { # what every system has: the loader's answer for its names
	local name known
	known=$(ldconfig -p)
	for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libresolv.so.2 libnss_files.so.2 \
		libnss_dns.so.2 libstdc++.so.6 libgcc_s.so.1 libz.so.1; do
		awk -v name="$name" '$1 == name && /x86-64|AArch64/ { print $NF; exit }' <<<"$known"
	done
	ldd "$real" | awk '/=> \//{ print $3 } $1 ~ /^\// { print $1 }'
}
mkdir -p "$root"/{tmp,proc,etc/pki/tls/certs,site,dev,work}
libraries | sort -u | while read -r file; do copy "$file"; done
echo "127.0.0.1 localhost" >"$root/etc/hosts"
"$python" -m pip install -q --disable-pip-version-check --root-user-action ignore --only-binary :all: --target "$root/site" numpy "$wheel"
cp python/tests/bare_check.py "$root/work/"
mkdir -p "$root$prefix"

# ---- servers outside, with an authority of their own ----

(
	cd "$work"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
	openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
	printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >ext
	openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out server.pem
) 2>"$work/openssl.log" || { cat "$work/openssl.log" >&2 && exit 1; }
cp "$work/ca.pem" "$root/etc/pki/tls/certs/ca-bundle.crt"
mkdir -p "$work/web" "$root/elsewhere"
cp "$work/ca.pem" "$root/elsewhere/mine.pem"
mkfifo "$work/http.in" "$work/s3.in"
python3 tests/support/http_server.py "$work/web" --tls "$work/server.pem" "$work/server.key" <"$work/http.in" >"$work/http.out" &
exec {http}>"$work/http.in"
python3 tests/support/s3_server.py --tls "$work/server.pem" "$work/server.key" <"$work/s3.in" >"$work/s3.out" &
exec {s3}>"$work/s3.in"
for _ in $(seq 100); do
	[ -s "$work/http.out" ] && [ -s "$work/s3.out" ] && break
	sleep 0.1
done
web=https://localhost:$(head -n 1 "$work/http.out") buckets=https://localhost:$(head -n 1 "$work/s3.out")

# ---- inside ----

# enter [NAME=VALUE...] ARGUMENT...: bare_check.py in the new root, without any variable of ours
enter() {
	local map=()
	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	# shellcheck disable=SC2016
	timeout 300 unshare "${map[@]}" --mount sh -ec '
		root=$1 prefix=$2
		shift 2
		mount --rbind "$prefix" "$root$prefix"
		mount --rbind /proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec chroot "$root" "$@"' sh "$root" "$prefix" "$real" -I -c \
		'import os, runpy, sys
for word in sys.argv[1:]:
    name, found, value = word.partition("=")
    if found: os.environ[name] = value
for name in [name for name in os.environ if name not in [word.partition("=")[0] for word in sys.argv[1:]]]:
    del os.environ[name]
sys.path.insert(0, "/site")
runpy.run_path("/work/bare_check.py", run_name="__main__")' "$@"
}

# The served array is written by the wheel, too, outside of the new root.
PYTHONPATH=$root/site "$python" "$root/work/bare_check.py" --make "$work/web/t"
status=0
enter "WEB=$web" "S3=$buckets" || status=1
mv "$root/etc/pki/tls/certs/ca-bundle.crt" "$work/moved.pem" # now nothing is found, except what SSL_CERT_FILE names
enter "WEB=$web" "S3=$buckets" SSL_CERT_FILE=/elsewhere/mine.pem || status=1
enter "WEB=$web" UNTRUSTED=1 || status=1
exit $status
