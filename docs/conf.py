# conf.py - Sphinx configuration of the site; `make docs` builds it (scripts/docs.sh)
import os

project = "Zinc"
author = "The Zinc authors"
copyright = author
release = os.environ.get("ZINC_DOCS_VERSION", "")

extensions = ["myst_parser"]
exclude_patterns = []
root_doc = "index"
# Anchors of headings, by the rule of the code hosts: links work there and here.
myst_heading_anchors = 4
primary_domain = "c"
highlight_language = "none"
# The headers quote fragments of C ("..." for the rest) that the highlighter cannot parse.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"Zinc {release}".strip()
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2f5d7c", "color-brand-content": "#2f5d7c"},
    "dark_css_variables": {"color-brand-primary": "#8fbcd9", "color-brand-content": "#8fbcd9"},
}
