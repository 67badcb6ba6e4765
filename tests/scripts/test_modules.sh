#!/usr/bin/env bash
# test_modules.sh - the promises of src/base/module.c: which modules a program loads, and which it refuses
#
# The attacker's module leaves a file `loaded` behind wherever a process runs it.  Promise 2 needs root, to make a
# program setuid; without, that part is left out and the test ends as skipped.
set -euo pipefail
"$ZINC_BUILD_DIR/zinc" --version | grep -q 'curl *yes' || { echo "built without the module"; exit 77; }
here=$PWD
chmod 755 "$here"
prefix=$here/prefix
cmake --install "$ZINC_BUILD_DIR" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name libzinc.a)")
chmod -R go-w "$prefix"
export PKG_CONFIG_PATH=$libdir/pkgconfig

bad() { echo "FAILED: $*"; exit 1; }

# ---- programs and modules ----
cat >program.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zinc.h>
#include <zinc/store.h>

/* program DIRECTORY: go there, open a store that is a module's, say what comes of it */
int
main(int argc, char **argv)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_status st;

	if (argc > 1 && chdir(argv[1]) != 0)
		return 9;
#ifdef REGISTER
	if (zinc_store_http_register(&err) != ZINC_OK || zinc_store_http_register(NULL) != ZINC_E_EXISTS)
		return 8;
#endif
	st = zinc_store_open(&s, "http://127.0.0.1:1/x", NULL, &err);
	puts(st == ZINC_OK ? "opened" : zinc_error_text(&err));
	zinc_store_close(s);
	return (int)st;
}
END_C
cat >evil.c <<'END_C'
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void
attack(void)
{
	close(open(MARK, O_CREAT | O_WRONLY, 0666));
}
const char zinc_module_build[] = "0.1.0";

const void *
zinc_module_init(const char *build, const char *scheme)
{
	attack();
	return build == scheme ? build : 0;
}
END_C
shared() { cc "$@" $(pkg-config --cflags --libs zinc) -Wl,-rpath,"$libdir"; }
static() { cc "$@" $(pkg-config --cflags zinc) -Wl,-Bstatic $archives -Wl,-Bdynamic $(pkg-config --static --libs zinc-http | sed 's/-lzinc[_a-z]* //g'); }
shared program.c -o by_shared
archives=-L$libdir\ -lzinc static program.c -rdynamic -o by_static
archives=-L$libdir\ -lzinc_http\ -lzinc static program.c -DREGISTER -o by_archive
mkdir -p evil/zinc evil/zinc-modules
cc -shared -fPIC -DMARK="\"$here/loaded\"" evil.c -o evil/zinc/store_http.so
cp evil/zinc/store_http.so evil/zinc-modules/

innocent() { # innocent WHAT: nothing of the attacker's ran
	[ ! -e loaded ] || bad "$1: the attacker's module ran"
}
opens() { # opens COMMAND...
	[ "$("$@")" = opened ] || bad "$*: $("$@" || true)"
	innocent "$*"
}
refuses() { # refuses TEXT COMMAND...: E_UNSUPPORTED with the text
	local status=0
	"${@:2}" >out || status=$?
	[ "$status" = 6 ] || bad "status $status: ${*:2}: $(cat out)"
	grep -qF -- "$1" out || bad "'$1' is missing: ${*:2}: $(cat out)"
}

# ---- (1) the kernel's word ----
opens ./by_shared
opens ./by_shared evil
opens bash -c 'exec -a "$0/evil/program" ./by_shared evil' "$here"
opens bash -c 'exec -a evil/program ./by_shared' "$here"
(cd evil && opens "$here/by_shared")
opens env LD_LIBRARY_PATH=evil:"$here/evil" ./by_shared evil
ln -s "$libdir" beside # a relative path to the library, and elsewhere a module where it would lead
mkdir -p elsewhere/beside
cp -r evil/zinc elsewhere/beside/
cc program.c $(pkg-config --cflags --libs zinc) -o by_environment
opens env LD_LIBRARY_PATH=beside ./by_environment elsewhere
cp "$libdir"/libzinc.so.0 "$libdir"/libzinc.so.0.gone
mkdir moved
cp -r "$libdir/zinc" "$(readlink -f "$libdir/libzinc.so.0")" moved/
mv "moved/$(basename "$(readlink -f "$libdir/libzinc.so.0")")" moved/libzinc.so.0
opens env LD_LIBRARY_PATH="$here/moved" ./by_environment
rm -r "$libdir/libzinc.so.0.gone" moved/zinc
refuses "the module store_http is missing" env LD_LIBRARY_PATH="$here/moved" ./by_environment evil
zinc=$prefix/bin/zinc
"$zinc" stores >listed
grep -A2 '^http ' listed | grep -q 'can: read range' || bad "stores: the module that is there"
LD_LIBRARY_PATH=$here/moved "$zinc" stores >out || bad "stores: status $? without the module"
grep -A2 '^http ' out | grep -qF "missing: the module store_http is missing: build it, and install it in zinc/ beside $here/moved/" ||
	bad "stores: $(cat out)"
