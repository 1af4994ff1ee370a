"""The types that checkers and editors see are those of the code: stubtest, and mypy --strict on the examples."""

import subprocess
import sys
from pathlib import Path

import pytest

import tailbound as tb
from conftest import ROOT

PACKAGE = Path(tb.__file__).parent


def run(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other packages are taken as they are: their stubs take ten times as long as ours."""
    path = tmp_path_factory.mktemp("mypy") / "mypy.ini"
    path.write_text(
        "[mypy]\ncache_dir = " + str(PACKAGE.parent / "mypy_cache") + "\n"
        + "".join(f"[mypy-{name}.*]\nignore_missing_imports = True\nfollow_imports = skip\n"
                  for name in ("numpy", "pandas", "matplotlib", "sympy", "networkx", "mpmath", "IPython"))
    )  # fmt: skip
    return path


def test_examples_and_package_are_typed(settings: Path) -> None:
    checked = run("mypy", "--strict", "--config-file", str(settings), "--allow-any-generics", "--allow-subclassing-any",
                  "-p", "tailbound", cwd=PACKAGE.parent)  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    examples = run("mypy", "--strict", "--config-file", str(settings), str(ROOT / "tests/python/typed_example.py"),
                   cwd=PACKAGE.parent)  # fmt: skip
    assert examples.returncode == 0, examples.stdout
    wrong = run("mypy", "--strict", "--config-file", str(settings), "-c",
                "import tailbound as tb\ntb.buffer(inputs=16, lod=0.9)\ntb.grid(1).x", cwd=PACKAGE.parent)  # fmt: skip
    assert wrong.returncode == 1 and 'Unexpected keyword argument "lod"' in wrong.stdout and "Missing positional" in wrong.stdout


def test_stubs(settings: Path, tmp_path: Path) -> None:
    """Of the module in C++; pybind11's own metaclass and constructors are no part of it."""
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("".join(f"tailbound\\._tailbound\\.{name}(\\.__init__)?\n" for name in ("Shown", "Sizings")))
    checked = run("mypy.stubtest", "tailbound._tailbound", "--mypy-config-file", str(settings), "--allowlist", str(allowed),
                  "--ignore-unused-allowlist", cwd=PACKAGE.parent)  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
