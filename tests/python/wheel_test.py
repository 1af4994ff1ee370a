"""The wheel installs into a new environment and works there; nothing is downloaded."""

import csv
import importlib.util
import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import tailbound as tb
from conftest import ROOT

PACKAGE = Path(tb.__file__).parent
QUESTION = """
import tailbound as tb
assert tb.__file__.startswith({home!r}), tb.__file__
print(tb.__version__, tb.buffer(inputs=16, load=0.9, drop=1e-15).buffer, tb.delay(radix=4, levels=1, load="0.5").headline)
"""


@pytest.fixture(scope="module")
def backend() -> Any:
    spec = importlib.util.spec_from_file_location("wheel_backend", ROOT / "python/wheel/wheel_backend.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def wheel(backend: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the tested package: pip would build in the same folder."""
    folder = tmp_path_factory.mktemp("wheel")
    return folder / str(backend.pack(PACKAGE, folder))


def test_installs_in_a_new_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin/python")]
    subprocess.run([*pip, "install", "--no-index", "--quiet", str(wheel)], check=True, env={"PATH": "/usr/bin:/bin"})
    asked = QUESTION.format(home=str(home))
    answer = subprocess.run([home / "bin/python", "-c", asked], capture_output=True, text=True, env={}, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(f"{tb.__version__} 157 ")


def test_its_record_lists_its_files(wheel: Path, backend: Any) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read(f"{backend.NAME}.dist-info/RECORD").decode()
        sizes = {name: len(archive.read(name)) for name in names}
    rows = list(csv.reader(io.StringIO(record)))
    assert [row[0] for row in rows] == names
    assert all(int(size) == sizes[name] for name, _, size in rows[:-1])
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} == {name.split("/")[1] for name in names if name.startswith("tailbound/")}


def test_the_same_package_makes_the_same_wheel(wheel: Path, backend: Any, tmp_path: Path) -> None:
    again = tmp_path / str(backend.pack(PACKAGE, tmp_path))
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()


def test_an_unbuilt_package_is_an_error(backend: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="build it"):
        backend.pack(tmp_path, tmp_path)
