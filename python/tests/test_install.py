"""The installed package finds its library by itself and has all its files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import amble
import pytest

BUILD = os.environ.get("AMBLE_TEST_BUILD")
LIBRARIES = os.environ.get("AMBLE_TEST_LIBDIR")


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@pytest.mark.skipif(not BUILD, reason="run by ctest, which says where the build is")
def test_an_installed_package_imports_without_the_build(tmp_path):
    script = Path(BUILD) / "python" / "cmake_install.cmake"
    run(["cmake", f"-DCMAKE_INSTALL_PREFIX={tmp_path}", "-P", script])
    libraries = tmp_path / LIBRARIES
    libraries.mkdir(parents=True, exist_ok=True)
    for library in (Path(BUILD) / "lib").glob("libamble.so*"):
        shutil.copy(library, libraries, follow_symlinks=False)
    (package,) = tmp_path.glob("**/amble/__init__.py")
    here = Path(amble.__file__).parent
    assert sorted(f.name for f in package.parent.iterdir()) == sorted(f.name for f in here.iterdir() if f.is_file())
    code = (
        "import amble; print(amble.__file__); "
        "print([line.split()[-1] for line in open('/proc/self/maps') if 'libamble.so' in line][0])"
    )
    environment = {"PYTHONPATH": str(package.parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    imported, mapped = run([sys.executable, "-c", code], env=environment, cwd=tmp_path).split()
    assert Path(imported) == package
    assert Path(mapped).parent.resolve() == libraries.resolve()


@pytest.mark.parametrize("module, expected", [("_amble.cpython-39-x86_64-linux-gnu.so", "built for cpython 3.9, and this is cpython 3."),
                                              (None, "the compiled module of amble is missing in ")])
def test_a_python_that_the_module_was_not_built_for_is_told(tmp_path, module, expected):
    package = tmp_path / "amble"
    package.mkdir()
    for name in ("__init__.py", "_module.py"):
        shutil.copy(Path(amble.__file__).parent / name, package)
    if module:
        (package / module).touch()
    done = subprocess.run([sys.executable, "-c", "import amble"], env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path,
                          capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: ") and expected in last, done.stderr
