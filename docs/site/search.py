"""Search index with the text of all pages, without TeX.

The results of Sphinx fetch each page that they show. That fails for a site read from a local folder, and shows each
formula twice. Here a file next to the index contains the text of all pages; static/search.js shows it.
"""

import json
import pathlib
import re

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util import logging

import formulas

logger = logging.getLogger(__name__)


def check_text(doctree):
    """What a reader would see of TeX that no formula holds, outside of code."""
    for node in doctree.findall(nodes.Text):
        if any(isinstance(parent, (nodes.literal, nodes.literal_block, nodes.raw)) for parent in parents(node)):
            continue
        if re.search(r"\$|\\[A-Za-z]{2}", node):
            logger.warning("TeX that is not set: %s", node.astext()[:80], location=node.parent)


def parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


class Site(StandaloneHTMLBuilder):
    def init(self):
        super().init()
        self.texts = {}

    def index_page(self, pagename, doctree, title):
        text = formulas.without_formulas(doctree)
        check_text(text)
        super().index_page(pagename, text, title)
        for block in text.findall(nodes.literal_block):
            block.children = [nodes.Text(re.sub(r"^\$ ", "", block.astext(), flags=re.M))]
        self.texts[pagename] = re.sub(r"\s+", " ", text.astext()).strip()

    def dump_search_index(self):
        super().dump_search_index()
        # In an order that does not depend on which of the parallel readers was first.
        index = pathlib.Path(self.outdir, self.searchindex_filename)
        before, data = index.read_text().rstrip().removesuffix(")").split("(", 1)
        data = json.loads(data)
        for places in data["alltitles"].values():
            places.sort()
        index.write_text(f"{before}({json.dumps(data, sort_keys=True)})")
        file = pathlib.Path(self.outdir, "_static", "search_texts.js")
        file.write_text(f"const PAGE_TEXTS = {json.dumps(self.texts, ensure_ascii=False, sort_keys=True)};\n")


def add_scripts(app, pagename, templatename, context, doctree):
    """Between the search itself and its first use, which waits for the page."""
    if pagename == "search":
        for name in ("search_texts.js", "search.js"):
            app.add_js_file(name, defer="defer")
