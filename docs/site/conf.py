"""The documentation as a site. tools/docs builds it; pages.py makes what Sphinx reads."""

import pathlib
import re

from docutils.nodes import SkipNode

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

project = "tailbound"
author = "the authors of tailbound"
copyright = "GPL-3.0-or-later"
release = re.search(r"project\(\s*tailbound\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

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
html_static_path = [str(HERE / "static"), "/usr/share/javascript/katex"]
html_css_files = ["katex.min.css", "site.css", "auto.css"]
html_js_files = ["katex.min.js", "math.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#005a8f", "color-brand-content": "#005a8f"},
    "dark_css_variables": {"color-brand-primary": "#6cc0f0", "color-brand-content": "#6cc0f0"},
}
# KaTeX sets the formulas, from the machine's own copy: nothing is fetched.
html_math_renderer = "katex"


def inline_math(writer, node):
    writer.body.append(writer.starttag(node, "span", "", CLASS="math") + rf"\({writer.encode(node.astext())}\)</span>")
    raise SkipNode


def display_math(writer, node):
    writer.body.append(writer.starttag(node, "div", "", CLASS="math") + rf"\[{writer.encode(node.astext())}\]</div>")
    raise SkipNode


def dark_where_the_system_is(app, config):
    """Debian's Furo has its dark colours only where the reader chose them; here also where the system is dark."""
    import furo

    style = pathlib.Path(furo.__file__).parent / "theme/furo/static/styles/furo.css"
    dark = re.search(r'body\[data-theme="?dark"?\]\s*\{([^}]*)\}', style.read_text())
    folder = pathlib.Path(app.srcdir) / "static"
    folder.mkdir(exist_ok=True)
    (folder / "auto.css").write_text(
        '@media (prefers-color-scheme: dark) { body[data-theme="auto"] {' + (dark.group(1) if dark else "") + "} }\n"
    )
    config.html_static_path.append(str(folder))


def no_search_where_few_are_written(app):
    """`build --check`: there is no index to which the few could be added."""
    if app.tags.has("few"):
        app.builder.search = False


def setup(app):
    app.connect("builder-inited", no_search_where_few_are_written)
    app.connect("config-inited", dark_where_the_system_is)
    app.add_html_math_renderer("katex", (inline_math, None), (display_math, None))
