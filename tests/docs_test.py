"""What the documentation shows works: Python blocks and commands run, the C++ of the dynamics pages holds, the
joint-type page is followed."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ["AMBLE_BUILD_DIR"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
COMPILE = ["g++", "-std=c++20", f"-I{ROOT / 'src'}", f"-I{BUILD / 'include'}", "-isystem", "/usr/include/eigen3"]
LINK = [f"-L{BUILD / 'lib'}", "-lamble", f"-Wl,-rpath,{BUILD / 'lib'}"]
DYNAMICS_PAGES = [page for area in ("dynamics", "coordinates", "constraints", "simulation", "integrators", "elements", "bonds",
                                    "recordings", "contact", "gaits", "riemann", "viewer", "curve-tracking", "stances")
                  for page in (ROOT / f"docs/{area}.md", *sorted((ROOT / f"docs/{area}").glob("*.md")))]


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


@pytest.mark.parametrize("page", DYNAMICS_PAGES, ids=lambda p: p.stem)
def test_a_page_on_dynamics_has_an_example_in_both_languages(page):
    assert blocks(page, "cpp") and blocks(page, "python")


def test_every_function_of_dynamics_is_in_the_table():
    included = re.findall(r'"(amble/dynamics/[^"]+)"', (ROOT / "src/amble/amble.hpp").read_text())
    headers = "".join((ROOT / "src" / name).read_text() for name in included)
    page = (ROOT / "docs/dynamics.md").read_text()
    names = set(re.findall(r"^[\w<>]+ (\w+)\(const Mechanism& mechanism", headers, re.M))
    assert len(names) > 20 and sorted(name for name in names if f"| `{name}`" not in page) == []


def program_of_pages():
    """Each block the body of a function, with compiler messages by the line of its page."""
    functions, calls = [], []
    for page in DYNAMICS_PAGES:
        text = page.read_text()
        for block in blocks(page, "cpp"):
            name = f"block_{len(functions)}"
            line = text[: text.index(block)].count("\n") + 1
            functions.append(f'void {name}() {{\n#line {line} "{page.relative_to(ROOT)}"\n{block}}}\n')
            calls.append(f"  {name}();\n")
    headers = ["amble/amble.hpp", "amble/dynamics/scalar_dynamics.hpp", "cassert", "filesystem", "iostream"]
    includes = "".join(f"#include <{header}>\n" for header in headers)
    return f"{includes}namespace {{\n{''.join(functions)}}}\nint main() {{\n{''.join(calls)}}}\n"


@pytest.mark.compile
def test_the_cpp_of_the_dynamics_pages_compiles_and_holds(tmp_path):
    source = tmp_path / "pages.cpp"
    source.write_text(program_of_pages())
    command = [*COMPILE, "-Wall", "-Werror", source, "-o", tmp_path / "pages", *LINK]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([tmp_path / "pages"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_commands_of_a_page_run(page):
    for line in "\n".join(blocks(page, "sh")).splitlines():
        words = line.split("#")[0].split()
        if words[:1] != ["./amble"] or words[1] not in ("inspect", "simulate", "bond", "doctor", "verify", "geometry"):
            continue
        done = subprocess.run([BUILD / "bin" / "amble", *words[1:]], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, line + "\n" + done.stderr


def bench(report, *words):
    command = [BUILD / "bin/amble", "bench", "--seconds", "0.001", "--json", *words]
    with report.open("w") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=True)
    return report


def test_the_tables_on_performance_are_made_from_the_benchmark(tmp_path):
    page = shutil.copy(ROOT / "docs/performance.md", tmp_path)
    before = Path(page).read_text().splitlines()
    reports = [bench(tmp_path / "robot.json", "--robot", "arm7"), bench(tmp_path / "growth.json", "--growth")]
    subprocess.run(["/usr/bin/python3", ROOT / "docs/performance_tables.py", *reports, page], check=True)
    after = Path(page).read_text().splitlines()
    changed = set(after) - set(before)
    assert len(changed) > 10 and all(line.startswith("| ") or "kernels;" in line for line in changed)
    assert [l for l in after if "inverse_dynamics" in l and "MuJoCo" not in l]


def test_the_reference_of_python_has_every_name_with_its_text(tmp_path):
    page = tmp_path / "python.md"
    subprocess.run(["/usr/bin/python3", ROOT / "docs/python_reference.py", page], env=PYTHON, check=True)
    sections = re.split(r"^### ", page.read_text(), flags=re.M)[1:]
    texts = {section.split("\n", 1)[0]: section.split("\n", 1)[1] for section in sections}
    public = re.findall(r"^(?:def|class) ([A-Za-z]\w*)", (ROOT / "python/amble/__init__.pyi").read_text(), re.M)
    assert len(set(public)) > 200 and [name for name in public if name not in texts] == []
    prose = {name: re.sub(r"^```.*?^```", "", text, flags=re.M | re.S) for name, text in texts.items()}
    assert [name for name, text in prose.items() if len(text.strip()) < 5] == []
    assert "M(q)" in texts["mass_matrix"] or "nv" in texts["mass_matrix"]


def test_the_page_on_verification_lists_every_entry_with_forty_published_values():
    listed = subprocess.run([BUILD / "bin/amble", "verify", "--list"], capture_output=True, text=True, check=True).stdout.split()
    rows = re.findall(r"^\| `([\w.-]+)` \| .* \| ([a-z ]+) \| \S+ \| [^|]+ \| \S+ \|$", (ROOT / "docs/verify.md").read_text(), re.M)
    assert [entry for entry, _ in rows] == listed, "run docs/verify_table.py again"
    assert [kind for _, kind in rows].count("published") >= 40


def test_the_table_of_verification_is_made_from_the_command(tmp_path):
    report = tmp_path / "verify.json"
    with report.open("w") as out:
        subprocess.run([BUILD / "bin/amble", "verify", "models", "--json"], stdout=out, check=True)
    page = Path(shutil.copy(ROOT / "docs/verify.md", tmp_path))
    subprocess.run(["/usr/bin/python3", ROOT / "docs/verify_table.py", report, page], check=True)
    kept = [line for line in (ROOT / "docs/verify.md").read_text().splitlines() if line.startswith("| `models.")]
    made = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    without_errors = lambda lines: [re.sub(r"\| [^|]+ (\| [^|]+ \|)$", r"\1", line) for line in lines]
    assert made and without_errors(made) == without_errors(kept)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)#:]+)\)", prose)
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda p: p.stem)
def test_a_python_example_runs(example):
    words = [str(ROOT / "models/quadruped.urdf")] if "load" in example.stem else []
    done = subprocess.run(["/usr/bin/python3", example, *words], env=PYTHON, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize("script", sorted(ROOT.glob("docs/pictures/*.py")), ids=lambda p: p.stem)
def test_a_picture_is_what_its_script_draws(script):
    draw = f"import runpy; print(runpy.run_path({str(script)!r})['picture'](), end='')"
    done = subprocess.run(["/usr/bin/python3", "-c", draw], env=PYTHON, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kept = script.with_name(script.stem.replace("_", "-") + ".svg").read_text()
    words = lambda svg: [(e.tag, e.text, e.get("class")) for e in ET.fromstring(svg).iter()]
    assert words(done.stdout) == words(kept)
    assert len(done.stdout) == pytest.approx(len(kept), rel=0.02)


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


# How many numbered equations each source has, by chapter where they are numbered so.
EQUATIONS = {"BK": {"": 38}, "ZB": {"": 31}, "AL": {"": 24}, "DS": {"2.": 111, "3.": 66, "4.": 41, "5.": 42, "A.": 33, "B.": 6}}


def equations_of(cell):
    """(source, number) of every equation in the first cell of a row, with all between the ends of a range."""
    found = set()
    for part in re.split(r", (?=(?:BK|ZB|DS|AL) )", cell):
        for first, last in re.findall(r"\(((?:[2-5AB]\.)?\d+)\)(?:-\(((?:[2-5AB]\.)?\d+)\))?", part):
            chapter, ends = first.rpartition(".")[0], [int(x.rpartition(".")[2]) for x in (first, last or first)]
            found |= {(part[:2], f"{chapter}.{n}" if chapter else str(n)) for n in range(ends[0], ends[1] + 1)}
    return found


def test_every_equation_of_the_sources_has_its_place():
    text = (ROOT / "docs/equations.md").read_text()
    cells = re.findall(r"^(?:\| |- )((?:BK|ZB|DS|AL) [^|:]*)", text, re.M)
    named = set().union(*(equations_of(cell) for cell in cells if "Kool" not in cell))
    expected = {(source, f"{chapter}{n}") for source, chapters in EQUATIONS.items()
                for chapter, count in chapters.items() for n in range(1, count + 1)}
    assert sorted(expected - named) == []
    assert sorted(named - expected) == []


def files_of_page(page):
    """The (name, content) pairs that a page announces with: File `name`:"""
    return re.findall(r"^File `([^`]+)`:\n```cpp\n(.*?)^```", page.read_text(), re.M | re.S)


JOINT_PAGE = ROOT / "docs" / "joint-types.md"


@pytest.mark.compile
def test_a_custom_joint_compiles_as_the_page_says(tmp_path):
    for name, content in files_of_page(JOINT_PAGE)[:2]:
        (tmp_path / name).write_text(content)
    subprocess.run([*COMPILE, tmp_path / "main.cpp", "-o", tmp_path / "main", *LINK], check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


@pytest.mark.compile
def test_a_joint_type_compiles_into_the_library_as_the_page_says(tmp_path):
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
    sources = [joints / "test/joint_laws_test.cpp", joints / "custom.cpp", joints / "joint.cpp"]
    subprocess.run([*flags, *sources, "-o", tmp_path / "laws", "-lgtest", "-lgtest_main", "-lfmt"], check=True)
    done = subprocess.run([tmp_path / "laws"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


if __name__ == "__main__":  # docs_test.py [MARKS]: those with these marks, as in pytest -m
    chosen = " ".join(sys.argv[1:])
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", "-W", "ignore", "-m", chosen]))
