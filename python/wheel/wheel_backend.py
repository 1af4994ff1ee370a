#!/usr/bin/python3
"""Build backend of the Python package (PEP 517): builds a wheel with cmake and the standard library.

  pip wheel . --no-deps                     builds build/release/python/tailbound, then packs it
  python/wheel/wheel_backend.py FOLDER TO   packs FOLDER, a built package, into the folder TO; prints the name of the wheel

The module uses system libraries (GiNaC, CLN, MPFR, ...): a wheel runs only on machines with the same libraries, unless
bundle.py adds them (tools/package wheel). One wheel per Python version: pybind11 has no stable ABI.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = re.search(r'TAILBOUND_VERSION "([0-9.]+)"', (ROOT / "include/tailbound/version.hpp").read_text())[1]
NAME = f"{PROJECT['name']}-{VERSION}"


def metadata():
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {VERSION}",
        f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}",
        f"Requires-Python: {PROJECT['requires-python']}",
    ]
    for extra, packages in PROJECT["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package} ; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n"


def tag_of(package):
    """"cp311-cp311-linux_x86_64", from the name of the module: _tailbound.cpython-311-x86_64-linux-gnu.so"""
    module = next(package.glob("_tailbound.cpython-*.so"), None)
    if module is None:
        raise SystemExit(f"{package} contains no module; build it: cmake --build build/release --target tailbound_python")
    version = re.match(r"_tailbound\.cpython-(\d+)", module.name)[1]
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"cp{version}-cp{version}-{platform}"


def record_of(files, described):
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*rows, f"{described}/RECORD,,"]).encode() + b"\n"


def zipped(files, wheel):
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # Reproducible: without file times.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def pack(package, folder):
    """Writes the wheel of a built package.  :return: its name"""
    package, folder = pathlib.Path(package), pathlib.Path(folder)
    tag = tag_of(package)
    files = {f"tailbound/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    described = f"{NAME}.dist-info"
    files[f"{described}/METADATA"] = metadata().encode()
    files[f"{described}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tailbound\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{described}/RECORD"] = record_of(files, described)
    wheel = f"{NAME}-{tag}.whl"
    zipped(files, folder / wheel)
    return wheel


# --- functions called by pip


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    described = pathlib.Path(metadata_directory) / f"{NAME}.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(metadata())
    return described.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-DTAILBOUND_TESTS=OFF"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "tailbound_python"], cwd=ROOT, check=True)
    return pack(BUILD / "python/tailbound", wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("source distributions are not supported; use git archive")


if __name__ == "__main__":
    print(pack(*sys.argv[1:]))
