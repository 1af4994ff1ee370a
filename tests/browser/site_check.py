#!/usr/bin/python3
"""Opens every page of the documentation site in a browser, at three sizes, and dark; exit 1 on any fault.

  site_check.py FOLDER

FOLDER contains the built pages. They are opened as files, and some of them from a server. Faults are: an error or warning on
the console; a missing file; a request outside FOLDER; a page that scrolls sideways, or text beyond its edge; a page that
does not follow the color scheme of the system; visible TeX; a link to a missing page or anchor, or named by a file; a page
longer than 25 screens; a search that does not find its page, or without text; a theme switch without effect on the page or
its pictures; a copied command with its prompt or its output. Exit 77 without a browser.
"""

import functools
import http.server
import json
import pathlib
import re
import shutil
import sys
import threading
import urllib.parse

from reports_test import browser  # skips where there is no selenium

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "laptop": (1280, 800), "desktop": (1920, 1080)}
SCREENS = 25  # of a laptop: the longest page
# What people type, and a page that is among the first results.
SEARCHED = {
    "decay rate": "derivations/bursty_queue", "jumbo frames": "faq", "license": "faq", "TSN": "howto/tsn", "AFDX": "howto/tsn", "PFC": "faq",
    "VOQ": "howto/crossbar", "HOL blocking": "faq", "iSLIP": "howto/crossbar", "incast": "derivations/incast", "DCTCP": "faq",
    "shared memory": "howto/shared_memory", "ECMP": "faq", "network calculus": "faq", "install": "install", "preamble": "faq",
}  # fmt: skip
FIRST = 8
COPIED = "guide/3_bursts.html"
SERVED = ("index.html", "guide/1_buffer.html", "commands/buffer.html", "derivations/slotted_queue.html")

# The width of the page, and elements beyond its edge outside of scrollable or clipped containers.
LAYOUT = """
const apart = (element) => getComputedStyle(element).overflowX !== "visible" || element.tagName === "svg";
const beyond = [], look = (element) => {
  for (const child of element.children) {
    const box = child.getBoundingClientRect();
    if (box.width > 1 && box.right > arguments[0] + 1 && child.checkVisibility()) beyond.push(child.outerHTML.slice(0, 100));
    else if (!apart(child)) look(child);
  }
};
for (const article of document.querySelectorAll("article")) look(article);
return {width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight, beyond: beyond.slice(0, 3)};"""
# Whether the background is light.
LIGHT = """
const colours = [document.body, document.documentElement].map((element) => getComputedStyle(element).backgroundColor);
const [red, green, blue] = (colours.find((colour) => colour !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)").match(/\\d+/g);
return Number(red) + Number(green) + Number(blue) > 380;"""
CONTENT = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
  node.parentElement.closest("pre, code, script, style, noscript") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
