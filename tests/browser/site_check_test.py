#!/usr/bin/python3
"""Tests the site check: one fault of each kind, planted in otherwise correct pages, is found."""

import pathlib
import shutil
import sys
import tempfile
import unittest

import site_check

STYLE = "<style>@media (prefers-color-scheme: dark) { body { background: #111 } }</style>"
SOUND = "<p>A queue of <code>$B$</code> packets. <a href='index.html#here' id='here'>Here</a></p>"
PLANTED = {
    "error.html": ("<script>missing_function()</script>", "console: "),
    "style.html": ("<link rel='stylesheet' href='none.css'>", "missing: none.css"),
    "picture.html": ("<img src='none.svg' alt=''>", "missing: none.svg"),
    "outside.html": ("<img src='http://127.0.0.1:9/pixel.png' alt=''>", "request outside: http://127.0.0.1:9/pixel.png"),
    "wide.html": ("<div style='width: 1100px'>wide</div>", "scrolls sideways: "),
    "cut.html": ("<div style='width: 300px; overflow: hidden'><p style='width: 900px'>cut</p></div>", None),
    "beyond.html": ("<style>html { overflow-x: hidden }</style><p style='width: 900px'>beyond</p>", "beyond the edge of a phone"),
    "light.html": ("<style>body { background: white !important }</style>", "not dark where the system is"),
    "dollar.html": ("<p>$x \\le y$</p>", "TeX: $x \\le y"),
    "formula.html": ("<p>x \\frac y</p>", "TeX: x \\frac y"),
    "wrong.html": ("<p class='katex-error'>x_</p>", "TeX: x_"),
    "link.html": ("<a href='none.html'>none</a>", "link to nothing: none.html"),
    "long.html": ("<div style='height: 20000px'></div>", "longer than 25 screens: "),
    "named.html": ("<a href='index.html'>docs/index.md</a>", "link named by a file: docs/index.md"),
    "anchor.html": ("<a href='index.html#none'>none</a>", "link to no anchor: index.html#none"),
}
# A search without results, and a switch without effect.
SEARCH = "<div class='search-summary'>finished</div>"
SWITCH = "<div class='theme-toggle-content'><button class='theme-toggle'>Theme</button></div>"


def page(body):
    return (f"<!doctype html><html lang='en'><head><meta charset='utf-8'><link rel='icon' href='data:,'>"
            f"<meta name='viewport' content='width=device-width,initial-scale=1'>{STYLE}</head>"
            f"<body data-theme='auto'><article>{SOUND}{body}</article></body></html>")  # fmt: skip


class Planted(unittest.TestCase):
    def faults(self, pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in pages.items():
                pathlib.Path(folder, name).parent.mkdir(exist_ok=True)
                pathlib.Path(folder, name).write_text(page(body))
            count, found = site_check.faults(folder)
        self.assertEqual(count, len(pages))
        return found

    def test_each_fault_is_found_where_it_is(self):
        found = self.faults({"index.html": "", **{name: body for name, (body, _) in PLANTED.items()}})
        for name, (_, expected) in PLANTED.items():
            here = [text for page, text in found if page == name]
            with self.subTest(page=name, found=here):
                if expected is None:
                    self.assertEqual(here, [])
                else:
                    self.assertTrue(any(text.startswith(expected) for text in here))
        self.assertEqual([text for page, text in found if page == "index.html"], [])

    def test_search_and_switch(self):
        found = self.faults({"index.html": SWITCH, "search.html": SEARCH})
        expected = {("search.html", f"no results with their text for: {searched}") for searched in site_check.SEARCHED}
        expected |= {("index.html", "the theme switch goes to auto, auto, auto"), ("index.html", "no picture in the colors of the theme auto")}
        self.assertEqual(set(found), expected)

    def test_copy_without_a_button(self):
        block = "<pre>$ tailbound buffer\n157</pre>"
        self.assertEqual(self.faults({site_check.COPIED: block, "guide/index.html": ""}), [(site_check.COPIED, "copied: ''")])


if __name__ == "__main__":
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        sys.exit(77)
    unittest.main()
