#!/usr/bin/env python3
"""api_reference.py OUT | --check SITE - the API reference of the site: one page for each public header

Reads include/zinc.h and include/zinc/*.h and writes OUT/<header>.rst with Sphinx's C domain.  The headers keep their plain
comments.  It uses them as follows:

  - The first comment of a file is the page's introduction.
  - A comment between rules of dashes begins a section: "/* ---- waiting ---- */", or the numbered banners of zinc.h.
  - Any other comment describes the declarations that follow it up to the next blank line or comment.
  - A comment after a declaration, on its line, describes that declaration.

With --check it reads the pages that Sphinx made: every public function (those of scripts/check_symbols.py) must have an
entry there, else the exit status is 1.
"""
import pathlib
import re
import sys

import check_symbols

ROOT = pathlib.Path(__file__).resolve().parent.parent
HIDDEN = re.compile(r"(ZINC_API|ZINC_CHECKED|ZINC_X|ZINC_\w*_H|ZINC_\w*_|ZINC_H)$")
CPLUSPLUS = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\b[^\n]*\n", re.S | re.M)
TOKEN = re.compile(
    r"(?P<gap>\n[ \t]*\n\s*)|(?P<space>\s+)|(?P<comment>/\*.*?\*/)|(?P<directive>#(?:[^\n\\]|\\\n|\\.)*)", re.S)
SECTION = re.compile(r"^-{4,}\s*$\n+(.*?)\n*^-{4,}\s*$|^---- (.*?) ----\s*?$\n?(.*)", re.S | re.M)
WORD = re.compile(r"`([^`]*)`|\b(zinc_\w+|ZINC_\w+|E_[A-Z]+)\b")


def comment_text(comment):
    """The words of a comment, without its stars."""
    body = comment[2:-2]
    lines = [re.sub(r"^\s*\* ?", "", line) for line in body.split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip("\n").removeprefix(" ").rstrip()


def declaration_end(text, at):
    """The end of the declaration that begins at `at`: after the ';' outside of braces and comments."""
    depth = 0
    for m in re.finditer(r"/\*.*?\*/|[{};]", text[at:], re.S):
        depth += {"{": 1, "}": -1}.get(m.group(), 0)
        if m.group() == ";" and depth == 0:
            return at + m.end()
    raise ValueError("a declaration without an end: " + text[at:at + 60])


def tokens(text):
    """(kind, text) of a header: gap, comment, trailing (a comment after a declaration), directive, declaration."""
    at, line_open = 0, False
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            end = declaration_end(text, at)
            yield "declaration", text[at:end]
            at, line_open = end, True
            continue
        kind = m.lastgroup
        if kind == "comment":
            yield ("trailing" if line_open else "comment"), m.group()
        elif kind == "directive":
            # A comment at the end of a #define belongs to its line.
            yield kind, m.group()
        elif kind == "gap":
            yield kind, ""
        if "\n" in m.group():
            line_open = False
        at = m.end()


class Item:
    """A declaration or macro: its form for Sphinx (`kind`, `signature`), and its text in the header."""

    def __init__(self, kind, name, signature, source):
        self.kind, self.name, self.signature, self.source, self.remark = kind, name, signature, source, ""


def macro(text):
    m = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?", text)
    if not m or HIDDEN.match(m.group(1)) or re.match(r"ZINC_\w*_$", m.group(1)):
        return None
    return Item("macro", m.group(1), m.group(1) + (m.group(2) or ""), text)


def declared(text):
    """The item of a C declaration; None if readers do not need it."""
    flat = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.S)).strip(" ;")
    m = re.match(r"(?:typedef )?(struct|enum) (\w+) \{", flat)
    if m:
        return Item(m.group(1), m.group(2), m.group(2), text)
    m = re.match(r"typedef (struct \w+) (\w+)$", flat)
    if m:
        return Item("opaque", m.group(2), m.group(2), text)
    m = re.match(r"typedef (.*\(\*(\w+)\).*)$", flat)
    if m:
        return Item("type", m.group(2), m.group(1), text)
    flat = re.sub(r"\b(ZINC_API|ZINC_CHECKED) ", "", flat)
    m = re.match(r"[\w *]*?\b(zinc_\w+)\s?\(", flat)
    return Item("function", m.group(1), flat, text) if m else None


def groups(text):
    """(comment, items): each comment with the items that it describes; never ("", [])."""
    comment, items = "", []
    for kind, piece in tokens(CPLUSPLUS.sub("\n", text)):
        if kind == "comment" and "clang-format" in piece:
            continue
        if kind in ("gap", "comment"):
            if comment or items:
                yield comment, items
            comment, items = (comment_text(piece) if kind == "comment" else ""), []
        elif kind == "trailing":
            if items:
                items[-1].remark = comment_text(piece)
        else:
            item = macro(piece) if kind == "directive" else declared(piece)
            if item:
                items.append(item)
    if comment or items:
        yield comment, items


def escape(text):
    """Text escaped for Sphinx; *emphasis* is kept."""
    return re.sub(r"\\\*(\w+)\\\*", r"*\1*", re.sub(r"([\\*_|`])", r"\\\1", text))


