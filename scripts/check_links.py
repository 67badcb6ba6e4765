#!/usr/bin/env python3
"""check_links.py [--root DIR | --html DIR] - links between the documents have a target

Checks every committed Markdown file: a relative link must lead to a committed file or directory of this
repository, and its #anchor to a heading there (by the rule of the code hosts: lower case, hyphens for spaces, no
punctuation).  Every page below docs/ must have a link from another page, so that readers find it.  Links to other
hosts are not followed.

With --html DIR the same for the pages of a built site instead, where anchors are ids.
"""
import argparse
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s+(\S+)", re.M)
CODE = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$|(`+)(?!`).*?(?<!`)\2(?!`)", re.S | re.M)
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)


def blank(m):
    return re.sub(r"[^\n]", " ", m.group())


def links(text):
    """(first, last, target) of each link in a Markdown text that is not inside code."""
    hidden = CODE.sub(lambda m: blank(m) if m.group(1) else "`" * len(m.group()), text)
    for m in LINK.finditer(hidden):
        group = 1 if m.group(1) else 2
        yield m.start(group), m.end(group), m.group(group)


def anchors(text):
    """The anchors that a code host gives to the headings."""
    seen, out = {}, set()
    fences = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$", re.S | re.M)
    for title in re.findall(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", fences.sub(blank, text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        out.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
        seen[slug] = seen.get(slug, 0) + 1
    return out


def committed(root):
    """Files of the repository, and their directories; without git, all files except build directories."""
    if (root / ".git").exists():
        files = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                               capture_output=True, text=True).stdout.split("\0")
    else:
        files = [p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir()]
        files = [name for name in files if not name.startswith("build")]
    files = {name for name in files if name and (root / name).exists()}
    return files, {parent.as_posix() for name in files for parent in pathlib.PurePosixPath(name).parents}


def check_markdown(root):
    files, directories = committed(root)
    pages = sorted(name for name in files if name.endswith(".md"))
    text = {name: (root / name).read_text() for name in pages}
    headings = {name: anchors(text[name]) for name in pages}
    wrong, reached, count = [], set(), 0
    for page in pages:
        for first, _, target in links(text[page]):
            if OUTSIDE.match(target):
                continue
            count += 1
            line = text[page].count("\n", 0, first) + 1
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path)
            name = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if name not in files and name not in directories:
                wrong.append(f"{page}:{line}: {target}: no such file")
            elif anchor and anchor not in headings.get(name, ()):
                wrong.append(f"{page}:{line}: {target}: no such heading")
            if name != page:
                reached.add(name)
    wrong += [f"{page}: no other page links to it" for page in pages if page.startswith("docs/") and page not in reached]
    return wrong, f"{len(pages)} pages, {count} links"


class Reader(html.parser.HTMLParser):
    """The ids of a page, and the targets of its links."""

    def __init__(self):
        super().__init__()
        self.ids, self.targets = set(), []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


def check_html(site):
    pages = {}
    for page in sorted(site.rglob("*.html")):
        pages[page] = Reader()
        pages[page].feed(page.read_text())
    wrong, count = [], 0
    for page, reader in pages.items():
        for target in reader.targets:
            if OUTSIDE.match(target) or target.startswith("//"):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            there = pathlib.Path(os.path.normpath(page.parent / path)) if path else page
            if not there.is_file():
                wrong.append(f"{page.relative_to(site)}: {target}: no such file")
            elif anchor and there in pages and urllib.parse.unquote(anchor) not in pages[there].ids:
                wrong.append(f"{page.relative_to(site)}: {target}: no such id")
    return wrong, f"{len(pages)} pages of HTML, {count} links"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--html", type=pathlib.Path)
    options = parser.parse_args()
    wrong, counts = check_html(options.html) if options.html else check_markdown(options.root)
    print("\n".join(wrong + [f"check_links: {counts}, {len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
