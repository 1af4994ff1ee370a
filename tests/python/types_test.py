"""Type annotations agree with the code: mypy --strict on package and examples, and the stub of the extension module
compared with the signatures of pybind11; at full depth also mypy's stubtest."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

import tailbound as tb
from conftest import FULL, ROOT
from tailbound import _tailbound

PACKAGE = Path(tb.__file__).parent
WRONG = """import tailbound as tb

tb.buffer(inputs=16, lod=0.9)
tb.grid(1).x
one = tb.buffer(inputs=16, load=0.9, drop=1e-9)
many = tb.buffer(inputs=16, load=[0.5, 0.9], drop=1e-9)
one.bufer, many.bufer, one.size
reveal_type(one.buffer), reveal_type(many.size)
"""


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", *words], cwd=PACKAGE.parent, capture_output=True, text=True)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stubs of other packages are ignored: they take ten times as long as ours."""
    path = tmp_path_factory.mktemp("mypy") / "mypy.ini"
    path.write_text(
        f"[mypy]\ncache_dir = {PACKAGE.parent / 'mypy_cache'}\n"
        + "[mypy-tailbound.*]\ndisallow_any_generics = False\ndisallow_subclassing_any = False\n"
        + "".join(f"[mypy-{name}.*]\nignore_missing_imports = True\nfollow_imports = skip\n"
                  for name in ("numpy", "pandas", "matplotlib", "sympy", "networkx", "mpmath", "IPython"))
    )  # fmt: skip
    return path


def test_examples_and_package_are_typed(settings: Path, tmp_path: Path) -> None:
    """Includes a wrong example, which must be found. All in one run, which reads the types of the library once."""
    wrong = tmp_path / "wrong_example.py"
    wrong.write_text(WRONG)
    checked = run("mypy", "--strict", "--config-file", str(settings), str(PACKAGE), str(ROOT / "tests/python/typed_example.py"), str(wrong))
    said = [line for line in checked.stdout.splitlines() if ": error: " in line]
    of_wrong = "\n".join(line for line in said if "wrong_example.py" in line)
    assert [line for line in said if "wrong_example.py" not in line] == [], checked.stdout
    assert checked.returncode == 1 and 'No overload variant of "buffer"' in of_wrong and "Missing positional" in of_wrong, checked.stdout
    for key in ('"BufferAnswer" has no attribute "bufer"', '"BufferAnswers" has no attribute "bufer"', '"BufferAnswer" has no attribute "size"'):
        assert key in of_wrong, checked.stdout
    assert 'Revealed type is "tailbound._values.Count"' in checked.stdout and 'Revealed type is "builtins.int"' in checked.stdout


def stubbed(body: "list[ast.stmt]", above: str = "") -> Iterator["tuple[str, list[tuple[str, bool]] | None]"]:
    """The names in a stub: of a function its arguments, and whether each is optional; of anything else none."""
    for thing in body:
        if isinstance(thing, ast.ClassDef):
            yield above + thing.name, None
            yield from stubbed(thing.body, f"{above}{thing.name}.")
        elif isinstance(thing, ast.FunctionDef) and thing.name != "__init__":
            given = thing.args.args
            yield above + thing.name, [(one.arg, i >= len(given) - len(thing.args.defaults)) for i, one in enumerate(given)]
        elif isinstance(thing, ast.AnnAssign) and isinstance(thing.target, ast.Name):
            yield above + thing.target.id, None


def compiled(thing: object, above: str = "") -> Iterator["tuple[str, list[tuple[str, bool]] | None]"]:
    """The same for a module or a class of pybind11, whose docstrings begin with the signature."""
    for name, member in vars(thing).items():
        if name.startswith("__") and name not in ("__version__", "__len__"):
            continue
        if isinstance(member, type):
            yield above + name, None
            yield from compiled(member, f"{above}{name}.")
        elif callable(member):
            first = (member.__doc__ or "").splitlines()[0]
            given = first[first.index("(") + 1 : first.rindex(") ->")]
            while (plain := re.sub(r"\[[^\[\]]*\]|\{[^{}]*\}", "", given)) != given:
                given = plain
            yield above + name, [(one.partition(":")[0].strip(), "=" in one) for one in given.split(",") if one]
        else:
            yield above + name, None


def test_the_stub_agrees_with_the_module() -> None:
    stub = dict(stubbed(ast.parse((PACKAGE / "_tailbound.pyi").read_text()).body))
    module = dict(compiled(_tailbound))
    assert len(stub) > 10 and stub == module


@pytest.mark.skipif(not FULL, reason="takes as long as all the others here, and says little more of compiled functions")
def test_stubs(settings: Path, tmp_path: Path) -> None:
    """For the extension module, except the metaclass and constructors of pybind11."""
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("".join(f"tailbound\\._tailbound\\.{name}(\\.__init__)?\n" for name in ("Shown", "Sizings")))
    checked = run("mypy.stubtest", "tailbound._tailbound", "--mypy-config-file", str(settings), "--allowlist", str(allowed),
                  "--ignore-unused-allowlist")  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
