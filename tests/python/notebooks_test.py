"""The notebooks run from top to bottom, are stored without outputs, and agree with docs/notebooks."""

import asyncio
import functools
import importlib.machinery
import importlib.util
import json
import re
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from jupyter_client.manager import AsyncKernelManager

from conftest import FULL, ROOT

_loader = importlib.machinery.SourceFileLoader("show", str(ROOT / "python/notebooks/show"))
_spec = importlib.util.spec_from_loader("show", _loader)
assert _spec is not None
SHOW: Any = importlib.util.module_from_spec(_spec)
_loader.exec_module(SHOW)

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


def test_there_are_six() -> None:
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path: Path) -> None:
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None


@pytest.fixture(scope="module")
def ran() -> Iterator[Callable[[Path], Any]]:
    """Each runs once; all share one kernel, which takes longer to start than a notebook to run. At full depth each has
    its own."""
    kernel = None if FULL else AsyncKernelManager(kernel_name="python3")
    yield functools.cache(lambda path: SHOW.run(path, kernel))
    if kernel is not None:
        asyncio.get_event_loop().run_until_complete(kernel.shutdown_kernel(now=True))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: Path, ran: Callable[[Path], Any]) -> None:
    shown = [output for cell in ran(path).cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) or "image/svg+xml" in output.get("data", {}) for output in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_page_and_pictures_agree(path: Path, ran: Callable[[Path], Any]) -> None:
    """If an answer has changed intentionally: python/notebooks/show."""
    assert SHOW.stale(path, ran(path)) == []


def test_changed_numbers_are_detected() -> None:
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


def test_tables_are_one_html_block() -> None:
    """In Markdown an HTML block ends at the first blank line."""
    pages = {path.stem: (ROOT / f"docs/notebooks/{path.stem}.md").read_text() for path in NOTEBOOKS}
    assert sum(page.count("<table") for page in pages.values()) >= 6
    for page in pages.values():
        for block in page.split('<div class="output">\n')[1:]:
            first = block.split("\n\n")[0].rstrip()
            assert "<table" in first and first.endswith("</div>")
            assert "base64" not in block
    html, images = SHOW.without_images('<p>a</p>\n\n<img alt="b" src="data:image/svg+xml;base64,PHN2Zz4="/>')
    assert (html, images) == ("<p>a</p>", ["PHN2Zz4="])
    assert SHOW.as_block("<style>\nx\n\n</style>\n<table>\n <tr>\n  <td>1</td>\n\n </tr></table>") == (
        '<div class="output">\n<table>\n<tr><td>1</td></tr>\n</table>\n</div>'
    )
