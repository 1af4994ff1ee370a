"""Debian's Furo as a folder of files that needs no server.

As installed it imports a style from the root of a web server (/javascript), where Debian's Apache has it, and its script
imports another as a module, which that other is not. Both are mended in copies, which take the place of the theme's.
"""

import pathlib
import re
import shutil

KATEX = pathlib.Path("/usr/share/javascript/katex")


def own_folder(app, config):
    import furo

    theme = pathlib.Path(furo.__file__).parent / "theme/furo/static"
    folder = pathlib.Path(app.srcdir) / "static"
    for name in ("styles", "scripts"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    style = (theme / "styles/furo.css").read_text()
    imported = r"@import url\((/javascript/[^)]*)\);"
    whole = re.sub(imported, lambda match: pathlib.Path("/usr/share" + match.group(1)).read_text(), style)
    (folder / "styles/furo.css").write_text(whole)
    (folder / "scripts/furo.js").write_text(classic_script(theme / "scripts/furo.js"))
    (folder / "auto.css").write_text(dark_where_the_system_is(style))
    # Of KaTeX a page needs no script: formulas are set already.
    shutil.copy(KATEX / "katex.min.css", folder)
    shutil.copytree(KATEX / "fonts", folder / "fonts", dirs_exist_ok=True)
    config.html_static_path.append(str(folder))


def classic_script(file):
    """The scripts that it imports, then itself, as one script that a browser loads from a file too."""
    text = file.read_text()
    imported = re.findall(r'^import \w+ from "(.*)";$', text, flags=re.M)
    own = re.sub(r"^import .*$", "", text, flags=re.M)
    return "".join((file.parent / name).read_text() for name in imported) + f"(function () {{\n{own}\n}})();\n"


def dark_where_the_system_is(style):
    """It has its dark colours only where the reader chose them; here also where the system is dark."""
    dark = re.search(r'body\[data-theme="?dark"?\]\s*\{([^}]*)\}', style)
    colours = 'body[data-theme="auto"] {' + (dark.group(1) if dark else "") + "}"
    # The same for pictures, of which there are two.
    pictures = 'html body[data-theme="auto"] .only-light { display: none !important } body[data-theme="auto"] .only-dark { display: block !important }'
    return f"@media (prefers-color-scheme: dark) {{ {colours} {pictures} }}\n"
