"""The house is in order: layers, source lists, self-contained headers, and nothing that does not belong in the tree."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "src" / "amble"


def layers():
    text = (LIBRARY / "CMakeLists.txt").read_text()
    return re.search(r"set\(AMBLE_LAYERS ([^)]*)\)", text).group(1).split()


def sources(*endings):
    return [p for p in sorted(LIBRARY.rglob("*")) if p.suffix in endings]


def test_a_folder_includes_only_folders_that_stand_before_it():
    order = {name: i for i, name in enumerate(layers())}
    offences = []
    for path in sources(".hpp", ".cpp"):
        folder = path.relative_to(LIBRARY).parts[0]
        if folder not in order or "test" in path.parts:
            continue
        for included in re.findall(r'#include "amble/(\w+)/', path.read_text()):
            if order[included] > order[folder]:
                offences.append(f"{path.relative_to(ROOT)} includes {included}/")
    assert not offences


def test_every_folder_is_a_layer():
    folders = {p.name for p in LIBRARY.iterdir() if p.is_dir()}
    assert folders == set(layers())


def test_every_source_and_test_is_listed_in_its_folder():
    missing = []
    for path in sources(".cpp"):
        folder = LIBRARY / path.relative_to(LIBRARY).parts[0]
        lists = [folder / "CMakeLists.txt", *folder.rglob("*.cmake")]
        if str(path.relative_to(folder)) not in re.split(r"[\s()]+", " ".join(p.read_text() for p in lists)):
            missing.append(str(path.relative_to(ROOT)))
    assert not missing


def test_only_the_mesh_helper_uses_assimp():
    # It crashes on damaged files: those are read in a process of their own, or not by it.
    offences = [str(p.relative_to(ROOT)) for p in sources(".hpp", ".cpp")
                if "test" not in p.parts and "#include <assimp/" in p.read_text()]
    assert not offences


def test_every_python_test_is_listed():
    listed = set(re.search(r"foreach\(test ([^)]*)\)", (ROOT / "python/CMakeLists.txt").read_text()).group(1).split())
    assert listed == {p.stem.removeprefix("test_") for p in (ROOT / "python/tests").glob("test_*.py")}


def test_only_kernel_files_get_instruction_set_flags():
    offences = []
    for path in [*ROOT.rglob("CMakeLists.txt"), *ROOT.rglob("*.cmake")]:
        relative = path.relative_to(ROOT)
        if relative.parts[0] == "build" or "kernels" in relative.parts:
            continue
        if re.search(r"-m(avx|fma|arch=|sse4)", path.read_text()):
            offences.append(str(relative))
    assert not offences


def test_no_header_has_an_aligned_eigen_type_in_the_interface():
    # Eigen::Vector4d, Matrix4d, Quaterniond and friends change their layout with the compiler's flags.
    trap = re.compile(r"Eigen::(Vector4d|Vector2d|Matrix4d|Matrix2d|Quaterniond|Affine3d|Isometry3d)\b")
    offences = [str(p.relative_to(ROOT)) for p in sources(".hpp") if "test" not in p.parts and trap.search(p.read_text())]
    assert not offences


def tier(name):
    text = (ROOT / "packages.txt").read_text()
    return set(re.findall(r"^([a-z0-9][^\s]*)", re.search(rf"^\[{name}\].*?\n(.*?)(?:\n\n|\Z)", text, re.M | re.S).group(1), re.M))


def test_the_debian_packages_are_built_with_the_packages_that_the_launcher_installs():
    control = (ROOT / "debian" / "control").read_text()
    needed = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", re.search(r"Build-Depends: (.*?)\nStandards", control, re.S).group(1)))
    ours = tier("run") | tier("python")
    of_every_build = {"g++", "ccache"}  # essential to all building, and no matter for the result
    at_run_time = {"graphviz", "librsvg2-bin", "python3", "python3-matplotlib"}
    assert ours - of_every_build - at_run_time <= needed
    assert needed <= ours | tier("package") | {"debhelper-compat", "13"}


def compile_alone(text):
    build = Path(os.environ["AMBLE_BUILD_DIR"])
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]
    hdf5 = subprocess.run(["pkg-config", "--cflags", "hdf5"], capture_output=True, text=True, check=True).stdout.split()
    include = [f"-I{ROOT / 'src'}", f"-I{build / 'include'}", "-isystem", "/usr/include/eigen3", *hdf5]
    command = ["g++", *flags, *include, "-x", "c++", "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    return done.returncode, done.stderr


PUBLIC = [p for p in sources(".hpp") if "test" not in p.parts]
MAIN = ["amble.hpp", "geometry/se3.hpp", "geometry/chart.hpp", "mechanism/builder.hpp", "io/load.hpp", "dynamics/kinematics.hpp"]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["main", "every"])
def test_headers_compile_alone(every):
    headers = PUBLIC if every else [LIBRARY / name for name in MAIN]
    lines = [f'#include "{p.relative_to(ROOT / "src")}"\n' for p in headers]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compile_alone, lines))
    failed = [line + errors for line, (code, errors) in zip(lines, results) if code != 0]
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("reverse", [False, True])
def test_headers_compile_in_any_order(reverse):
    lines = [f'#include "{p.relative_to(ROOT / "src")}"' for p in PUBLIC]
    code, errors = compile_alone("\n".join(reversed(lines) if reverse else lines) + "\n")
    assert code == 0, errors


@pytest.mark.long
def test_every_source_includes_what_it_uses(tmp_path):
    """Precompiled headers would hide an include that is missing: here every source is compiled without them."""
    configure = ["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    options = [f"-DAMBLE_{name}" for name in ("PRECOMPILED=OFF", "BUILD_TESTS=ON", "BUILD_PYTHON=ON")]
    subprocess.run([*configure, *options], check=True, capture_output=True)

    def errors_of(entry):
        command = entry["command"] + " -fsyntax-only"
        return subprocess.run(command, shell=True, cwd=entry["directory"], capture_output=True, text=True).stderr

    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [text for text in pool.map(errors_of, commands) if "error:" in text]
    assert not failed, "\n".join(failed)


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "not long"
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", "-W", "ignore", "-m", chosen]))
