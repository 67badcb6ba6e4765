#!/usr/bin/env python3
"""docs_stage.py OUT - the documents of this repository as sources of a Sphinx site

docs/ becomes the root of the site, docs/conf.py its configuration.  Documents are written for a code host, so relative links
point to files of the repository; here each is changed to the page of that file:

    docs/x.md                x.md
    include/zinc/store.h     api/zinc-store       (scripts/api_reference.py writes these)
    an image                 repo/<path>          unchanged
    any other file           repo/<path>.md       Markdown unchanged, else the text of the file as one block of code
    a directory              repo/<path>.md       a list of its files

Pages below repo/ are made if links need them.  A list after the line <!-- contents --> becomes part of the navigation,
under the heading before it.
"""
import os
import pathlib
import re
import shutil
import sys

import check_links

ROOT = check_links.ROOT
CONTENTS = re.compile(r"^<!-- contents -->\n\n?((?:[-*] .*\n(?:  .*\n)*)+)", re.M)
IMAGES = (".svg", ".png", ".jpg")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "bash", ".json": "json", ".cpp": "cpp"}


def page_of(name):
    """The place of the repository's file `name` on the site."""
    if name.startswith("docs/") and name.endswith(".md"):
        return name.removeprefix("docs/")
    if name.endswith(IMAGES):
        return f"repo/{name}"
    if name.startswith("include/") and name.endswith(".h"):
        return "api/" + name.removeprefix("include/").removesuffix(".h").replace("/", "-") + ".rst"
    return f"repo/{name}" if name.endswith(".md") else f"repo/{name}.md"


class Stage:
    def __init__(self, out):
        self.out, self.done, self.wanted = out, set(), []

    def link(self, page, target):
        """A link on the site, relative to the place of `page` there."""
        if check_links.OUTSIDE.match(target) or target.startswith("#"):
            return target
        path, mark, anchor = target.partition("#")
        return self.path(page, os.path.normpath(os.path.join(os.path.dirname(page), path))) + mark + anchor

    def path(self, page, name):
        """The relative link from a page to that of the file `name`, which is then also made."""
        self.wanted.append(name)
        return os.path.relpath(page_of(name), os.path.dirname(page_of(page)))

    def markdown(self, name):
        text = (ROOT / name).read_text()
        out, at = [], 0
        for first, last, target in check_links.links(text):
            out += [text[at:first], self.link(name, target)]
            at = last
        text = "".join(out) + text[at:]
        return CONTENTS.sub(lambda m: m.group(1) + "\n" + self.toctree(text[:m.start()], m.group(1)), text)

    @staticmethod
    def toctree(before, items):
        headings = re.findall(r"^##+ (.*)$", before, re.M)
        caption = f":caption: {headings[-1]}\n" if headings else ""
        entries = [f"{os.path.splitext(item)[0]}\n" for _, _, item in check_links.links(items)
                   if not check_links.OUTSIDE.match(item)]
        return "```{toctree}\n:hidden:\n" + caption + "\n" + "".join(entries) + "```\n"

    def code(self, name):
        text = (ROOT / name).read_text()
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        language = LANGUAGES.get(os.path.splitext(name)[1], "text")
        return f"---\norphan: true\n---\n# {name}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"

    def directory(self, name):
        files = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / name).iterdir() if p.is_file())
        rows = [f"- [{os.path.basename(f)}]({self.path(name, f)})\n" for f in files]
        return f"---\norphan: true\n---\n# {name}/\n\n" + "".join(rows)

    def write(self, name):
        if name in self.done or name.startswith("include/"):
            return
        self.done.add(name)
        target = self.out / page_of(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(IMAGES):
            shutil.copy(ROOT / name, target)
            return
        if (ROOT / name).is_dir():
            text = self.directory(name)
        elif name.endswith(".md"):
            text = self.markdown(name)
            if not name.startswith("docs/"):
                text = "---\norphan: true\n---\n" + text
        else:
            text = self.code(name)
        target.write_text(text)


def main():
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    stage = Stage(out)
    files, _ = check_links.committed(ROOT)
    stage.wanted = sorted(name for name in files if name.startswith("docs/") and name.endswith(".md"))
    while stage.wanted:
        stage.write(stage.wanted.pop())
    for name in ("conf.py", "site.css"):
        shutil.copy(ROOT / "docs" / name, out)
    print(f"docs_stage: {len(stage.done)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
