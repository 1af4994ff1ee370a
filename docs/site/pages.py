#!/usr/bin/python3
"""Makes the folder that Sphinx reads: the pages of docs/, one page a command, and the library from its headers.

  pages.py FOLDER TAILBOUND

FOLDER is made anew; TAILBOUND is the program, whose --help makes the pages of the commands.
"""

import pathlib
import re
import shutil
import sys

import pictures
from api import api_pages
from commands import command_pages, commands, linked
from parts import Parts

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# A page outside docs/ that is part of the site.
OUTSIDE = {ROOT / "CHANGELOG.md": "changelog.md"}


def source_of(name):
    """The file that is shown as this page."""
    return next((path for path, shown in OUTSIDE.items() if shown == name), DOCS / name)


def relinked(text, name, parts):
    """Links between pages lead to the part with the anchor, and have its title if they are named by a file. Links that
    leave docs/ become the names of what they lead to: the sources are not part of the site."""
    page = source_of(name)

    def shown(match):
        label, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.exists() and path.is_relative_to(DOCS) and str(path.relative_to(DOCS)) in parts.pages:
            return match.group(0)  # from a page to its parts
        if not path.exists():
            raise SystemExit(f"{page.relative_to(ROOT)}: nothing at {target}")
        if path.is_dir() and (path / "index.md").is_file() and path.is_relative_to(DOCS):
            path = path / "index.md"
        if path not in OUTSIDE and not (path.is_relative_to(DOCS) and path.is_file()):
            name_of = str(path.relative_to(ROOT))
            return f"`{name_of}`" if label.strip("`") in (name_of, path.name) else f"{label} (`{name_of}`)"
        to = OUTSIDE.get(path) or str(path.relative_to(DOCS))
        if path.suffix != ".md":
            return match.group(0)
        to, anchor = parts.place(to, anchor)
        if re.fullmatch(r"`?[\w/.]+\.md`?", label):
            label = parts.title(to, anchor)
        near = pathlib.PurePosixPath(*[".."] * (len(pathlib.PurePosixPath(name).parts) - 1), to)
        return f"[{label}]({near}{'#' if anchor else ''}{anchor})"

    pieces = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"(?<!!)\[([^\]\[]+)\]\(([^)\s]+)\)", shown, pieces[i])
    return re.sub(r"^```csv$", "```text", "".join(pieces), flags=re.M)


def copy_pages(folder, listed):
    names = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*")) if path.is_file()}
    names = {name: path for name, path in names.items() if not name.startswith("site/")}
    names |= {name: path for path, name in OUTSIDE.items()}
    parts = Parts({name: path.read_text() for name, path in names.items() if name.endswith(".md")})
    for name, path in names.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".svg":
            pictures.write(path.read_text(), folder / name)
            continue
        if path.suffix != ".md":
            shutil.copy(path, folder / name)
            continue
        for to, text in parts.pages[name].items():
            text = relinked(text, name, parts)
            names_options = name.startswith(("howto/", "guide/")) or name in ("faq.md", "glossary.md")
            (folder / to).write_text(linked(text, listed) if names_options else text)
    return parts


def main():
    folder, tailbound = pathlib.Path(sys.argv[1]), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = commands(tailbound)
    parts = copy_pages(folder, listed)
    command_pages(folder, listed, parts)
    api_pages(folder)


if __name__ == "__main__":
    main()
