#!/usr/bin/python3
"""Writes python/tailbound/_questions.py: a function for each command, from what the command line says of itself.

  generate.py PACKAGE EXAMPLES OUTPUT

PACKAGE is the folder of the built package, from which _tailbound is imported; EXAMPLES the folder of the examples
that stand in the docstrings, one file a function.
"""

import importlib.util
import keyword
import pathlib
import re
import sys
import textwrap

LEFT_OUT = {"schema", "reproduce", "merge", "serve"}  # no questions: texts, files and pages
FILES = {"FILE"}
WIDTH = 110

HEAD = '''"""The questions, a function each: the commands of the command line with keywords. Made by python/generate.py."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from ._answers import Answer
from ._ask import File, Given, Net, Words, ask
from ._progress import Progress
from ._symbolic import Formula
'''

TAIL_OF_DOC = """progress: True shows how far it has come, False does not; else a function of the fraction done and the
    seconds left; unless told, on terminals and in notebooks after a second"""

TIME_LIMIT = """time_limit (S): seconds for each question, none unless told; beyond, LimitExceeded, whose partial is what is finished"""


def module_of(folder):
    path = next(pathlib.Path(folder).glob("_tailbound*.so"))
    spec = importlib.util.spec_from_file_location("_tailbound", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(option):
    name = option.lstrip("-").replace("-", "_").lower()
    return name + "_" if keyword.iskeyword(name) else name


def takes(option):
    name = option["name"]
    if option["kind"] == "flag":
        return "flag"
    if name == "--network":
        return "network"
    if option["kind"] == "words":
        return "words"
    if option["type"] in FILES or name == "FILE":
        return "file"
    return "list" if "LIST" in option["type"] or ".." in option["type"] else "text"


def annotation(option):
    what = takes(option)
    if what == "flag":
        return "bool", "False"
    types = {"network": "Net", "file": "File", "text": "Given", "list": "Given", "words": "Words"}
    return (types[what], "") if option["required"] else (f"Optional[{types[what]}]", "None")


def in_keywords(text, names):
    """--load as `load`, where that is a keyword here."""
    return re.sub(
        r"--([a-z][a-z-]*)", lambda m: name_of(m.group()) if name_of(m.group()) in names else m.group(), text
    )


def folded(text, indent):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ")


def function(command, examples):
    name = name_of(command["name"].replace(" ", "_"))
    options = command["options"]
    names = {name_of(option["name"]) for option in options}
    required = [option for option in options if option["required"]]
    others = [option for option in options if not option["required"]]
    formula = name == "pgf"
    lines = [f"def {name}("]
    # What stands without a name on the command line may do so here.
    for option in required:
        if not option["name"].startswith("--"):
            lines.append(f"    {name_of(option['name'])}: {annotation(option)[0]},")
    lines.append("    *,")
    for option in required:
        if option["name"].startswith("--"):
            lines.append(f"    {name_of(option['name'])}: {annotation(option)[0]},")
    for option in others:
        kind, default = annotation(option)
        lines.append(f"    {name_of(option['name'])}: {kind} = {default},")
    lines.append("    progress: Progress = None,")
    lines.append("    time_limit: Optional[float] = None,")
    lines.append(f") -> {'Formula' if formula else 'Answer'}:")
    purpose = " ".join(command["purpose"].split())
    purpose = purpose[0].upper() + purpose[1:]
    doc = [purpose if purpose.endswith((".", "?")) else purpose + ".", ""]
    doc += [f"``tailbound {command['name']}`` on the command line. Numbers are taken exactly, 0.9 as 9/10; arrays and lists are", "broadcast, and answered in their shape.", ""]
    group = None
    for option in [*required, *others]:
        if option["group"] != group:
            group = option["group"]
            doc.append(f"{group or 'What is asked'}:")
        kind = {
            "list": ", a list",
            "file": ", a file",
            "network": ", a file, Network, dict or graph",
            "words": " or True" if option["type"].startswith("[") else "",
        }
        stands = option["type"].strip("[]") if option["type"] not in ("", "FILE", "LIST", "NAME") else ""
        label = f"{name_of(option['name'])}{' (' + stands + ')' if stands else ''}{kind.get(takes(option), '')}"
        doc.append(folded(f"{label}: {in_keywords(option['help'], names)}", "  "))
    doc.append(folded(TAIL_OF_DOC, "  "))
    doc.append(folded(TIME_LIMIT, "  "))
    example = pathlib.Path(examples) / f"{name}.txt"
    if example.exists():  # tests/python/docstrings_test.py wants one of each
        doc += ["", *example.read_text().rstrip("\n").splitlines()]
    text = "\n".join(doc).replace("\\", "\\\\")
    lines.append('    """' + textwrap.indent(text, "    ").strip())
    lines.append('    """')
    lines.append(f'    answer: {"Formula" if formula else "Answer"} = ask("{command["name"]}", _{name.upper()}, locals())')
    lines.append("    return answer")
    table = [f"_{name.upper()}: Dict[str, Tuple[str, str]] = {{"]
    for option in options:
        table.append(f'    "{name_of(option["name"])}": ("{option["name"]}", "{takes(option)}"),')
    table.append("}")
    return name, "\n".join([*table, "", "", *lines])


def main():
    package, examples, output = sys.argv[1:]
    functions = [
        function(command, examples) for command in module_of(package).commands() if command["name"] not in LEFT_OUT
    ]
    names = ",\n    ".join(f'"{name}"' for name, _ in functions)
    text = "\n\n".join([HEAD + f"\n__all__ = [\n    {names},\n]", *(body + "\n" for _, body in functions)])
    pathlib.Path(output).write_text(text)


main()
