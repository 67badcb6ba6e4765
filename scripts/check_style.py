#!/usr/bin/env python3
"""check_style.py [--root DIR] [--build DIR] - style rules that a compiler does not check

(1) No banned functions; memory, files and output each have one owner in src/.
(2) Files begin with "name - purpose"; names are unique in the library.
(3) A warning, which fails nothing: files of more than 900 lines, functions of more than 90 lines or of complexity above
    15 (pmccabe, if it is installed).  Split them if they have two subjects, not only to reduce a number.
(4) No #if inside a function body, except where the operating system is wrapped.
(5) Every public function has a comment, of its own or of its group.
(6) Every symbol the built libraries define for others begins with zinc_ (nm, if they are built).
(7) A function that frees memory through its caller's pointer also resets that pointer, to avoid a double free.
(8) The maximum of a buffer is never SIZE_MAX: it is one of the constants for a purpose (base/base.h).
(9) A warning: src/, cli/ and python/c/ write `!p`, not `p == NULL`.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 90
MAX_COMPLEXITY = 15

# Anywhere.
BANNED = {
    "has no bound": "strcpy strcat sprintf vsprintf gets stpcpy",
    "has no error": "atoi atol atoll atof",
    "has hidden state": "strtok rand localtime gmtime asctime ctime setlocale",
    "is unbounded stack": "alloca",
}

# In src/, only in the files named.
OWNED = {
    "base/alloc.c": "malloc calloc realloc free strdup strndup posix_memalign aligned_alloc memalign reallocarray asprintf vasprintf mmap munmap",
    "base/os_posix.c": "open openat openat2 creat close read pread preadv readv write pwrite pwritev writev stat fstat lstat fstatat"
    " statx access faccessat rename renameat unlink unlinkat rmdir mkdir mkdirat opendir fdopendir readdir closedir truncate ftruncate fallocate posix_fallocate"
    " fsync fdatasync futimens utimensat flock fcntl fopen fdopen fread fwrite fclose symlink readlink link chmod chown syscall getenv secure_getenv",
    "": "printf puts putchar perror fprintf vprintf vfprintf fputs exit _exit abort system popen strerror signal",  # no file
}

IF_ALLOWED = ["src/base/os_posix.c", "src/net/http.c", "src/net/http_send.c", "src/net/http_poll.c"]
C_DIRS = ["src", "include", "cli", "examples", "bench", "fuzz", "tests", "python/c"]


def c_files(root, dirs=C_DIRS):
    return sorted(p for d in dirs for p in (root / d).glob("**/*") if p.suffix in (".c", ".h"))


def blank(text):
    """The code with comments, strings and character constants blanked, line structure kept"""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def spaces(found):
        return re.sub(r"[^\n]", " ", found[0])

    return re.sub(pattern, spaces, text, flags=re.S)


def calls(code, names):
    """(line, name) of each call of one of `names`; table->name() and object.name() do not count"""
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\(")
    for found in pattern.finditer(code):
        yield code.count("\n", 0, found.start()) + 1, found[1]


def check_calls(root, path, code):
    for why, names in BANNED.items():
        for line, name in calls(code, names):
            yield line, f"{name}() {why}"
    if root / "src" not in path.parents:
        return
    here = path.relative_to(root / "src").as_posix()
    for owner, names in OWNED.items():
        if here == owner:
            continue
        for line, name in calls(code, names):
            yield line, f"{name}() is for {'src/' + owner if owner else 'programs, not for a library'}"


def check_shape(path, text):
    lines = text.splitlines()
    if not any(f"{path.name} - " in line for line in lines[:2]):
        yield 1, f'does not begin with "{path.name} - purpose"'
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "blank at the end of the line"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            yield number, "unfinished work"


def check_if(code):
    """Function bodies open and close with a brace in the first column"""
    inside = False
    for number, line in enumerate(code.splitlines(), 1):
        if line.startswith("{"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and re.match(r"\s*#\s*if", line):
            yield number, "#if inside a function body"


def check_dangling(code):
    """free(*out) is followed by *out = something in the next statement"""
    for found in re.finditer(r"\w*(?:free|close|unref)\((?:[\w.>-]+, )?\*(\w+)\);\s*([^;]*;)?", code):
        if not (found[2] or "").startswith(f"*{found[1]} = "):
            yield code.count("\n", 0, found.start()) + 1, f"*{found[1]} is freed and not reset"


def check_ceilings(code):
    """zinc_buf_init(b, ctx, SIZE_MAX) and b->max = SIZE_MAX are not real limits"""
    for found in re.finditer(r"(?:zinc_buf_init\([^;]*|(?:->|[\w\]]\.)max = [^;]*)\b(?:SIZE|PTRDIFF|U?INT\d*)_MAX\b", code):
        yield code.count("\n", 0, found.start()) + 1, "a buffer without a real maximum"


def check_dialect(root):
    """One way to test a pointer"""
    for path in c_files(root, ["src", "cli", "python/c"]):
        code = blank(path.read_text())
        for found in re.finditer(r" == NULL\b", code):
            yield path, code.count("\n", 0, found.start()) + 1, "write !p instead of p == NULL"


def check_comments(text):
    """In a paragraph with ZINC_API declarations a comment comes first"""
    lines = text.splitlines()
    commented = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            commented = False
        elif re.search(r"\*/\s*$", line) and "clang-format" not in line:
            commented = True
        elif line.startswith("ZINC_API") and not commented:
            yield number, "a public function without a comment"


def is_declaration(path, first):
    """pmccabe treats a declaration with attributes as the head of the next function"""
    rest = "\n".join(pathlib.Path(path).read_text().splitlines()[first - 1 :])
    return 0 <= rest.find(";") < rest.find("{")


def check_functions(root):
    """pmccabe: modified McCabe, traditional, statements, first line, lines, file(line): name"""
    files = c_files(root, ["src", "cli", "examples", "bench", "fuzz", "python/c"])
    if not shutil.which("pmccabe") or not files:
        return
    out = subprocess.run(["pmccabe", *map(str, files)], stdout=subprocess.PIPE, text=True, check=True).stdout
    for row in out.splitlines():
        complexity, _, _, first, length, place = row.split(None, 5)
        path, name = re.match(r"(.*)\(\d+\): (.*)", place).groups()
        if int(length) > MAX_FUNCTION_LINES and is_declaration(path, int(first)):
            continue
        if int(length) > MAX_FUNCTION_LINES:
            yield pathlib.Path(path), int(first), f"{name}: {length} lines, at most {MAX_FUNCTION_LINES}"
        if int(complexity) > MAX_COMPLEXITY:
            yield pathlib.Path(path), int(first), f"{name}: complexity {complexity}, at most {MAX_COMPLEXITY}"


def check_sizes(root):
    """Large files and functions: only warnings"""
    for path in c_files(root):
        lines = len(path.read_text().splitlines())
        if lines > MAX_FILE_LINES:
            yield path, lines, f"more than {MAX_FILE_LINES} lines"
    yield from check_functions(root)


def check_symbols(build):
    for name, options in (("libzinc.so.0", ["-D"]), ("libzinc.a", ["-g"])):
        library = build / name
        if not library.exists():
            continue
        out = subprocess.run(["nm", *options, "--defined-only", str(library)], stdout=subprocess.PIPE, text=True, check=True).stdout
        for row in out.splitlines():
            words = row.split()
            if len(words) == 3 and words[1] != "A" and not words[2].startswith("zinc_"):
                yield library, 1, f"defines {words[2]}, which does not begin with zinc_"


def check_names(root):
    seen = {}
    for path in c_files(root, ["src", "cli"]):
        if path.name in seen:
            yield path, 1, f"has the same name as {seen[path.name].relative_to(root)}"
        seen[path.name] = path


def check(root, build):
    for path in c_files(root):
        text = path.read_text()
        code = blank(text)
        found = list(check_calls(root, path, code)) + list(check_shape(path, text))
        if root / "tests" not in path.parents:
            found += check_dangling(code)
        if root / "src" in path.parents and path.name != "buf.c":
            found += check_ceilings(code)
        if path.relative_to(root).as_posix() not in IF_ALLOWED:
            found += check_if(code)
        if root / "include" in path.parents:
            found += check_comments(text)
        for number, what in found:
            yield path, number, what
    yield from check_names(root)
    yield from check_symbols(build)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=here)
    parser.add_argument("--build", type=pathlib.Path, help="where the libraries are [ROOT/build]")
    options = parser.parse_args()
    root = options.root.resolve()
    build = (options.build or root / "build").resolve()
    wrong, large = list(check(root, build)), list(check_sizes(root)) + list(check_dialect(root))
    for kind, found in (("", wrong), ("warning: ", large)):
        for path, number, text in found:
            path = path.relative_to(root) if root in path.parents else path
            print(f"{path}:{number}: {kind}{text}")
    files = len(c_files(root))
    print(f"check_style: {files} files, {len(wrong)} findings, {len(large)} warnings")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
