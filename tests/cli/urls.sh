#!/usr/bin/env bash
# urls.sh - forms of URLs of archives, databases and caches: each names the same node, new ones are made where they say
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
export ZINC_CACHE_DIR=$PWD/cache
zinc 0 stores
sqlite=$(grep -A2 '^sqlite' out | grep -c 'can:' || true)

# same URL...: each is the array
same() {
	for url in "$@"; do
		zinc 0 info "$url"
		grep -q '  array, v3' out || bad "$url: $(cat out)"
	done
}

# no TEXT URL...: each fails and says why
no() {
	text=$1
	shift
	for url in "$@"; do
		zinc 2 info "$url"
		grep -qF "$text" err || bad "$url: $(cat err)"
		zinc 2 create "$url" --shape 4 --dtype int8 --chunks 4
		grep -qF "$text" err || bad "create $url: $(cat err)"
	done
}

# ---- archives ----
zinc 0 create a.zip/g/u --shape 4 --dtype int8 --chunks 4
same a.zip/g/u a.zip//g/u/ ./a.zip/g/./u 'a.zip|g/u' 'a.zip/g|u' 'a.zip/g/u|' 'a.zip|zarr3:g/u' 'a.zip|zip:g/u' \
	'a.zip/|zip:g/u' zip://g/u::a.zip "file://$PWD/a.zip|g/u" 'a.zip|cache:g/u' 'a.zip/g|cache:u' 'a.zip|zip:|cache:g/u'
cp a.zip 'p|q?.zip'
cp a.zip wrong.db
ln -s a.zip link.zip
same 'p|q?.zip/g/u' 'p|q?.zip|g/u' 'p|q?.zip|zip:g/u' 'p|q?.zip|cache:g/u' "file://$PWD/p%7Cq%3F.zip/g/u" link.zip/g/u \
	'link.zip|g/u' 'wrong.db|zip:g/u'
mkdir dir.zip
zinc 0 create dir.zip/x.zarr/t --shape 4 --dtype int8 --chunks 4
same 'dir.zip/x.zarr|t' dir.zip/x.zarr/t
zinc 0 create 'o.zip/b.zip|zip:t' --shape 4 --dtype int8 --chunks 4
same 'o.zip/b.zip|zip:t' 'o.zip|zip:b.zip|zip:t' zip://t::o.zip/b.zip zip://t::zip://b.zip::o.zip
no 'has no settings' 'a.zip?x=1' 'a.zip|zip:?x=1'
no 'zip://path::URL' zip://a.zip/t
no 'a URL begins with "s3://"' s3:/bucket/x
no 'a URL begins with "memory://"' memory:x/y
[ ! -e s3: ] || bad 'a directory s3:'

# ---- new hierarchies have a root ----
for new in 'n1.zarr|cache:t' 'n2.zip|cache:t' 'n3.zip|t' '.|cache:n4.zarr/t'; do
	zinc 0 create "$new" --shape 4 --dtype int8 --chunks 4
	zinc 0 tree "$(printf %s "${new#.|cache:}" | sed 's/[|/].*//')"
	grep -q '── t' out || bad "$new: $(cat out)"
done
[ -f n2.zip ] && [ -f n3.zip ] || bad 'an archive is a directory'

# ---- databases ----
[ "$sqlite" = 1 ] || exit 0
zinc 0 create x.sqlite/g/u --shape 4 --dtype int8 --chunks 4
same x.sqlite/g/u 'x.sqlite|g/u' 'x.sqlite/g|u' 'x.sqlite|zarr3:g/u' sqlite://x.sqlite/g/u 'sqlite://x.sqlite|g/u' \
	"file://$PWD/x.sqlite|g/u" 'x.sqlite|cache:g/u' 'x.sqlite?patience=1|cache:g/u?age=1' 'x.sqlite/g/u?patience=1'
zinc 0 create 'y.db|t' --shape 4 --dtype int8 --chunks 4
[ -f y.db ] || bad 'a database is a directory'
same y.db/t
no 'a URL begins with "sqlite://"' sqlite:x.sqlite/t
