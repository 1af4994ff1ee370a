"""Every public name is documented, and every example in a docstring is correct."""

import difflib
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tailbound as tb
from conftest import ROOT
from tailbound import _commands

MODULES = [f"tailbound.{module.name}" for module in pkgutil.iter_modules(tb.__path__) if module.name != "_tailbound"]


@pytest.mark.parametrize("name", ["tailbound", *MODULES])
def test_examples(name: str, at_root: Any) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0


def test_every_name_is_documented() -> None:
    bare = []
    for name in tb.__all__:
        thing = getattr(tb, name)
        if name == "__version__":
            continue
        if not inspect.getdoc(thing):
            bare.append(name)
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and not inspect.getdoc(value):
                    base = [getattr(parent, member, None) for parent in thing.__mro__[1:]]
                    if not any(inspect.getdoc(each) for each in base if each is not None):
                        bare.append(f"{name}.{member}")
    assert not bare


def test_help_has_units_and_every_keyword() -> None:
    for name in _commands.__all__:
        function = getattr(tb, name)
        text = inspect.getdoc(function)
        assert text is not None and ">>> " in text, f"write python/examples/{name}.txt"
        for keyword in inspect.signature(function).parameters:
            assert f"  {keyword}" in text, f"{name}: {keyword}"
    text = inspect.getdoc(tb.buffer)
    assert text is not None
    for words in ("packets per slot", "in slots", "bytes", "packet in service"):
        assert words in text


def test_keywords_are_the_commands_options() -> None:
    """The functions are generated from the declarations of the command line."""
    from tailbound import _tailbound

    for command in _tailbound.commands():
        name = command["name"].replace(" ", "_")
        if not hasattr(_commands, name):
            assert command["name"] in {"schema", "reproduce", "merge", "serve"}
            continue
        table = getattr(_commands, f"_{name.upper()}")
        assert {option for option, *_ in table.values()} == {option["name"] for option in command["options"]}
        for key, (option, *_) in table.items():
            assert key.rstrip("_") == option.lstrip("-").replace("-", "_").lower(), name


def test_the_reference_is_up_to_date() -> None:
    """If an option has changed intentionally: python/reference.py build/release/python/tailbound >
    docs/python_reference.md"""
    made = subprocess.run([sys.executable, ROOT / "python/reference.py", Path(tb.__file__).parent], capture_output=True, text=True, check=True)
    kept = (ROOT / "docs/python_reference.md").read_text()
    assert [line for line in difflib.unified_diff(kept.splitlines(), made.stdout.splitlines(), lineterm="")][:20] == []
    for name in _commands.__all__:
        entry = made.stdout.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert f">>> tb.{name}(" in entry or f"tb.{name}(" in entry, name
        assert all(f"\n| `{key}`" in entry for key in getattr(_commands, f"_{name.upper()}")), name


@pytest.mark.parametrize("page", ["README.md", "docs/howto/python.md"])
def test_pages(page: str) -> None:
    """Python examples of a page give the output shown, block after block with shared names."""
    text = (ROOT / page).read_text()
    names: dict[str, Any] = {}
    shown = "\n".join(line for line in text.splitlines() if line.startswith((">>> ", "... ")) or True)
    blocks = [block for block in shown.split("```")[1::2] if block.startswith("python\n")]
    assert blocks
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block[len("python\n") :], names, page, page, 0)
        assert test.examples
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        names.update(test.globs)
