#!/usr/bin/env python3
"""test_checks.py - the checks must be able to fail: each rule is broken once, in a tree of its own"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"

CLEAN = {
    "include/zinc.h": '/*\n * zinc.h - public\n */\n/* The version. */\nZINC_API const char *zinc_version(void);\n',
    "src/base/base.h": "/* base.h - door */\n#include <zinc.h>\n#include \"base/num.h\"\n",
    "src/base/num.h": "/* num.h - sizes */\n",
    "src/base/alloc.c": '/* alloc.c - memory */\n#include "base/base.h"\nvoid *\nf(void)\n{\n\treturn malloc(1);\n}\n',
    "src/base/os_posix.c": "/* os_posix.c - files */\nint\nf(void)\n{\n#if 1\n\treturn open(\"x\", 0);\n#endif\n}\n",
    "src/json/json.h": '/* json.h - door */\n#include "base/base.h"\n',
    "src/codec/codec.h": '/* codec.h - door */\n#include "json/json.h"\n',
    "src/codec/codec_zstd.c": '/* codec_zstd.c - zstd */\n#include <zstd.h>\n#include "codec/codec.h"\n',
    "cli/main.c": '/* main.c - command */\n#include <zinc.h>\n#include "cli.h"\nint\nmain(void)\n{\n\tprintf("malloc(1)");\n}\n',
    "cli/cli.h": "/* cli.h - command */\n",
}


class Checks(unittest.TestCase):
    def run_check(self, script, changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**CLEAN, **changes}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPTS / script, "--root", root], stdout=subprocess.PIPE, text=True)
            return done.returncode, done.stdout

    def accepts(self, script, changes):
        status, out = self.run_check(script, changes)
        self.assertEqual(status, 0, out)

    def finds(self, script, what, name, text):
        status, out = self.run_check(script, {name: text})
        self.assertEqual(status, 1, out)
        self.assertIn(what, out)
        self.assertIn(name, out)


class Layers(Checks):
    def finds(self, what, name, text):
        super().finds("check_layers.py", what, name, text)

    def test_clean(self):
        self.accepts("check_layers.py", {})

    def test_upwards(self):
        self.finds("base may not include room json", "src/base/up.c", '#include "json/json.h"\n')

    def test_sideways(self):
        self.finds("json may not include room codec", "src/json/side.c", '#include "codec/codec.h"\n')

    def test_not_the_door(self):
        self.finds("only its door", "src/json/window.c", '#include "base/num.h"\n')

    def test_unknown_room(self):
        self.finds("not in a known room", "src/cellar/x.c", "\n")

    def test_missing_file(self):
        self.finds("not a file of a room", "src/json/gone.c", '#include "json/gone.h"\n')

    def test_angle_brackets_hide_nothing(self):
        self.finds("is ours", "src/base/angle.c", "#include <json/json.h>\n")

    def test_wrapper(self):
        self.finds("belongs to codec/codec_zstd.c", "src/json/direct.c", "#include <zstd.h>\n")

    def test_command_looks_inside(self):
        self.finds("only <zinc.h>", "cli/spy.c", '#include "base/base.h"\n')
        self.finds("inside the library", "cli/spy.c", "#include <base/base.h>\n")

    def test_public_header_looks_inside(self):
        self.finds("only <zinc.h>", "include/zinc/spy.h", '#include "../src/base/base.h"\n')

    def test_document(self):
        self.finds("room json may include: base", "docs/architecture.md", "| `json` | documents | base report |\n")

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, SCRIPTS / "check_layers.py", "--root", root], stdout=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)


class Style(Checks):
    def finds(self, what, name, text):
        super().finds("check_style.py", what, name, f"/* {pathlib.Path(name).name} - test */\n" + text)

    def function(self, body):
        return "int\nf(void)\n{\n" + body + "}\n"

    def test_clean(self):
        self.accepts("check_style.py", {})

    def test_banned(self):
        self.finds("strcpy() has no bound", "cli/bad.c", self.function("\tstrcpy(a, b);\n"))
        self.finds("alloca()", "src/json/bad.c", self.function("\tchar *p = alloca (n);\n"))

    def test_owned(self):
        self.finds("malloc() is for src/base/alloc.c", "src/json/bad.c", self.function("\tp = malloc(1);\n"))
        self.finds("unlink() is for src/base/os_posix.c", "src/base/bad.c", self.function("\tunlink(p);\n"))
        self.finds("printf() is for programs", "src/base/bad.c", self.function('\tprintf("x");\n'))

    def test_tables_comments_and_strings_are_not_calls(self):
        body = '\t/* malloc(1) */ os->open(os, "free(p)"); a.read(1); zinc_free(p); // strcpy(a)\n'
        self.accepts("check_style.py", {"src/json/good.c": "/* good.c - test */\n" + self.function(body)})

    def warns(self, what, text):
        name = "src/json/large.c"
        status, out = self.run_check("check_style.py", {name: "/* large.c - test */\n" + text})
        self.assertEqual(status, 0, out)
        self.assertIn("warning: " + what, out)

    def test_length_of_file(self):
        self.warns("more than 900 lines", "\n" * 900)

    def test_opening(self):
        status, out = self.run_check("check_style.py", {"src/json/shy.c": "int x;\n"})
        self.assertEqual(status, 1)
        self.assertIn("does not begin with", out)

    def test_unfinished(self):
        self.finds("unfinished", "src/json/bad.c", "/* TODO */\n")

    def test_blank_at_end(self):
        self.finds("blank at the end", "src/json/bad.c", "int x; \n")

    def test_if_in_function(self):
        self.finds("#if inside", "src/json/bad.c", self.function("#ifdef X\n\treturn 1;\n#endif\n"))

    def test_ceiling(self):
        self.finds("without a real maximum", "src/json/bad.c", self.function("\tzinc_buf_init(&b, ctx, SIZE_MAX);\n\treturn 1;\n"))
        self.finds("without a real maximum", "src/json/bad.c", self.function("\tb->max = PTRDIFF_MAX;\n\treturn 1;\n"))

    def test_dangling(self):
        self.finds("*out is freed and not reset", "src/json/bad.c", self.function("\tzinc_free(h->ctx, *out);\n\treturn 1;\n"))
        body = "\tif (s)\n\t\tzinc_json_free(*out);\n\t*out = NULL;\n"
        self.accepts("check_style.py", {"src/json/good.c": "/* good.c - test */\n" + self.function(body)})

    def test_same_name(self):
        self.finds("same name", "src/json/num.h", "")

    def test_public_comment(self):
        text = "/* f. */\nZINC_API int zinc_f(void);\nZINC_API int zinc_g(void);\n\nZINC_API int zinc_h(void);\n"
        self.finds("zinc/bad.h:6: a public function without", "include/zinc/bad.h", text)

    @unittest.skipUnless(shutil.which("pmccabe"), "pmccabe is not installed")
    def test_functions(self):
        self.warns("write !p", self.function("\tif (p == NULL)\n\t\tg();\n"))
        self.warns("f: 94 lines", self.function("\tg();\n" * 90))
        self.warns("f: complexity 17", self.function("\tif (a)\n\t\tg();\n" * 16))

    @unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
    def test_symbols(self):
        with tempfile.TemporaryDirectory() as build:
            source = pathlib.Path(build, "x.c")
            source.write_text("int zinc_good;\nint bad;\n")
            subprocess.run(["gcc", "-shared", "-fPIC", "-o", pathlib.Path(build, "libzinc.so.0"), source], check=True)
            done = subprocess.run([sys.executable, SCRIPTS / "check_style.py", "--build", build], stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("defines bad, which", done.stdout)
            self.assertNotIn("zinc_good", done.stdout)


class Symbols(Checks):
    MAP = "ZINC_0 {\n\tglobal:\n%s\tlocal:\n\t\t*;\n};\n"

    def finds(self, what, names):
        listed = {"cmake/libzinc.map": self.MAP % "".join(f"\t\t{n};\n" for n in names)}
        status, out = self.run_check("check_symbols.py", listed)
        self.assertEqual(status, 1 if what else 0, out)
        self.assertIn(what, out)

    def test_clean(self):
        self.finds("", ["zinc_version"])

    def test_not_listed(self):
        self.finds("zinc_version: in the headers, not in", [])

    def test_not_declared(self):
        self.finds("zinc_gone: in cmake/libzinc.map, not in", ["zinc_gone", "zinc_version"])


@unittest.skipUnless(shutil.which("cc"), "no compiler is installed")
class Abi(Checks):
    GROWS = "typedef struct zinc_big {\n\tsize_t size;\n\tint a;\n%s} zinc_big;\n"
    TABLE = "zinc_big 16\n\t0 size\n\t8 a\n"

    def check(self, more, table="", inside=""):
        header = "/* abi.h - test */\n#include <stddef.h>\n#define ZINC_API\n" + self.GROWS % inside + more
        clean = CLEAN["include/zinc.h"].replace("/* The", "#define ZINC_API\n/* The")
        tree = {"include/zinc.h": clean, "include/zinc/abi.h": header, "tests/abi/lp64.txt": self.TABLE + table}
        return self.run_check("check_abi.py", tree)

    def finds(self, what, more, table="", inside=""):
        status, out = self.check(more, table, inside)
        self.assertEqual(status, 1, out)
        self.assertIn(what, out)

    def test_clean(self):
        status, out = self.check(
            "typedef struct zinc_other {\n\tsize_t size;\n\tconst zinc_big *big, *const *bigs;\n\tsize_t nbigs;\n} zinc_other;\n"
            "ZINC_API zinc_big *zinc_f(const zinc_big *big, int n, zinc_big **out);\n",
            "zinc_other 32\n\t0 size\n\t8 big\n\t16 bigs\n\t24 nbigs\n",
        )
        self.assertEqual(status, 0, out)

    def test_layout(self):
        self.finds("zinc_big:\t12 b: not in the table", "", inside="\tint b;\n")
        self.finds("zinc_gone 8: only in the table", "", "zinc_gone 8\n")

    def test_inside_another(self):
        self.finds("zinc_other: zinc_big can grow and must be passed by pointer", "struct zinc_other {\n\tsize_t size;\n\tzinc_big big;\n};\n"
                   "typedef struct zinc_other zinc_other;\n")

    def test_by_value(self):
        self.finds("zinc_big can grow and must be passed by pointer", "ZINC_API int zinc_f(int a, const zinc_big big);\n")
        self.finds("zinc_big can grow and must be passed by pointer", "ZINC_API zinc_big zinc_f(int a);\n")
        self.finds("zinc_big can grow and must be passed by pointer", "typedef int (*zinc_fn)(zinc_big);\n")

    def test_list(self):
        self.finds("zinc_big can grow and cannot be in a list", "ZINC_API int zinc_f(const zinc_big *all, size_t n);\n")
        self.finds("zinc_big can grow and cannot be in a list", "typedef struct zinc_other {\n\tsize_t size;\n\t"
                   "const zinc_big *bigs;\n\tsize_t nbigs;\n} zinc_other;\n")

    def test_neither(self):
        self.finds("zinc_new: does not begin with its size", "typedef struct zinc_new {\n\tint a;\n} zinc_new;\n")
        self.finds("zinc_tag: can grow, though FIXED", "typedef struct zinc_tag {\n\tsize_t size;\n} zinc_tag;\n")


if __name__ == "__main__":
    unittest.main()