innocent "no module"

# ---- (3) the same headers, the same library ----
mkdir -p moved/zinc
cp evil/zinc/store_http.so moved/zinc/
refuses "moved/zinc/store_http.so is of another build" env LD_LIBRARY_PATH="$here/moved" ./by_environment
rm -f loaded # being loaded runs its constructors: it lies where only the library's owner can put it
echo "no library" >moved/zinc/store_http.so
refuses "cannot be loaded" env LD_LIBRARY_PATH="$here/moved" ./by_environment
cp "$libdir/zinc/store_http.so" moved/zinc/
opens env LD_LIBRARY_PATH="$here/moved" ./by_environment
python3 - moved/zinc/store_http.so <<'END_PY'
import re, sys
data = open(sys.argv[1], "rb").read()
found = set(re.findall(rb"\0([0-9a-f]{64})\0", data))
assert len(found) == 1, found
old = found.pop()
open(sys.argv[1], "wb").write(data.replace(old, bytes([old[0] ^ 1]) + old[1:]))
END_PY
refuses "moved/zinc/store_http.so is of another build" env LD_LIBRARY_PATH="$here/moved" ./by_environment
# A libzinc by another name: the module would bring its own.
cat >renamed.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <zinc.h>
#include <zinc/store.h>

static void *
find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		puts(name);
	return symbol;
}

int
main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	zinc_status (*open)(zinc_store **, const char *, const zinc_store_options *, zinc_error *);
	const char *(*text)(zinc_error *);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	zinc_status st;

	*(void **)&open = find(library, "zinc_store_open");
	*(void **)&text = find(library, "zinc_error_text");
	st = open(&s, "http://127.0.0.1:1/x", NULL, &err);
	puts(st == ZINC_OK ? "opened" : text(&err));
	return (int)st;
}
END_C
cc renamed.c $(pkg-config --cflags zinc) -ldl -o renamed
opens ./renamed "$libdir/libzinc.so.0"
mkdir -p twice/zinc
cp "$libdir/libzinc.so.0" twice/
cp "$libdir/zinc/store_http.so" twice/zinc/
python3 -c 'import sys
sys.stdout.buffer.write(sys.stdin.buffer.read().replace(b"\0libzinc.so.0\0", b"\0libzonc.so.0\0"))' \
	<twice/libzinc.so.0 >twice/libzonc.so.0
refuses "another libzinc" ./renamed "$here/twice/libzonc.so.0"

# ---- (4) the static library loads nothing, and needs nothing loaded ----
for dir in . evil; do
	refuses "link its archive and register it" ./by_static "$dir"
	refuses "link its archive and register it" bash -c 'exec -a "$0/evil/program" ./by_static "$1"' "$here" "$dir"
	opens bash -c 'exec -a "$0/evil/program" ./by_archive "$1"' "$here" "$dir"
done
innocent "a static program"
! ldd by_archive | grep libzinc || bad "the static program needs the shared library"

# ---- (2) more rights than the caller ----
if [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	echo "not root: no setuid program was tried"
	exit 77
fi
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 4755 by_shared by_static by_archive
secure=$(nobody env LD_SHOW_AUXV=1 /bin/true | grep -c AT_SECURE || true)
[ "$secure" = 1 ] || bad "LD_SHOW_AUXV shows no AT_SECURE"
opens nobody ./by_shared
opens nobody bash -c 'exec -a "$0/evil/program" ./by_shared evil' "$here"
refuses "link its archive" nobody bash -c 'exec -a "$0/evil/program" ./by_static evil' "$here"
opens nobody bash -c 'exec -a "$0/evil/program" ./by_archive evil' "$here"
real=$(readlink -f "$libdir/libzinc.so.0")
for path in "$real" "$libdir" "$libdir/zinc" "$libdir/zinc/store_http.so"; do
	for change in "chown 65534" "chmod g+w" "chmod o+w"; do
		$change "$path"
		refuses "$path must be root's" nobody ./by_shared
		./by_shared >/dev/null || bad "root is refused its own: $path"
		chown 0:0 "$path"
		chmod go-w "$path"
		opens nobody ./by_shared
	done
done
innocent "a setuid program"
echo "modules: ok"
