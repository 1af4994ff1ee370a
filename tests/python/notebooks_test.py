"""The notebooks run from top to bottom, are kept without outputs, and show what docs/notebooks says."""

import functools
import importlib.machinery
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

_loader = importlib.machinery.SourceFileLoader("show", str(ROOT / "python/notebooks/show"))
_spec = importlib.util.spec_from_loader("show", _loader)
assert _spec is not None
SHOW: Any = importlib.util.module_from_spec(_spec)
_loader.exec_module(SHOW)

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_kept_without_outputs(path: Path) -> None:
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@functools.cache
def ran(path: Path) -> Any:
    return SHOW.run(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: Path) -> None:
    shown = [output for cell in ran(path).cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) or "image/svg+xml" in output.get("data", {}) for output in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_page_and_pictures_are_what_it_shows(path: Path) -> None:
    """Where this fails because an answer is meant to change: python/notebooks/show."""
    assert SHOW.stale(path, ran(path)) == []


def test_other_numbers_are_noticed() -> None:
    for name in ("3_model_and_simulation_1.svg", "3_model_and_simulation.md"):
        text = (ROOT / "docs/notebooks" / name).read_text()
        assert SHOW.differences(name, text, text) == []
    page = (ROOT / "docs/notebooks/3_model_and_simulation.md").read_text()
    assert SHOW.differences("page.md", page, page.replace("  took ", "  took 1")) == []
    assert SHOW.differences("page.md", page, page.replace("0.07725613", "0.07725614"))
    picture = (ROOT / "docs/notebooks/3_model_and_simulation_2.svg").read_text()
    label = re.search(r"<!-- .*?(\d\.\d+).* -->", picture)
    assert label is not None
    assert SHOW.differences("picture.svg", picture, picture.replace(label[1], label[1] + "7"))
    path = re.search(r'<path d="M (\d+)\.', picture[picture.index('id="line2d_1"') :])
    assert path is not None
    assert SHOW.differences("picture.svg", picture, picture.replace(f'd="M {path[1]}.', f'd="M {int(path[1]) + 2}.', 1))
