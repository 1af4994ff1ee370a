"""The documentation as a site. tools/docs builds it; pages.py makes what Sphinx reads."""

import pathlib
import re
import sys

from docutils import nodes
from sphinx.addnodes import desc_signature
from sphinx.transforms import SphinxTransform

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import formulas
import pictures
import search
import theme

ROOT = HERE.parents[1]

project = "tailbound"
author = "the authors of tailbound"
copyright = "GPL-3.0-or-later"
release = re.search(r'TAILBOUND_VERSION "([0-9.]+)"', (ROOT / "include/tailbound/version.hpp").read_text()).group(1)

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 4
myst_dmath_allow_labels = False
nitpicky = True
smartquotes = False
source_suffix = {".md": "markdown"}
highlight_language = "none"
html_theme = "furo"
html_title = "tailbound"
html_favicon = str(HERE / "static/favicon.svg")
html_static_path = [str(HERE / "static")]
html_css_files = ["katex.min.css", "site.css", "auto.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#005a8f", "color-brand-content": "#005a8f"},
    "dark_css_variables": {"color-brand-primary": "#6cc0f0", "color-brand-content": "#6cc0f0"},
}
html_math_renderer = "katex"
html_use_index = False


def option_anchors(app, doctree):
    """An option is at commands/buffer.html#--load: one anchor, which the reader can guess."""
    options = app.env.get_domain("std").progoptions
    for key, (page, _) in list(options.items()):
        if page == app.env.docname:
            options[key] = (page, key[1])
    for signature in doctree.findall(desc_signature):
        if "allnames" in signature:
            signature["ids"] = signature["allnames"][::-1]


def term_anchors(app, doctree):
    """A word of the glossary is at glossary.html#reorder-buffer."""
    if app.env.docname == "glossary":
        for term in doctree.findall(nodes.term):
            term["ids"].append(nodes.make_id(term.astext()))


class Tables(SphinxTransform):
    """A table whose rows end with the command that reproduces them has a class of its own."""

    default_priority = 700

    def apply(self):
        for table in self.document.findall(nodes.table):
            heads = [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]
            if heads[-1:] == ["reproduce"]:
                table["classes"].append("reproduce")


def setup(app):
    app.add_transform(pictures.InBothSchemes)
    app.add_transform(Tables)
    app.connect("doctree-read", term_anchors)
    app.connect("doctree-read", option_anchors)
    app.connect("config-inited", theme.own_folder)
    app.connect("html-page-context", search.add_scripts)
    app.add_builder(search.Site, override=True)
    app.add_html_math_renderer("katex", (formulas.inline_math, None), (formulas.display_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
