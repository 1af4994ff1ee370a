#!/usr/bin/python3
"""Prints docs/python_reference.md: each function with its keywords, from the declarations of the command line.

  reference.py PACKAGE > docs/python_reference.md

PACKAGE is the folder of the built package: build/release/python/tailbound.
"""

import itertools
import pathlib
import sys

from generate import WORDS, commands, function_name, name_of, purpose_of, spec_of, takes

EXAMPLES = pathlib.Path(__file__).resolve().parent / "examples"

HEAD = """# Python reference

One entry per function. Each function is a command of the command line, each keyword one of its options.
`help(tb.buffer)` shows the same. See [Python](howto/python.md) for answers, arrays and numbers, and
[output.md](output.md) for the keys of the answers.

In the column *value*, `a | b` lists the legal names of a keyword. *array* means that lists, numpy arrays and columns of
pandas are broadcast. A range such as 1 .. 64 shows typical values, not the legal range. An illegal value raises
`tb.InvalidArgument`, which states the legal range.

Numbers are taken exactly: 0.9 is 9/10, as are `"0.9"`, `Fraction(9, 10)` and `Decimal("0.9")`. Every function also has
these keywords:

| keyword | value | meaning |
|---|---|---|
| `progress` | True, False or a function | shows progress; a function is called with the fraction done and the seconds left |
| `time_limit` | seconds | `tb.LimitExceeded` after that time; its `partial` is the finished part of the answer |
"""


def number(value):
    return f"{value:g}"


def value_of(option):
    """The values of a keyword: names, numbers or True."""
    what = takes(option)
    if what == "flag":
        return "True"
    if what == "network":
        return "file, `tb.Network`, dict or graph"
    if what == "file":
        return "file"
    parts = []
    if option["choices"]:
        parts.append(" \\| ".join(f'`"{name}"`' for name in option["choices"]))
    elif option["type"]:
        parts.append(f"`{option['type'].strip('[]')}`".replace("|", "\\|"))
    if what == "words" and option["type"].startswith("["):
        parts.append("or True")
    if option["slider"]:
        low, high, powers = option["slider"]
        parts.append(f"1e{low:g} .. 1e{high:g}" if powers else f"{number(low)} .. {number(high)}")
    parts.append({"list": "list", "text": "array"}.get(what, ""))
    return ", ".join(part for part in parts if part)


def table(options, spec):
    rows = ["| keyword | value | meaning |", "|---|---|---|"]
    for option in options:
        meaning = WORDS.in_keywords(" ".join(option["help"].split()), spec).replace("|", "\\|")
        required = " (required)" if option["required"] else ""
        rows.append(f"| `{name_of(option['name'])}`{required} | {value_of(option)} | {meaning} |")
    return "\n".join(rows)


def entry(command):
    name, spec = function_name(command), spec_of(command)
    answer = "`tb.Formula`" if name == "pgf" else "`tb.Answer`; `tb.Answers` for lists and arrays"
    parts = [f"## {name}", purpose_of(command), f"Command: `tailbound {command['name']}`. Returns {answer}."]
    parts.append(f"```python\n{(EXAMPLES / f'{name}.txt').read_text().rstrip()}\n```")
    options = sorted(command["options"], key=lambda option: not option["required"])
    groups = list(dict.fromkeys(option["group"] for option in options))
    for group, members in itertools.groupby(sorted(options, key=lambda option: groups.index(option["group"])), lambda o: o["group"]):
        parts += [f"**{group or 'Parameters'}**", table(list(members), spec)]
    return "\n\n".join(parts)


def reference(package):
    """The text of the page."""
    return "\n\n".join([HEAD.rstrip(), *map(entry, commands(package))]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference(sys.argv[1]))
