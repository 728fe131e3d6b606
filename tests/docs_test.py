"""What the documentation shows works: every Python block runs, every command runs, the joint-type page is followed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ["AMBLE_BUILD_DIR"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
COMPILE = ["g++", "-std=c++20", f"-I{ROOT / 'src'}", f"-I{BUILD / 'include'}", "-isystem", "/usr/include/eigen3"]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.stem)
def test_the_python_of_a_page_runs(page, tmp_path):
    for folder in ("models", "scenarios", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")))
    done = subprocess.run(["/usr/bin/python3", script], cwd=tmp_path, env=PYTHON, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_inspect_and_doctor_commands_of_a_page_run(page):
    for line in "\n".join(blocks(page, "sh")).splitlines():
        words = line.split("#")[0].split()
        if words[:1] != ["./amble"] or words[1] not in ("inspect", "doctor", "verify"):
            continue
        done = subprocess.run([BUILD / "bin" / "amble", *words[1:]], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, line + "\n" + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda p: p.stem)
def test_a_python_example_runs(example):
    words = [str(ROOT / "models/quadruped.urdf")] if "load" in example.stem else []
    done = subprocess.run(["/usr/bin/python3", example, *words], env=PYTHON, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize("page", ["equations.md", "errata.md"])
def test_code_and_tests_named_in_tables_exist(page):
    tests = set()
    for path in ROOT.glob("src/amble/**/*_test.cpp"):
        tests |= {f"{a}.{b}" for a, b in re.findall(r"^(?:TYPED_)?TEST(?:_[PF])?\((\w+), (\w+)\)", path.read_text(), re.M)}
    rows = [line for line in (ROOT / "docs" / page).read_text().splitlines() if line.startswith("| ")][2:]
    assert rows
    for name in re.findall(r"`([\w./]+)`", "\n".join(rows)):
        if "/" in name:
            assert (ROOT / "src/amble" / name).exists(), name
        elif re.fullmatch(r"[A-Z]\w+\.[A-Z]\w+", name):
            assert name in tests, name
    for row in rows:
        assert re.search(r"`[A-Z]\w+\.[A-Z]\w+`", row), f"no test named: {row}"


def files_of_page(page):
    """The (name, content) pairs that a page announces with: File `name`:"""
    return re.findall(r"^File `([^`]+)`:\n```cpp\n(.*?)^```", page.read_text(), re.M | re.S)


JOINT_PAGE = ROOT / "docs" / "joint-types.md"


def test_a_custom_joint_is_added_as_the_page_says(tmp_path):
    for name, content in files_of_page(JOINT_PAGE)[:2]:
        (tmp_path / name).write_text(content)
    link = [f"-L{BUILD / 'lib'}", "-lamble", f"-Wl,-rpath,{BUILD / 'lib'}"]
    subprocess.run([*COMPILE, tmp_path / "main.cpp", "-o", tmp_path / "main", *link], check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


def test_a_joint_type_is_added_to_the_library_as_the_page_says(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src")
    name, content = files_of_page(JOINT_PAGE)[2]
    (tmp_path / name).write_text(content)
    joints = tmp_path / "src/amble/mechanism/joints"
    text = (joints / "list.hpp").read_text()
    text = text.replace('#include "amble/mechanism/joints/spherical.hpp"\n',
                        '#include "amble/mechanism/joints/sliding.hpp"\n#include "amble/mechanism/joints/spherical.hpp"\n')
    text = text.replace("    Spherical, ", "    Sliding,\n    Spherical, ")
    (joints / "list.hpp").write_text(text)
    flags = [word.replace(str(ROOT / "src"), str(tmp_path / "src")) for word in COMPILE]
    sources = [joints / "test/joint_laws_test.cpp", joints / "joint.cpp"]
    subprocess.run([*flags, *sources, "-o", tmp_path / "laws", "-lgtest", "-lgtest_main", "-lfmt"], check=True)
    done = subprocess.run([tmp_path / "laws"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
