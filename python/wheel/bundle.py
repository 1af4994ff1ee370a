#!/usr/bin/python3
"""Makes a wheel self-contained: adds the shared libraries that its module loads, as auditwheel does.

  bundle.py WHEEL FOLDER   writes the new wheel into FOLDER and prints its name

Only the C and C++ libraries stay with the system: the tag manylinux_2_N names its C library. Other libraries are
copied into tailbound.libs/ with a hash in their names, so that no other module gets them, and their licences into
tailbound.libs/licenses/. Needs patchelf, strip and dpkg.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from wheel_backend import record_of, zipped

SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-x86-64)\.so")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries_of(file):
    """Name and path of each library that is loaded with the file, except the system's."""
    found = re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", str(file)), flags=re.M)
    return {name: pathlib.Path(path).resolve() for name, path in found if not SYSTEM.match(name)}


def direct(file):
    return output_of("patchelf", "--print-needed", str(file)).split()


def linked(file, names, folder):
    """Renames what the file needs, and searches it in the folder, relative to the file."""
    for name in set(direct(file)) & set(names):
        subprocess.run(["patchelf", "--replace-needed", name, names[name], file], check=True)
    subprocess.run(["patchelf", "--force-rpath", "--set-rpath", folder, file], check=True)


def licence_of(library):
    """The file of its Debian package; a library below /lib may be listed below /usr/lib, or the other way round."""
    for path in (str(library), str(library).removeprefix("/usr")):
        run = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
        if run.returncode == 0:
            package = run.stdout.split(":")[0]
            return package, pathlib.Path("/usr/share/doc") / package / "copyright"
    raise SystemExit(f"{library} belongs to no package, so its licence is unknown")


def bundle(tree):
    module = next(tree.glob("tailbound/_tailbound.*.so"))
    subprocess.run(["strip", "--strip-unneeded", module], check=True)
    libraries = libraries_of(module)
    folder = tree / "tailbound.libs"
    (folder / "licenses").mkdir(parents=True)
    names = {}
    for name, path in libraries.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{digest}.so{rest}"
        shutil.copy(path, folder / names[name])
        package, licence = licence_of(path)
        shutil.copy(licence, folder / "licenses" / package)
    linked(module, names, "$ORIGIN/../tailbound.libs")
    for name in names.values():
        subprocess.run(["patchelf", "--set-soname", name, folder / name], check=True)
        linked(folder / name, names, "$ORIGIN")


def main(wheel, to):
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
    with tempfile.TemporaryDirectory() as work:
        tree = pathlib.Path(work)
        shutil.unpack_archive(wheel, tree, "zip")
        bundle(tree)
        described = next(tree.glob("*.dist-info"))
        text = (described / "WHEEL").read_text()
        (described / "WHEEL").write_text(text.replace("-linux_", f"-manylinux_{glibc}_"))
        (described / "RECORD").unlink()
        files = {str(path.relative_to(tree)): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}
        files[f"{described.name}/RECORD"] = record_of(files, described.name)
        name = pathlib.Path(wheel).name.replace("-linux_", f"-manylinux_{glibc}_")
        zipped(files, pathlib.Path(to) / name)
        return name


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