class Page:
    """The .rst of one header."""

    def __init__(self, known):
        self.known, self.out = known, []

    def word(self, m):
        """`code` and names of the library in a text; names that have an entry become links."""
        code, name = m.groups()
        text = name or code
        role = self.known.get(text)
        if role:
            return f"\\ :c:{role}:`{text}`\\ "
        return f"\\ ``{text}``\\ " if text.strip() else ""

    def inline(self, text):
        out, at = [], 0
        for m in WORD.finditer(text):
            out += [escape(text[at:m.start()]), self.word(m)]
            at = m.end()
        return "".join(out) + escape(text[at:])

    def code(self, lines, indent):
        self.out += [indent + ".. code-block:: c", ""]
        self.out += [(indent + "   " + line.expandtabs(4)).rstrip() for line in lines] + [""]

    def text(self, text, indent=""):
        """A comment: paragraphs; indented ones become literal blocks."""
        for part in re.split(r"\n\s*\n", text):
            lines = part.split("\n")
            if all(line.startswith("  ") or not line for line in lines):
                margin = min(len(line) - len(line.lstrip()) for line in lines if line)
                self.out += [indent + ".. code-block:: none" if not re.search(r"[;{]", part) else
                             indent + ".. code-block:: c", ""]
                self.out += [(indent + "   " + line[margin:]).rstrip() for line in lines] + [""]
            elif lines[0]:
                self.out += [indent + "| " + self.inline(line.strip()) if line.startswith("  ") else
                             indent + self.inline(line) for line in lines] + [""]

    def heading(self, text, mark):
        self.out += [text, mark * max(len(text), 3), ""]

    def section(self, m):
        title, _, rest = (m.group(1) or m.group(2)).partition("\n")
        title = re.sub(r"^(\d+)\s+", r"\1 ", title.strip())
        self.heading(title[0].upper() + title[1:], "-")
        rest = (rest + "\n" + (m.group(3) or "")).strip("\n")
        if rest:
            self.text(rest)

    def entries(self, comment, items):
        """One entry for all items of a kind that share a comment."""
        while items:
            first, n = items[0], 1
            alike = ("function", "macro", "type")
            while n < len(items) and items[n].kind == first.kind in alike and not (first.remark or items[n].remark):
                n += 1
            self.entry(items[:n], comment)
            comment, items = "", items[n:]

    def entry(self, items, comment):
        kind = "type" if items[0].kind == "opaque" else items[0].kind
        head = f".. c:{kind}:: "
        self.out += [head + items[0].signature] + [" " * len(head) + item.signature for item in items[1:]] + [""]
        if comment:
            self.text(comment, "   ")
        if items[0].remark:
            self.text(items[0].remark[0].upper() + items[0].remark[1:], "   ")
        if kind in ("struct", "enum"):
            self.code(items[0].source.split("\n"), "   ")
        if kind == "macro" and items[0].name.endswith("_LIST"):
            self.code(items[0].source.split("\n"), "   ")
        elif kind == "macro" and all(re.match(r"#define \w+ +[\w\"(]", i.source) and "{" not in i.source and
                                   len(i.source) < 160 and "(" not in i.signature for i in items):
            self.code([item.source for item in items], "   ")


ROLES = {"function": "func", "macro": "macro"}


def generate(out):
    headers = [ROOT / "include/zinc.h"] + sorted((ROOT / "include/zinc").glob("*.h"))
    parsed = {h: list(groups(h.read_text())) for h in headers}
    known = {i.name: ROLES.get(i.kind, "type") for page in parsed.values() for _, items in page for i in items}
    seen = set()
    for header, page in parsed.items():
        write(out, header, page, known, seen)
    return 0


def check(site):
    entries = set()
    for page in site.glob("api/*.html"):
        entries.update(re.findall(r'id="c\.(zinc_\w+)"', page.read_text()))
    public = check_symbols.declared(ROOT)
    missing = sorted(public - entries)
    for name in missing:
        print(f"api_reference: {name} is public and has no entry")
    print(f"api_reference: {len(public)} functions, {len(missing)} without an entry")
    return 1 if missing else 0


def write(out, header, page, known, seen):
    """One page; items that were declared before are left out."""
    name = header.relative_to(ROOT / "include").as_posix()
    writer = Page(known)
    writer.heading(f"<{name}>", "=")
    introduction, _ = page[0]
    writer.text(re.sub(r"^\S+ - (\w)", lambda m: m.group(1).upper(), introduction))
    has_items = False
    for comment, items in page[1:]:
        items = [i for i in items if i.name not in seen and not seen.add(i.name)]
        has_items = has_items or bool(items)
        m = SECTION.match(comment)
        if m:
            writer.section(m)
            writer.entries("", items)
        elif items:
            writer.entries(comment, items)
    if not has_items:
        writer.code(header.read_text().split("*/\n", 1)[1].strip().split("\n"), "")
    target = out / (name.replace("/", "-").removesuffix(".h") + ".rst")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(writer.out) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        sys.exit(check(pathlib.Path(sys.argv[2])))
    if len(sys.argv) != 2:
        sys.exit("usage: " + __doc__.partition(" - ")[0])
    sys.exit(generate(pathlib.Path(sys.argv[1])))
