#!/usr/bin/python3
"""Makes the folder that Sphinx reads: the pages of docs/, one page a command, and the library from its headers.

  pages.py FOLDER TAILBOUND

FOLDER is made anew; TAILBOUND is the program, whose --help makes the pages of the commands.
"""

import pathlib
import re
import shutil
import sys

from commands import command_pages, commands, linked

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def link_free(text, page):
    """Links that leave docs/ become the names of what they lead to: the sources are not part of the site."""

    def shown(match):
        label, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path = (page.parent / target.split("#")[0]).resolve()
        if path.is_relative_to(DOCS) and path.is_file():
            return match.group(0)
        if not path.exists():
            raise SystemExit(f"{page.relative_to(ROOT)}: nothing at {target}")
        if path.is_dir() and (path / "index.md").is_file() and path.is_relative_to(DOCS):
            return f"[{label}]({target.rstrip('/')}/index.md)"
        name = str(path.relative_to(ROOT))
        return f"`{name}`" if label.strip("`") in (name, path.name) else f"{label} (`{name}`)"

    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<!!)\[([^\]\[]+)\]\(([^)\s]+)\)", shown, parts[i])
    return re.sub(r"^```csv$", "```text", "".join(parts), flags=re.M)


def copy_pages(folder, listed):
    for path in sorted(DOCS.rglob("*")):
        if not path.is_file() or (DOCS / "site") in path.parents:
            continue
        to = folder / path.relative_to(DOCS)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = link_free(path.read_text(), path)
            names_options = path.parent.name == "howto" or path.name in ("tutorial.md", "glossary.md")
            to.write_text(linked(text, listed) if names_options else text)
        else:
            shutil.copy(path, to)


# --- the library, from the comments of its headers ---------------------------------------------------------

MODULES = {
    "lib/core": "Units as types, typed errors.",
    "lib/run": "Worker pools: threads, processes, parts of a run.",
    "lib/files": "Atomic file output.",
    "lib/options": "Named options, declared in tables.",
    "lib/numeric": "Rationals, reals, intervals, kinds of numbers, rounding bounds, transforms.",
    "lib/traffic": "Bursty sources and packet sizes.",
    "lib/symbolic": "Formulas and their output.",
    "lib/series": "Series expansion of formulas and traffic.",
    "lib/queue": "The slotted queue and its proved bounds.",
    "lib/network": "Trees, general networks, network files.",
    "lib/sim": "The simulators.",
    "bounds": "Models and numerical solvers.",
    "answers": "A query is a struct; its answer is a struct of numbers, each with its kind.",
    "render": "Documents and output formats.",
}


def comment_text(lines):
    """A doc comment as Markdown: literal text, except `code` and \\param, \\pre, \\throws, \\return."""
    text = " ".join(line.strip() or "\n\n" for line in lines)
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        part = re.sub(r"([\\*_<>\[\]$#|{}~])", r"\\\1", parts[i])
        part = re.sub(r"\\\\t?param(?:\\\[\w+\\\])?\s+(\S+)", r"\n- *\1:*", part)
        part = re.sub(r"\\\\pre\s+", r"\n- *requires* ", part)
        part = re.sub(r"\\\\throws\s+(\S+)", r"\n- *throws* \1:", part)
        part = re.sub(r"\\\\returns?\s+", r"\n- *returns* ", part)
        part = re.sub(r"\\\\(?:brief|details|p|c|a|ref)\s+", "", part)
        parts[i] = re.sub(r"^(\s*)([-+=]|\d+\.)(?=\s)", r"\1\\\2", part) if not part.startswith("\n-") else part
    text = "".join(parts)
    text = re.sub(r"\s*\b(MODEL|RESULT|SOURCE|CONTRACT|COST|EXCLUDES|METHOD|TESTS)\b:?\s", r"\n\n**\1** ", text)
    # A list is separated from the text before it.
    return re.sub(r"\n- ", "\n\n- ", text).strip()


def declaration(lines, at):
    """The declaration from line `at` on, without the bodies of functions; and the line behind it."""
    text, depth, i = [], 0, at
    # Bodies of types are shown, those of functions are not.
    first = lines[at].strip()
    shows_body = re.match(r"(template\s*<.*>\s*)?(struct|class|enum|union|namespace)\b", first) is not None
    while i < len(lines) and i < at + 400:
        line = lines[i]
        if first.startswith("template") and i == at + 1:
            shows_body = re.match(r"\s*(struct|class|enum)\b", line) is not None
        opened = line.count("{") - line.count("}")
        before = depth
        depth += opened
        if before == 0 and not shows_body and "{" in line and not re.search(r"=\s*\{|\w\{.*\};?$", line):
            text.append(line[: line.index("{")].rstrip() + ";")
            while depth > 0 and i + 1 < len(lines):
                i += 1
                depth += lines[i].count("{") - lines[i].count("}")
            return text, i + 1
        text.append(line)
        i += 1
        if depth <= 0 and re.search(r"[;}]\s*(///?<.*)?$", line):
            break
    return text, i


def header_page(path):
    """The comment of a header, and each documented declaration with its comment."""
    lines = path.read_text().splitlines()
    parts, i = [], 0
    while i < len(lines):
        stripped = lines[i].strip()
        if not stripped.startswith("///") or stripped.startswith("///<"):
            i += 1
            continue
        comment = []
        while i < len(lines) and lines[i].strip().startswith("///"):
            comment.append(lines[i].strip()[3:].strip())
            i += 1
        words = comment_text(comment)
        following = lines[i].strip() if i < len(lines) else ""
        if not following or following.startswith(("namespace", "#", "}", "//")):
            parts.append(words + "\n")
            continue
        text, i = declaration(lines, i)
        indent = min((len(line) - len(line.lstrip()) for line in text if line.strip()), default=0)
        body = "\n".join(line[indent:] for line in text)
        parts.append(f"```cpp\n{body}\n```\n\n{words}\n")
    return parts


def api_pages(folder):
    there = folder / "api"
    there.mkdir(exist_ok=True)
    rows, names = [], []
    for module, meaning in MODULES.items():
        sections = []
        for path in sorted((ROOT / module).rglob("*.hpp")):
            if re.search(r"^///.*Internal to the \w+ module", path.read_text(), flags=re.M):
                continue
            parts = header_page(path)
            if parts:
                name = "tailbound/" + str(path.relative_to(ROOT)).removeprefix("lib/")
                sections.append(f"## {name.split('/', 1)[1]}\n\n`#include <{name}>`\n\n" + "\n".join(parts))
        name = module.split("/")[-1]
        names.append(name)
        rows.append(f"| [tailbound::{name}]({name}.md) | {meaning} |")
        (there / f"{name}.md").write_text(f"# tailbound::{name}\n\n{meaning}\n\n" + "\n".join(sections))
    tree = "\n".join(names)
    (there / "index.md").write_text(
        "# Library modules\n\nThese pages are generated from the comments of the headers. A module includes only modules above it in "
        "this table. Linking: [library.md](../howto/library.md); source layout: [architecture.md](../architecture.md)."
        "\n\n| module | contents |\n|---|---|\n" + "\n".join(rows) + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )  # fmt: skip


def main():
    folder, tailbound = pathlib.Path(sys.argv[1]), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    listed = commands(tailbound)
    copy_pages(folder, listed)
    command_pages(folder, listed)
    api_pages(folder)


if __name__ == "__main__":
    main()
