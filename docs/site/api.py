"""The C++ reference by subject: what the two public headers give, from the comments of the headers that they include.

A page has the queries and answers of a subject, then the functions that present them. Other headers may change with any
version and have no page.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = ("tailbound.hpp", "documents.hpp")

# Page, title, what it is about, how the names of its headers begin. Each public header belongs to the first that fits.
SUBJECTS = [
    ("validation", "Analysis against simulation", "Both for one query, compared, with a verdict per row.",
     ["answers/validation/", "answers/crossbar/validate", "render/documents/validation/", "render/documents/crossbar/validate"]),
    ("queues", "Queues", "One queue, by its occupancy. `answers::BufferQuery` uses these.", ["queue/"]),
    ("sizing", "Sizes of queues", "The minimum buffer or the maximum load of any queue. `answers::BufferQuery` uses these.", ["bounds/sizing/"]),
    ("formulas", "Formulas and distributions", "Generating functions, distributions of the queue, lists of numbers compared.",
     ["answers/buffer/pgf", "answers/buffer/occupancy", "answers/compare/", "series/", "render/documents/buffer/pgf",
      "render/documents/buffer/occupancy", "render/documents/buffer/compare"]),
    ("shared_memory", "Shared memories and switches", "A memory shared by the outputs of a switch, and switches that share one, simulated.",
     ["answers/buffer/shared", "answers/simulation/simulate_switch", "answers/simulation/simulate_rare",
      "render/documents/buffer/shared", "render/documents/simulation/simulate_switch"]),
    ("buffers", "Buffers of one output", "Minimum buffers, losses, maximum loads, minimum speedups; packet sizes, incast, policed inputs, classes.",
     ["answers/buffer/", "answers/classes/", "render/documents/buffer/", "render/documents/classes/", "render/documents/incast/"]),
    ("crossbars", "Input-queued switches", "Maximum load and delays of crossbars; their simulation.", ["answers/crossbar/", "render/documents/crossbar/"]),
    ("guarantees", "Guarantees", "Worst cases of policed traffic at a port, in a network and in a crossbar; headroom; their simulation.",
     ["answers/guarantee/", "render/documents/guarantee/", "render/documents/simulation/simulate_policed"]),
    ("delays", "Delays through networks", "Percentiles, P(D > t) and means through trees and networks; reorder buffers.",
     ["answers/delay/", "render/documents/delay/"]),
    ("simulation", "Simulation of trees and networks", "Delays, losses, back-pressure.",
     ["answers/simulation/", "render/documents/simulation/simulate_tree"]),
    ("wormhole", "Wormhole networks", "Latency and saturation, and their simulation.",
     ["answers/wormhole/", "render/documents/wormhole/wormhole", "render/documents/simulation/simulate_wormhole"]),
    ("multistage", "Hot spots and broadcasts", "Combining multistage networks; hypercubes with broadcasts; their simulation.",
     ["answers/multistage/", "answers/broadcast/", "render/documents/multistage/", "render/documents/wormhole/broadcast", "render/documents/simulation/"]),
    ("networks", "Networks", "Nodes, links, flows and routes; network files; generated networks.", ["network/", "answers/network/", "render/documents/network/"]),
    ("traffic", "Traffic", "Bursts, packet sizes, token buckets; traces.",
     ["answers/traffic", "traffic/", "answers/trace/", "render/documents/trace/"]),
    ("lists", "Lists and sweeps", "Many queries at once, stopped, resumed, stored.", ["answers/points/", "render/documents/sweep"]),
    ("numbers", "Numbers", "Rationals, reals, the kinds of number.", ["numeric/"]),
    ("errors", "Errors and units", "What functions throw; packets and slots as types.", ["core/"]),
    ("values", "Values of documents", "The cells of a document.", ["render/value"]),
    ("documents", "Documents and formats", "Answers as text, JSON, CSV, Markdown or HTML.", ["render/", "version"]),
]  # fmt: skip
ORDER = ["buffers", "shared_memory", "formulas", "crossbars", "delays", "simulation", "guarantees", "wormhole", "multistage", "validation",
         "networks", "traffic", "lists", "documents", "values", "numbers", "errors", "queues", "sizing"]  # fmt: skip


def public_headers():
    """What the public headers include, and what those include of the queries: traffic."""
    text = "".join((ROOT / "include/tailbound" / name).read_text() for name in PUBLIC)
    return re.findall(r"^#include <tailbound/(.*)>$", text, flags=re.M) + ["answers/traffic.hpp"]


def file_of(header):
    return next(path for path in (ROOT / header, ROOT / "lib" / header, ROOT / "include/tailbound" / header) if path.is_file())


def subject_of(header):
    for name, _, _, begins in SUBJECTS:
        if header.startswith(tuple(begins)):
            return name
    raise SystemExit(f"{header} is public and belongs to no subject of {__file__}")


def prose(lines):
    """A doc comment as Markdown: literal text, except `code` and \\param, \\pre, \\throws, \\return."""
    text = "\n".join(lines)
    # What a maintainer needs; what a user does, without its label.
    text = re.sub(r"^(SOURCE|TESTS|EXCLUDES)\b.*(\n +.*)*", "", text, flags=re.M)
    text = re.sub(r"^MODEL\s+\S+\.hpp\S*$", "", text, flags=re.M)
    text = re.sub(r"^(MODEL|RESULT|CONTRACT|COST|METHOD)\b:? *", r"\n\n", text, flags=re.M)
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
    pieces = re.split(r"(`[^`]*`)", re.sub(r" +", " ", text))
    for i in range(0, len(pieces), 2):
        piece = re.sub(r"([\\*_<>\[\]$#|{}~])", r"\\\1", pieces[i])
        piece = re.sub(r"\\\\t?param(?:\\\[\w+\\\])?\s+(\S+)", r"\n- *\1:*", piece)
        piece = re.sub(r"\\\\pre\s+", r"\n- *requires* ", piece)
        piece = re.sub(r"\\\\throws\s+([\w:\\]+(?:,\s+[\w:\\]+)*)", r"\n- *throws* \1:", piece)
        piece = re.sub(r"\\\\returns?\s+", r"\n- *returns* ", piece)
        piece = re.sub(r"\\\\(?:brief|details|p|c|a|ref)\s+", "", piece)
        pieces[i] = re.sub(r"^(\s*)([-+=]|\d+\.)(?=\s)", r"\1\\\2", piece) if not piece.startswith("\n-") else piece
    # A list is separated from the text before it.
    return re.sub(r"(?<!\n)\n- ", "\n\n- ", re.sub(r"\n- ", "\n- ", "".join(pieces)), count=1).strip()


def declaration(lines, at):
    """The declaration from line `at` on, without bodies of functions and private parts; and the line behind it."""
    text, depth, i, private = [], 0, at, False
    first = next((line for line in lines[at : at + 3] if not line.strip().startswith("template")), "").strip()
    is_type = re.match(r"(struct|class|enum|union)\b", first) is not None
    body = 1 if is_type else 0  # braces deeper than this are of a function, or of a value
    while i < len(lines):
        line, before = lines[i], depth
        depth += line.count("{") - line.count("}")
        if is_type and re.match(r"\s*private:", line):
            private = True
        opens = before <= body < depth and not re.search(r"^\s*(struct|class|enum|union)\b|=\s*\{$", line)
        if opens:
            # A function with its body.
            text.append(re.sub(r"\s*\{[^{}]*$", "", line).rstrip() + ";")
            while depth > body and i + 1 < len(lines):
                i += 1
                depth += lines[i].count("{") - lines[i].count("}")
        else:
            text.append(re.sub(r"(\)(?: const)?(?: noexcept)?(?: override)?) (: .*)?\{.*\}$", r"\1;", line))
        if private and depth > 0:
            text.pop()
        i += 1
        if depth <= 0 and re.search(r"[;}]\s*(///?<.*)?$", lines[i - 1]):
            break
    text = [line for line in re.sub(r"\)\n\s+: (?:.*\n)*?.*;$", ");", "\n".join(text), flags=re.M).split("\n") if "static_assert" not in line]
    indent = min((len(line) - len(line.lstrip()) for line in text if line.strip()), default=0)
    shown, moved = [], 0
    for line in text:
        words = line[indent:].replace("[[nodiscard]] ", "")
        # What goes on below moves with it.
        shown.append(plain(words[moved:] if words[:moved].isspace() else words))
        moved = (len(line) - indent - len(words) or moved) if not re.search(r"[;{}]\s*(//.*)?$", line) else 0
    return re.sub(r"\n\n+(\};?)", r"\n\1", "\n".join(shown)).strip("\n"), i


def plain(comment):
    """A comment in code without the marks of a doc comment."""
    comment = re.sub(r"\\pre\b", "requires", re.sub(r"///<?", "//", comment))
    return re.sub(r"\\(?:t?param )?(throws|returns?)?(?=\b)", r"\1", comment)


def name_of(declared):
    """A heading: BufferQuery, answer(BufferQuery)."""
    text = re.sub(r"//.*", "", declared)
    text = re.sub(r"^\s*template\s*<.*?>\s*\n", "", text)
    of_type = re.match(r"\s*(?:struct|class|enum class|enum|union)\s+(\w+)", text)
    if of_type:
        return of_type.group(1)
    alias = re.match(r"\s*using\s+(\w+)", text)
    if alias:
        return alias.group(1)
    function = re.search(r"([\w:]+|operator\S+)\s*\(([^()]*)", text)
    if function:
        taken = re.match(r"(?:const )?(?:std::)?(?:vector<|optional<)?([\w:]+)", function.group(2).strip())
        return f"{function.group(1)}({taken.group(1) if taken else ''})"
    constant = re.search(r"(\w+)\s*[={;]", text)
    return constant.group(1) if constant else text.split("\n")[0]


def parsed(path):
    """The comment of a header, and (declaration, comment) of what follows; without a comment it belongs to the one before."""
    lines = path.read_text().splitlines()
    about, entries, i = [], [], 0
    while i < len(lines):
        stripped = lines[i].strip()
        comment = []
        while i < len(lines) and lines[i].strip().startswith("///"):
            comment.append(re.sub(r"^/// ?", "", lines[i].strip()))
            i += 1
        following = lines[i].strip() if i < len(lines) else ""
        if comment and (not following or following.startswith(("namespace", "#", "}", "//"))):
            about += comment + [""]
        elif following and not following.startswith(("namespace", "#", "}", "//")):
            declared, i = declaration(lines, i)
            if not re.match(r"(using [\w:]+;|class \w+;|struct \w+;|extern )", declared) and "= delete;" not in declared.split("\n")[-1]:
                entries.append((declared, comment))
        elif not comment:
            i += 1
    return about, entries


def entry_texts(entries, level):
    text = ""
    # What answers a query precedes what it takes and gives.
    for declared, comment in sorted(entries, key=lambda entry: not name_of(entry[0]).startswith("answer(")):
        if not comment and text and not re.match(r"(struct|class|enum|template)", declared):
            # Overloads: with the declaration before.
            at = text.rindex("\n```\n")
            text = text[:at] + "\n" + declared + text[at:]
            continue
        text += f"{'#' * level} `{name_of(declared)}`\n\n"
        text += (prose(comment) + "\n\n" if comment else "") + f"```cpp\n{declared}\n```\n\n"
    return text


def header_text(header):
    about, entries = parsed(file_of(header))
    words = prose(about)
    title, _, rest = words.partition("\n\n")
    first = re.match(r"(.*?[.:])(?=\s|$)", title, flags=re.S)
    if first:
        rest = (title[first.end() :].strip() + "\n\n" + rest).strip()
        title = first.group(1).rstrip(".:")
    rest = rest[:1].upper() + rest[1:]
    if not title or len(title) > 90:
        title, rest = header.split("/")[-1].removesuffix(".hpp").replace("_", " ").capitalize(), words
    if not entries:
        return ""
    return f"## {title}\n\n" + (rest + "\n\n" if rest else "") + entry_texts(entries, 3)


def presented(headers):
    """The functions that make documents of answers: declarations with their comments."""
    parts = []
    for header in headers:
        for declared, comment in parsed(file_of(header))[1]:
            parts.append("".join(plain(f"// {line}\n") for line in comment if line.strip()) + declared)
    if not parts:
        return ""
    return "## As a document\n\nDeclared in `<tailbound/documents.hpp>`, namespace `tailbound::render`.\n\n```cpp\n" + "\n\n".join(parts) + "\n```\n"


def api_pages(folder):
    there = folder / "api"
    there.mkdir(exist_ok=True)
    by_subject = {name: [] for name, *_ in SUBJECTS}
    for header in dict.fromkeys(public_headers()):
        by_subject[subject_of(header)].append(header)
    rows = []
    titles = {name: (title, meaning) for name, title, meaning, _ in SUBJECTS}
    for name in ORDER:
        title, meaning = titles[name]
        answers = [header for header in by_subject[name] if not header.startswith("render/documents/")]
        documents = [header for header in by_subject[name] if header.startswith("render/documents/")]
        include = "documents" if name in ("documents", "values") else "tailbound"
        text = f"# {title}\n\n{meaning}\n\n```cpp\n#include <tailbound/{include}.hpp>\n```\n\n"
        text += "".join(map(header_text, answers)) + presented(documents)
        (there / f"{name}.md").write_text(text)
        rows.append(f"| [{title}]({name}.md) | {meaning} |\n")
    index = there / "index.md"
    tree = "\n".join(ORDER)
    index.write_text(
        index.read_text() + "\n| subject | |\n|---|---|\n" + "".join(rows) + f"\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    )