let text = "";
while (walker.nextNode()) text += walker.currentNode.data + "\\u2028";
return {
  text,
  wrong: [...document.querySelectorAll(".katex-error")].map((element) => element.textContent),
  links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
  files: [...document.querySelectorAll("article a[href], .sidebar-tree a[href]")].map((link) => link.textContent)
    .filter((text) => /^[\w/.-]+\.(md|html)$/.test(text)),
  ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
};"""


class Site:
    def __init__(self, folder):
        self.folder, self.driver = pathlib.Path(folder).resolve(), browser()
        self.root, self.faults, self.links, self.ids = self.folder.as_uri() + "/", [], [], {}

    def fault(self, page, text):
        if (page, text) not in self.faults:
            self.faults.append((page, text))

    def look(self, size, scheme):
        width, height = SIZES[size]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, page):
        self.driver.get(self.root + page)

    def check_logs(self, page):
        """Errors of console and network since the last call."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.fault(page, f"console: {entry['message'].replace(self.root, '')}")
        urls = {}
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            method, what = message["method"], message["params"]
            if method == "Network.requestWillBeSent":
                url = urls[what["requestId"]] = what["request"]["url"]
                if not url.startswith((self.root, "data:", "about:")):
                    self.fault(page, f"request outside: {url}")
            elif method == "Network.loadingFailed" and not what.get("canceled"):
                self.fault(page, f"missing: {urls.get(what['requestId'], '').replace(self.root, '')} ({what['errorText']})")
            elif method == "Network.responseReceived" and what["response"]["status"] >= 400:
                self.fault(page, f"missing: {what['response']['url'].replace(self.root, '')} ({what['response']['status']})")

    def check_layout(self, page):
        self.look("desktop", "dark")
        if self.driver.execute_script(LIGHT):
            self.fault(page, "not dark where the system is")
        for size in SIZES:
            self.look(size, "light")
            if not self.driver.execute_script(LIGHT):
                self.fault(page, f"not light where the system is, on a {size}")
            found = self.driver.execute_script(LAYOUT, SIZES[size][0])
            if found["width"] > SIZES[size][0]:
                self.fault(page, f"scrolls sideways: {found['width']} pixels wide on a {size}")
            if size == "laptop" and found["height"] > SCREENS * SIZES[size][1]:
                self.fault(page, f"longer than {SCREENS} screens: {found['height'] / SIZES[size][1]:.1f}")
            for element in found["beyond"]:
                self.fault(page, f"beyond the edge of a {size}: {element}")

    def check_text(self, page, text):
        # Search results also show code: comments of headers contain \param and the like, command lines $PATH.
        for found in re.finditer(r"[^\u2028]{0,30}(\$(?![A-Z]{2})|\\(?!param|pre|throws|return)[A-Za-z]{2})[^\u2028]{0,30}", text):
            self.fault(page, f"TeX: {found.group(0).strip()}")

    def check_page(self, page):
        self.look("desktop", "light")
        self.open(page)
        self.check_layout(page)
        found = self.driver.execute_script(CONTENT)
        self.check_text(page, found["text"])
        for file in found["files"]:
            self.fault(page, f"link named by a file: {file}")
        for formula in found["wrong"]:
            self.fault(page, f"TeX: {formula}")
        self.ids[page] = set(found["ids"])
        self.links += [(page, link) for link in set(found["links"])]
        self.check_logs(page)

    def check_links(self):
        """Links between pages, once all pages have been opened."""
        for page, link in self.links:
            if not link.startswith(self.root):
                continue
            name, _, anchor = link.removeprefix(self.root).partition("#")
            name = urllib.parse.unquote(name.partition("?")[0])
            if not (self.folder / name).is_file():
                self.fault(page, f"link to nothing: {name}")
            elif anchor and name in self.ids and urllib.parse.unquote(anchor) not in self.ids[name]:
                self.fault(page, f"link to no anchor: {name}#{anchor}")

    def check_search(self, searched, expected):
        page = f"search.html?q={urllib.parse.quote(searched)}"
        self.open(page)
        try:
            found = self.driver.execute_async_script("""
                const done = arguments[0];
                const look = (left) => {
                  const results = [...document.querySelectorAll("#search-results li")].map((item) =>
                    ({page: item.querySelector("a").href, text: item.innerText}));
                  const finished = /finished/.test(document.querySelector(".search-summary")?.textContent);
                  if (left === 0 || finished) setTimeout(() => done(results), 200); else setTimeout(() => look(left - 1), 50);
                };
                look(100);""")
        except Exception as error:
            found = []
            self.fault("search.html", str(error))
        if not any("\n" in result["text"] for result in found):
            self.fault("search.html", f"no results with their text for: {searched}")
        elif not any(f"/{expected}.html" in result["page"] for result in found[:FIRST]):
            self.fault("search.html", f"{expected} is not among the first results for: {searched}")
        self.check_text("search.html", "\u2028".join(result["text"] for result in found))
        self.check_logs("search.html")

    def check_switch(self, page):
        self.look("desktop", "light")
        self.open(page)
        dark = self.driver.execute_script("""
            const shown = (kind) => [...document.querySelectorAll(`article img.only-${kind}`)].some((image) => image.checkVisibility());
            const theme = () => [document.body.dataset.theme, shown("light"), shown("dark")], button = document.querySelector(".theme-toggle-content .theme-toggle");
            const seen = [];
            for (let i = 0; i < 3; ++i) { button.click(); seen.push(theme()); }
            return seen;""")
        themes = sorted(theme for theme, _, _ in dark)
        if themes != ["auto", "dark", "light"]:
            self.fault(page, f"the theme switch goes to {', '.join(themes)}")
        for theme, in_light, in_dark in dark:
            if (in_light, in_dark) != (theme != "dark", theme == "dark"):
                self.fault(page, f"no picture in the colors of the theme {theme}")
        self.check_logs(page)

    def check_copy(self, page):
        """The commands of the first block, as its button copies them."""
        self.look("desktop", "light")
        self.open(page)
        copied = self.driver.execute_async_script("""
            const done = arguments[0], button = document.querySelector("article button.copy");
            Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => done(text)}});
            if (button) button.click(); else done("");""")
        shown = self.driver.execute_script("return document.querySelector('article pre')?.textContent ?? ''")
        typed = [line.removeprefix("$ ") for line in shown.splitlines() if line.startswith("$ ")]
        if not typed or copied.splitlines() != typed:
            self.fault(page, f"copied: {copied!r}")
        self.check_logs(page)

    def serve(self):
        """From now on pages are loaded from a server."""
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{server.server_port}/"


def faults(folder):
    """(page, fault) of all pages of a folder; for a complete site also of its search and theme switch."""
    site = Site(folder)
    try:
        pages = [str(path.relative_to(site.folder)) for path in sorted(site.folder.rglob("*.html"))]
        for page in pages:
            site.check_page(page)
        site.check_links()
        whole = "search.html" in pages
        for served in (False, True):
            if served:
                site.serve()
                for page in SERVED:
                    if page in pages:
                        site.open(page)
                        site.check_logs(page)
            if whole:
                for searched, expected in SEARCHED.items():
                    site.check_search(searched, expected)
                site.check_switch("index.html")
            if COPIED in pages:
                site.check_copy(COPIED)
    finally:
        site.driver.quit()
    return len(pages), site.faults


def main():
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print("Chromium or its driver is missing: tools/install-packages browser", file=sys.stderr)
        return 77
    if not pathlib.Path(sys.argv[1]).is_dir():
        return 77  # the site was not built
    count, found = faults(sys.argv[1])
    for page, text in found:
        print(f"{page}: {text}", file=sys.stderr)
    print(f"{count} pages, {len(found)} faults")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
