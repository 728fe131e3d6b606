"""`amble bond` as a user meets it: what it prints, draws and refuses."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"
FILES = sorted((ROOT / "scenarios/bonds").glob("*.toml"))
SMALL = """[[element]]
name = "push"
type = "Se"
effort = 2
[[element]]
name = "mass"
type = "I"
inertance = 4
[[bond]]
from = "push"
to = "mass"
"""


def bond(*words, **options):
    return subprocess.run([str(AMBLE), "bond", *map(str, words)], capture_output=True, text=True, timeout=60, **options)


def report(*words):
    done = bond(*words, "--json")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return json.loads(done.stdout)


def refused(*words):
    done = bond(*words)
    assert done.returncode == 2 and done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("amble: error: "), done.stderr
    return lines[0]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_file_is_explained_drawn_and_its_books_close(path, tmp_path):
    r = report(path, "--svg", tmp_path / "graph.svg")
    assert list(r) == ["name", "causality", "states", "algebraic", "matrices", "simulation"]
    ledger = r["simulation"]["ledger"]
    assert abs(ledger["residual"]) < 1e-10 * ledger["exchanged"]
    for e in ledger["entries"]:
        gap = e["supplied"] - e["delivered"] - e["stored"] - e["dissipated"]
        assert abs(gap) < 1e-10 * ledger["exchanged"], e["name"]
    drawing = ET.parse(tmp_path / "graph.svg").getroot()
    assert drawing.tag.endswith("svg")
    words = {t.text for t in drawing.iter() if t.tag.endswith("text")}
    assert {b["from"] for b in r["causality"]["bonds"]} <= words
    text = bond(path).stdout
    assert text.startswith(f"causality of bond graph '{r['name']}'\n")
    for state in r["states"]:
        assert f"  {state['name']}' = {state['rate']}\n" in text
    assert "residual" in text


def test_the_circuits_matrices_and_equations_are_those_of_the_textbook():
    r = report(ROOT / "scenarios/bonds/rlc.toml", "--equations")
    assert "simulation" not in r
    assert [s["rate"] for s in r["states"]] == ["U - R*lambda/L - charge/C", "lambda/L"]
    assert r["matrices"]["J"] == [[0, -1], [1, 0]] and r["matrices"]["R"] == [[2, 0], [0, 0]]
    assert r["matrices"]["g"] == [[1], [0]]


def test_a_graph_without_simulation_is_simulated_when_asked(tmp_path):
    path, table = tmp_path / "small.toml", tmp_path / "small.csv"
    path.write_text(SMALL)
    assert "simulation" not in report(path)
    r = report(path, "--simulate", 3, "--record", table)
    assert r["simulation"]["final"]["p_mass"] == pytest.approx(6.0, abs=1e-12)
    rows = table.read_text().splitlines()
    assert rows[0] == "t,p_mass" and len(rows) == 102 and float(rows[-1].split(",")[1]) == pytest.approx(6.0)
    assert "--simulate SECONDS gives one" in refused(path, "--record", table)
    assert "more than 0" in refused(path, "--simulate", -1)


def test_a_conflict_names_both_sources_and_is_drawn(tmp_path):
    path, drawing = tmp_path / "two.toml", tmp_path / "two.svg"
    second = SMALL.replace('name = "mass"\ntype = "I"\ninertance = 4', 'name = "pull"\ntype = "Se"\neffort = 1')
    second = second.replace('to = "mass"', 'to = "node"') + '[[bond]]\nfrom = "pull"\nto = "node"\n[[element]]\nname = "node"\ntype = "0"\n'
    path.write_text(second)
    words = refused(path, "--svg", drawing)
    assert f"{path}: bond graph 'bond graph' has a causality conflict" in words
    assert "Se 'push' and Se 'pull' both set the effort" in words
    assert drawing.read_text().startswith("<svg")


STIFF = """[[element]]
name = "push"
type = "Se"
effort = 2
[[element]]
name = "line"
type = "1"
[[element]]
name = "mass"
type = "I"
inertance = 1
[[element]]
name = "damper"
type = "R"
resistance = 1e5
[[bond]]
from = "push"
to = "line"
[[bond]]
from = "line"
to = "mass"
[[bond]]
from = "line"
to = "damper"
[simulation]
duration = 1
"""


def test_a_stiff_graph_is_told_what_to_do_about_it(tmp_path):
    path = tmp_path / "stiff.toml"
    path.write_text(STIFF)
    done = bond(path, "--json")
    assert done.returncode == 0 and done.stderr.startswith("amble: note: the system is stiff") and "radau" in done.stderr
    assert json.loads(done.stdout)["simulation"]["final"]["p_mass"] == pytest.approx(2e-5, rel=1e-3)
    path.write_text(STIFF + 'integrator = "radau"\n')
    r = report(path)["simulation"]
    assert r["final"]["p_mass"] == pytest.approx(2e-5, rel=1e-3)
    assert abs(r["ledger"]["residual"]) < 1e-8 * r["ledger"]["exchanged"]
    path.write_text(STIFF + 'integrator = "radou"\n')
    assert f"{path}:27: 'simulation.integrator': is 'radou', expected one of rkmk45" in refused(path)
    path.write_text(STIFF + 'integrator = "variational"\n')
    assert f"{path}: an integrator that works with forces is asked for" in refused(path)


def test_bad_files_are_refused_with_the_nearest_key(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(SMALL + "dimensoin = 2\n")
    assert f"{path}:12: 'bond[0].dimensoin': is not a key that is known here (did you mean 'dimension'?)" in refused(path)
    assert "no such file" in refused(tmp_path / "nosuch.toml")


def test_without_graphviz_the_drawing_alone_is_refused(tmp_path):
    path = ROOT / "scenarios/bonds/rlc.toml"
    done = bond(path, "--svg", tmp_path / "x.svg", env={"PATH": "/nowhere"})
    assert done.returncode == 2 and "the Debian package graphviz has it" in done.stderr
    assert bond(path, env={"PATH": "/nowhere"}).returncode == 0


def test_the_motion_that_cannot_go_on_keeps_what_came_before(tmp_path):
    path = tmp_path / "stuck.toml"
    path.write_text(SMALL.replace("effort = 2", 'effort = "1/(1 - t)^2"'))
    done = bond(path, "--simulate", 2, "--json")
    assert done.returncode == 1 and "amble: error: " in done.stderr
    assert 0.5 < json.loads(done.stdout)["simulation"]["duration"] < 1.0


JUMPS = {"bungee.toml": (1.36732370, 5.471795), "bungee_distributed.toml": (-1.84445962, 5.575462)}


@pytest.mark.parametrize("name", JUMPS)
@pytest.mark.parametrize("way", ["block", "behaviour", "port-hamiltonian"])
def test_a_file_is_printed_and_run_by_each_representation(name, way):
    path = ROOT / "scenarios/bonds" / name
    r = report(path, "--as", way)
    assert list(r) == ["name", "representation", way, "simulation"] and r["representation"] == way
    lowest = r["simulation"]["lowest"]["height"]
    assert lowest["value"] == pytest.approx(JUMPS[name][0], abs=1e-7)
    assert lowest["t"] == pytest.approx(JUMPS[name][1], abs=1e-6)
    ledger = r["simulation"]["ledger"]
    assert abs(ledger["residual"]) < 1e-10 * ledger["exchanged"]
    assert f"lowest height: {lowest['value']:.9g}" in bond(path, "--as", way).stdout


def test_representations_refuse_what_they_cannot_say(tmp_path):
    motor = ROOT / "scenarios/bonds/battery_motor_joint.toml"
    assert "the behavioural representation is for graphs without one" in refused(motor, "--as", "behaviour")
    brake = ROOT / "scenarios/bonds/hydraulic_brake.toml"
    assert "no matrices J, R, g" in refused(brake, "--as", "port-hamiltonian")
    done = bond(motor, "--as", "blocks")
    assert done.returncode == 2 and "port-hamiltonian" in done.stderr
    path = tmp_path / "filter.toml"
    path.write_text(SMALL.replace('to = "mass"', 'to = "node"') + """[[element]]
name = "node"
type = "0"
[[element]]
name = "slip"
type = "R"
resistance = 2
[[element]]
name = "line"
type = "1"
[[element]]
name = "tank"
type = "C"
compliance = 1
[[bond]]
from = "node"
to = "mass"
[[bond]]
from = "node"
to = "line"
[[bond]]
from = "line"
to = "slip"
[[bond]]
from = "line"
to = "tank"
""")
    assert report(path, "--as", "port-hamiltonian", "--simulate", 1)["simulation"]["ledger"] is None
    assert "no ledger: " in bond(path, "--as", "port-hamiltonian", "--simulate", 1).stdout


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
