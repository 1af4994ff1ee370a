"""Byte-for-byte comparison with the command: lines of tests/golden/recorded run from Python.

The tests of the command line run all lines. Python adds the conversion of arguments and of output, so a selection suffices
that covers every option of every command, every type of value and every format; all lines with TAILBOUND_FULL=1.
"""

import collections
import re
import shlex
from fractions import Fraction
from typing import Any, Iterator, NamedTuple

import pytest

import tailbound as tb
from tailbound import _commands
from tailbound._words import in_keywords
from conftest import FULL, ROOT

RECORDED = ROOT / "tests/golden/recorded"
OUTPUT = {"--plot", "--title", "--output", "--format"}  # with a value; concern files and formats
NOT_HERE = {"reproduce", "help", "refusals"}


class Line(NamedTuple):
    name: str
    command: str
    words: tuple[str, ...]


def function_of(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """ "simulate tree --radix 4" is simulate_tree and the rest."""
    if words and words[0] in ("simulate", "validate") and len(words) > 1:
        return f"{words[0]}_{words[1]}", tuple(words[2:])
    return (words[0], tuple(words[1:])) if words else ("", ())


def lines() -> Iterator[Line]:
    for row in (RECORDED / "commands.txt").read_text().splitlines():
        if row and not row.startswith("#"):
            lexer = shlex.shlex(row, posix=True)
            lexer.whitespace_split, lexer.commenters, lexer.quotes, lexer.escape = True, "", '"', ""
            name, *words = list(lexer)
            yield Line(name, *function_of(words))


def typed(text: str) -> Any:
    """The equivalent Python value, if there is one: 16, 0.9, Fraction(9, 10)."""
    if re.fullmatch(r"-?(0|[1-9]\d*)", text):
        return int(text)
    if re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", text):
        meant = Fraction(text)
        return float(text) if meant and Fraction(repr(float(text))) == meant else text
    if re.fullmatch(r"(0|[1-9]\d*)/[1-9]\d*", text):
        return Fraction(text)
    return text


def keywords(command: str, words: tuple[str, ...]) -> tuple[dict[str, Any], bool]:
    """The keywords of a line, and whether --quiet is among its words.  :raises LookupError: not available in Python"""
    table = {option: (key, takes) for key, (option, takes, _) in getattr(_commands, f"_{command.upper()}").items()}
    given: dict[str, Any] = {}
    quiet = False
    place = 0
    while place < len(words):
        word, _, value = words[place].partition("=") if words[place].startswith("--") else (words[place], "", "")
        place += 1
        if word == "--quiet":
            quiet = True
        elif word in ("--log-y", "--help", "--version"):
            if word != "--log-y":
                raise LookupError(word)
        elif word in OUTPUT:
            place += 0 if value else 1
        elif not word.startswith("--"):
            key = next((keyword for option, (keyword, _) in table.items() if not option.startswith("--")), "")
            if not key or key in given:
                raise LookupError(word)
            given[key] = word
        else:
            key, takes = table[word]
            if key in given or key == "save_traffic":  # the folder of the run is unknown here
                raise LookupError(word)
            if takes == "flag" or (takes == "words" and (place == len(words) or words[place].startswith("--"))):
                given[key] = True
            elif value:
                given[key] = typed(value)
            else:
                given[key] = typed(words[place])
                place += 1
    return given, quiet


def section(text: str, name: str) -> str:
    begin = text.index(f"--- {name}\n") + len(f"--- {name}\n")
    end = text.find("\n--- ", begin - 1)
    return text[begin:] if end < 0 else text[begin : end + 1]


def spoken(said: str, command: str) -> str:
    """The message of the command with keywords instead of options."""
    return in_keywords(said.partition(": ")[2], getattr(_commands, f"_{command.upper()}"))


def masked(text: str) -> str:
    return re.sub(r"[0-9.]+(?= s on )", "*", text)


def seconds_masked(text: str) -> str:
    """Masks run time and threads in data formats."""
    return re.sub(r'"(seconds|threads)":\s*[0-9.e+-]+', r'"\1":*', text)


def hash_of(text: str) -> str:
    """FNV-1a, as in tests/golden/recorded_csv.hpp."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def shortened(text: str) -> str:
    """Long tables as they are recorded."""

    def table(match: re.Match[str]) -> str:
        rows = match[0].splitlines(keepends=True)
        if len(rows) <= 50:
            return match[0]
        middle = f"{len(rows) - 25} rows, hash {hash_of(''.join(rows[20:-5]))}\n"
        return "".join([*rows[:20], middle, *rows[-5:]])

    return re.sub(r"(?m)(?:^(?:[^,\n]*,){3}.*\n)+", table, text)


def check(line: Line) -> int:
    """Compares the recorded outputs and returns their number."""
    given, quiet = keywords(line.command, line.words)
    function = getattr(tb, line.command)
    stem = RECORDED / line.name
    once = stem.with_name(stem.name + ".txt")
    files = {form: stem.with_name(f"{stem.name}.{form}") for form in ("table", "json")}
    if once.exists():
        form = line.words[line.words.index("--format") + 1] if "--format" in line.words else "table"
        files = {form: once}
    status = int(re.match(r"--- status (\d+)", next(iter(files.values())).read_text()).group(1))  # type: ignore[union-attr]
    try:
        answer = function(**given, progress=False)
    except tb.Error as error:
        message = str(error)
        for path in files.values():
            said = spoken(section(path.read_text(), "standard error"), line.command)
            assert said.startswith(message) or message[:500] in said, line.name
        assert status in (1, 2), line.name
        assert isinstance(error, ValueError) == (status == 2), line.name
        return len(files)
    assert status == (0 if answer.ok else 1), line.name
    compared = 0
    for form, path in files.items():
        text = path.read_text()
        if "--output" in line.words:
            expected = section(text, "answer.txt") if "--- answer.txt\n" in text else None
        else:
            expected = section(text, "standard output")
        if expected is None:
            continue
        if quiet and line.command == "pgf":
            continue  # remarks of formulas depend on the query, not on the answer
        written = {"table": answer.text, "json": answer.json, "csv": answer.csv, "markdown": answer.markdown,
                   "html": answer.html}[form]
        shown = written(quiet=quiet)
        if form == "html":  # masked as in tests/golden; the command line is unknown here
            shown = re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1>*</\1>", re.sub(r"'sha256-[^']*'", "'sha256-*'", shown))
            expected = re.sub(r'(?s)<section class="tb-command">.*?</section>\n', "", expected)
        assert shortened(masked(shown)) == expected, line.name
        compared += 1
    if not once.exists():
        hashes = dict(row.split(" ")[:2] for row in (stem.parent / "hashes.csv").read_text().splitlines())
        assert hash_of(masked(answer.csv())) == hashes[stem.name], f"{line.name}: CSV"
        compared += 1
    return compared


def features(line: Line) -> set[tuple[Any, ...]]:
    """The features covered by a line.  :raises LookupError: not available in Python"""
    given, quiet = keywords(line.command, line.words)
    files = sorted((RECORDED / line.name).parent.glob(line.name.split("/")[1] + ".*"))
    form = line.words[line.words.index("--format") + 1] if "--format" in line.words else "table"
    has_list = any(isinstance(value, str) and re.search("[,:]", value) for value in given.values())
    return {
        (line.command, "list" if has_list else "one", files[0].read_text().splitlines()[0]),  # the status
        ("forms", len(files), form, quiet),
        *((line.command, key) for key in given),
        *(("type", key, type(value)) for key, value in given.items()),
    }


def cover(candidates: dict[Line, set[tuple[Any, ...]]]) -> Iterator[Line]:
    """A few lines that cover all features: greedily the one that adds most, the first of equals."""
    left = set().union(*candidates.values())
    while left:
        best = max(candidates, key=lambda line: len(candidates[line] & left))
        left -= candidates[best]
        yield best


def test_recorded(at_root: Any) -> None:
    candidates: dict[Line, set[tuple[Any, ...]]] = {}
    for line in lines():
        if line.name.split("/")[0] not in NOT_HERE and hasattr(tb, line.command):
            try:
                candidates[line] = features(line)
            except LookupError:
                continue
    compared: collections.Counter[str] = collections.Counter()
    different = []
    asked = list(candidates if FULL else cover(candidates))
    for line in asked:
        try:
            compared[line.command] += check(line)
        except AssertionError as error:
            different.append(f"{line.name}: {error}"[:600])
    print(f"{len(asked)} lines of {len(candidates)}, {sum(compared.values())} outputs: {dict(compared)}")
    assert not different, f"{len(different)} differ:\n" + "\n".join(different)
    assert len(candidates) >= 300 and len(asked) >= 100
    assert set(compared) >= set(_commands.__all__) - {"sweep"}


def test_errors(at_root: Any) -> None:
    """Errors have the same message, with keywords instead of options."""
    refused = 0
    different = []
    for line in lines():
        if line.name.split("/")[0] != "refusals" or not hasattr(tb, line.command):
            continue
        text = (RECORDED / f"{line.name}.txt").read_text()
        said = section(text, "standard error")
        if any(word in said for word in ("unknown option", "needs a value", "given twice", "unexpected argument")):
            continue  # errors of command lines that Python itself reports
        if text.startswith("--- status 0") or "nothing to draw" in said:
            continue
        if any(option in said for option in ("--format", "--plot", "--title", "--log-y", "--output")):
            continue
        try:
            given, _ = keywords(line.command, line.words)
        except (LookupError, IndexError, KeyError):
            continue
        if any(not option.startswith("--") for option, *_ in getattr(_commands, f"_{line.command.upper()}").values()) and not given:
            continue
        try:
            getattr(tb, line.command)(**given, progress=False)
        except tb.Error as error:
            if str(error)[:500] in spoken(said, line.command):
                refused += 1
                options = {option for option, *_ in getattr(_commands, f"_{line.command.upper()}").values()}
                for word in re.findall(r"--[a-z-]+", re.sub(r"tailbound [^;,()]*", "", str(error))):
                    assert word not in options, str(error)
            else:
                different.append(f"{line.name}: {error}")
        else:
            different.append(f"{line.name} is not rejected")
    assert not different, "\n".join(different)
    assert refused >= 60
    print(f"{refused} errors")
