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

from typing import Optional

from ._answers import Answer
from ._ask import File, Given, Net, Words, ask
from ._progress import Progress
from ._symbolic import Formula
from ._words import Spec
'''

TAIL_OF_DOC = """progress: True shows how far it has come, False does not; else a function of the fraction done and the
    seconds left; unless told, on terminals and in notebooks after a second"""

TIME_LIMIT = """time_limit (S): seconds for each question, none unless told; beyond, LimitExceeded, whose partial is what is finished"""


def loaded(name, path):
    """A module alone, without the package around it, which is not whole yet."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def questions(package):
    """The commands that are functions here, as the command line describes them."""
    module = loaded("_tailbound", next(pathlib.Path(package).glob("_tailbound*.so")))
    return [command for command in module.commands() if command["name"] not in LEFT_OUT]


WORDS = loaded("_words", pathlib.Path(__file__).resolve().parent / "tailbound/_words.py")


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


def spec_of(command):
    """Of each keyword: the option, what it takes, and the names that it takes."""
    return {name_of(option["name"]): (option["name"], takes(option), tuple(option["choices"])) for option in command["options"]}


def function_name(command):
    return name_of(command["name"].replace(" ", "_"))


def purpose_of(command):
    purpose = " ".join(command["purpose"].split())
    purpose = purpose[0].upper() + purpose[1:]
    return purpose if purpose.endswith((".", "?")) else purpose + "."


def folded(text, indent):
    return textwrap.fill(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ")


def function(command, examples):
    name = function_name(command)
    options = command["options"]
    spec = spec_of(command)
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
    doc = [purpose_of(command), ""]
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
        doc.append(folded(f"{label}: {WORDS.in_keywords(option['help'], spec)}", "  "))
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
    table = [f"_{name.upper()}: Spec = {{"]
    for key, row in spec.items():
        table.append(f'    "{key}": {row!r},'.replace("'", '"'))
    table.append("}")
    return name, "\n".join([*table, "", "", *lines])


def main():
    package, examples, output = sys.argv[1:]
    functions = [function(command, examples) for command in questions(package)]
    names = ",\n    ".join(f'"{name}"' for name, _ in functions)
    text = "\n\n".join([HEAD + f"\n__all__ = [\n    {names},\n]", *(body + "\n" for _, body in functions)])
    pathlib.Path(output).write_text(text)


if __name__ == "__main__":
    main()
