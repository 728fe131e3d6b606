"""`amble walk`, `amble gait` and `amble table` as a user meets them."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"


def amble(*words, **options):
    return subprocess.run([str(AMBLE), *map(str, words)], capture_output=True, text=True, timeout=300, **options)


def report(*words, code=0, **options):
    done = amble(*words, "--json", **options)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def refused(*words):
    done = amble(*words)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("amble: error: ") and done.stderr.count("\n") == 1
    return done.stderr


def report_page(path):
    """A report without the viewer in it, and whether it has one."""
    page, viewers = re.subn(r"srcdoc='[^']*'", "", path.read_text())
    return page, viewers == 1


def test_walk_alone_finds_judges_and_walks_the_compass(tmp_path):
    done = amble("walk", cwd=tmp_path)
    assert done.returncode == 0 and "stable: the largest multiplier" in done.stdout and "walked 20 steps" in done.stdout
    page, has_viewer = report_page(tmp_path / "amble-out/walk_compass.html")
    assert page.count("<svg") == 4 and "no scuffing" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert has_viewer and "amble view amble-out/walk_compass.h5" in done.stdout
    seen = amble("view", "amble-out/walk_compass.h5", "--html", "w.html", "--glb", "w.glb", "--pictures", "p", cwd=tmp_path)
    assert seen.returncode == 0 and (tmp_path / "w.html").stat().st_size > 700000
    assert {p.stem for p in (tmp_path / "p").glob("*.png")} == {"stick-figures", "energy", "phase-portrait", "contact-forces"}


def test_where_a_walk_is_recorded(tmp_path):
    few = ["walk", "--starts", 100, "--steps", 2]
    out = report(*few, "--html", tmp_path / "w.html", "--pictures", tmp_path / "pictures")
    assert out["recording"] == str(tmp_path / "w.h5") and (tmp_path / "w.h5").exists()
    assert len(list((tmp_path / "pictures").glob("*.svg"))) == len(list((tmp_path / "pictures").glob("*.png"))) == 4
    assert report(*few, "-o", tmp_path, "--record", tmp_path / "w.csv")["recording"] == str(tmp_path / "w.csv")
    out = report(*few, "-o", tmp_path / "none", "--no-record")
    assert out["recording"] is None and not list((tmp_path / "none").glob("*.h5"))
    assert "w.xyz" in refused("walk", "--starts", 100, "--record", tmp_path / "w.xyz", "-o", tmp_path)


def test_the_json_of_a_walk(tmp_path):
    out = report("walk", "--set", "gravity=9.8", "--steps", 5, "--html", tmp_path / "w.html")
    gait = out["gait"]
    assert gait["period"] == pytest.approx(0.78279761708788, abs=1e-10) and gait["stable"] is True
    assert gait["initial"]["q"] == pytest.approx([0.29929446431878, -0.59858892863756], abs=1e-11)
    assert gait["initial"]["full"]["q"] == pytest.approx([0, 0, *gait["initial"]["q"]])
    assert len(gait["multipliers"]) == 3 and all(len(z) == 2 for z in gait["multipliers"])
    assert gait["effort"] == 0 and gait["cost_of_transport"] == pytest.approx(math.sin(math.radians(3)))
    assert out["walk"]["steps"] == 5 and not out["walk"]["fell"] and abs(out["walk"]["energy_residual"]) < 1e-11
    assert [a["name"] for a in out["assumptions"] if not a["holds"]] == ["no scuffing"]
    assert out["walker"] == "compass" and out["parameters"]["gravity"] == 9.8


def test_a_leg_that_scuffs_falls_when_asked(tmp_path):
    out = report("walk", "--scuffing", "detect", "-o", tmp_path, code=1)
    assert out["walk"]["fell"] and out["walk"]["steps"] == 0


def test_a_step_down(tmp_path):
    small = report("walk", "--set", "gravity=9.8", "--step-down", 0.01, "--steps", 30, "-o", tmp_path)
    assert not small["walk"]["fell"]
    assert report("walk", "--set", "gravity=9.8", "--step-down", 0.1, "-o", tmp_path, code=1)["walk"]["fell"]


def test_uphill_there_is_no_passive_gait(tmp_path):
    done = amble("walk", "--slope", "-2", "--starts", 60, cwd=tmp_path)
    assert done.returncode == 1 and "uphill" in done.stderr and "60 starts" in done.stderr
    done = amble("walk", "--slope", "0.05", "--steps", 2, cwd=tmp_path)
    assert "takes degrees" in done.stderr and "2.86479" in done.stderr


def test_level_ground_is_walked_with_actuators(tmp_path):
    out = report("walk", "--slope", 0, "--speed", 0.6, cwd=tmp_path)
    assert out["gait"]["speed"] == pytest.approx(0.6) and out["gait"]["multipliers"] is None
    assert out["gait"]["effort"] > 0 and abs(out["walk"]["energy_residual"]) < 1e-6


def test_the_report_of_a_walk_with_actuators(tmp_path):
    out = report("walk", "--slope", 0, "--speed", 0.6, "--steps", 4, "--html", tmp_path / "w.html")
    assert out["report"] == str(tmp_path / "w.html")
    page, has_viewer = report_page(tmp_path / "w.html")
    assert has_viewer and page.count("<svg") == 6 and "Torque over a step" in page and "Power over a step" in page and "nan" not in page
    assert "amble walk compass" in page and "--speed 0.6" in page


def test_foot_placement_of_the_point_mass(tmp_path):
    fixed, placed = (report("gait", "cycles", "pointmass3d", "--set", f"lateral_gain={gain}", "--starts", 40)["cycles"] for gain in (0, 0.3))
    assert len(fixed) == len(placed) == 1 and not fixed[0]["stable"] and placed[0]["stable"] and placed[0]["neutral"] == 1
    assert placed[0]["period"] == pytest.approx(0.321964534416, abs=1e-11) and len(placed[0]["initial"]["q"]) == 4
    assert placed[0]["energy_supplied"] == pytest.approx(placed[0]["energy_lost"], abs=1e-12)
    walked = report("walk", "pointmass3d", "--steps", 5, "--html", tmp_path / "w.html")
    assert walked["walk"]["steps"] == 5 and abs(walked["walk"]["energy_residual"]) < 1e-10


def test_search_draws_torque_against_angle(tmp_path):
    picture, curves = tmp_path / "torque.svg", tmp_path / "torque.csv"
    out = report("gait", "search", "compass", "--slope", 0, "--speed", 0.6, "--starts", 1, "--friction", 0.5, "--limit", "q4=-0.6:0.6", "--svg", picture, "--curves", curves)
    assert ET.parse(picture).getroot().tag.endswith("svg") and curves.read_text().startswith("coordinate,t,q,v,torque,power\n")
    assert {"stance foot stays down", "no scuffing"} <= {a["name"] for a in out["gait"]["assumptions"]}
    if shutil.which("rsvg-convert"):
        png = tmp_path / "cycles.png"
        report("gait", "continue", "rimless", "--parameter", "slope_deg", "--from", 5, "--to", 6, "--png", png)
        assert png.read_bytes().startswith(b"\x89PNG")


def test_cycles_continue_and_basin_of_the_wheel(tmp_path):
    cycles = report("gait", "cycles", "rimless", "--slope", 8, "--starts", 40)
    (gait,) = cycles["cycles"]
    speed = -math.sqrt(4 * 9.81 * math.sin(math.pi / 8) * math.sin(math.radians(8))) / math.tan(math.pi / 4)
    assert gait["initial"]["v"][0] == pytest.approx(speed, abs=1e-10) and gait["multipliers"][0] == pytest.approx([0.5, 0])
    assert list(cycles["region"]) == ["dangle"]
    picture = tmp_path / "b.svg"
    branches = report("gait", "continue", "rimless", "--parameter", "slope_deg", "--from", 6, "--to", 9, "--starts", 40, "--svg", picture)
    (branch,) = branches["branches"]
    assert branches["parameter"] == "slope_deg" and branch["bifurcations"] == []
    assert branch["points"][0]["value"] == pytest.approx(6) and branch["points"][-1]["value"] == pytest.approx(9)
    assert branch["points"][0]["gait"]["stable"] and ET.parse(picture).getroot().tag.endswith("svg")
    basin = report("gait", "basin", "rimless", "--slope", 8, "--starts", 40, "--cells", 200, "--region", "dangle=-2:0")
    assert basin["cells"] == 200 and basin["fraction"] == basin["converged"] / 200 and basin["volume"] is None


def test_search_and_codesign():
    out = report("gait", "search", "compass", "--set", "gravity=9.8", "--foot-speed", 0.5, "--speed", 0.9, "--starts", 2)
    assert out["objective"] == pytest.approx(0.0218338, rel=1e-5) and isinstance(out["others"], list) and out["status"]
    design = report("gait", "codesign", "compass", "--set", "gravity=9.8", "--foot-speed", 0.5, "--speed", 1.1, "--starts", 1,
                    "--free", "hip_stiffness=0:50", "--free", "hip_damping=0:5")
    assert design["parameters"]["hip_stiffness"] == pytest.approx(6.098, abs=2e-3)


def test_a_table_of_the_book():
    table = report("table", "4.2")
    assert len(table["rows"]) == len(table["book"]) == 5 and all(len(row) == len(table["columns"]) for row in table["rows"])
    # Recomputed independently: mH/mT = 3/3 and 5/1.
    assert table["rows"][2][2:] == pytest.approx([0.754954, 0.377477, 0.086241, 5.042, 1.5586], rel=2e-4)
    assert table["rows"][4][2:] == pytest.approx([0.833984, 0.416992, 0.076903, 4.218, 1.2379], rel=2e-4)


WALKERS = Path(__file__).resolve().parent.parent / "scenarios/walkers"


def test_a_walker_of_a_file_walks_as_the_one_that_comes_with_amble(tmp_path):
    own = report("walk", WALKERS / "kneed.toml", "--starts", 60, "--steps", 3, "-o", tmp_path)
    builtin = report("walk", "dribbel", "--starts", 60, "--steps", 3, "-o", tmp_path)
    assert own["walker"] == "kneed" and own["parameters"]["slope_deg"] == 3 and "left_shank_mass" in own["parameters"]
    for key in ("period", "step_length", "speed", "cost_of_transport"):
        assert own["gait"][key] == pytest.approx(builtin["gait"][key], abs=1e-9)
    for ours, theirs in zip(own["gait"]["multipliers"], builtin["gait"]["multipliers"], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-8)
    assert not own["walk"]["fell"] and abs(own["walk"]["energy_residual"]) < 1e-9
    assert (tmp_path / "walk_kneed.html").exists()


def test_a_walker_of_a_file_with_its_parameters():
    there = report("gait", "cycles", WALKERS / "compass.toml", "--starts", 200, "--set", "hip_stiffness=0.2", "--slope", 3)
    here = report("gait", "cycles", "compass", "--starts", 200, "--set", "hip_stiffness=0.2", "--slope", 3)
    assert there["cycles"] and here["cycles"][0]["period"] == pytest.approx(there["cycles"][0]["period"], abs=1e-9)
    assert list(there["region"]) == ["pitch", "dpitch", "dhip"] and there["cycles"][0]["footfalls"] == 1


def test_legs_that_differ_are_followed_from_legs_that_do_not():
    out = report("gait", "continue", WALKERS / "compass_stride.toml", "--parameter", "left_leg_mass", "--from", 3.5, "--to", 3.6,
                 "--starts", 200, "--step", 0.5, "--doublings", 0)
    ends = [branch["points"][-1] for branch in out["branches"]]
    assert ends and all(point["value"] == 3.6 and point["footfalls"] == 2 for point in ends)


def test_a_basin_of_a_walker_of_a_file():
    words = ["--starts", 200, "--cells", 27, "--most-steps", 30]
    step, stride = (report("gait", "basin", name, *words) for name in (WALKERS / "compass.toml", WALKERS / "compass_stride.toml"))
    assert step["cells"] == stride["cells"] == 27 and step["converged"] == stride["converged"]


def test_where_no_gait_exists_it_is_said_why(tmp_path):
    for words in (["walk", "compass", "--slope", -2, "-o", tmp_path], ["walk", WALKERS / "compass.toml", "--slope", -2, "-o", tmp_path]):
        done = amble(*words, "--starts", 40)
        assert done.returncode == 1 and "from 40 starts on a floor of -2 degrees; it goes uphill" in done.stderr
        assert "the closest step missed its own start by" in done.stderr or "most starts end as the walker" in done.stderr
    done = amble("gait", "cycles", WALKERS / "kneed.toml", "--slope", 0.0524, "--starts", 40)
    assert done.returncode == 1 and "0.0524 rad would be 3.00" in done.stderr
    done = amble("gait", "continue", "compass", "--parameter", "slope_deg", "--from", -1, "--to", 1, "--starts", 20)
    assert done.returncode == 1 and "there is no cycle at slope_deg = -1 to follow: " in done.stderr and "uphill" in done.stderr


SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
STEP = SCENARIOS / "step_down.toml"


def test_a_step_down_with_each_controller(tmp_path):
    runs = {name: report("simulate", STEP, "--set", "height=0.05", "--set", f"controller={name}", "-o", tmp_path / name, "--svg", code=code)
            for name, code in [("none", 1), ("pd", 1), ("port", 0)]}
    # Without control the stance foot lifts off in the end: then the force that would hold it down is none that a floor has.
    assert [c["name"] for c in runs["none"]["certificates"] if not c["holds"]] == ["contact forces"]
    assert all(c["holds"] for name in ("pd", "port") for c in runs[name]["certificates"])
    for out in runs.values():
        books = out["ledger"]
        assert abs(books["residual"]) < 1e-9 * books["exchanged"]
        delivered = sum(entry["delivered"] for entry in books["entries"])
        assert books["final"] - books["initial"] == pytest.approx(delivered - books["losses"], abs=1e-7)
        flat = next(c for c in out["checks"] if "flat" in c["name"])
        assert flat["holds"] and flat["value"] < 1e-6
    port = runs["port"]
    assert port["walk"]["steps"] == 20 and not port["walk"]["fell"] and 1 < port["walk"]["spent"] < 3
    laws = {entry["name"]: entry["delivered"] for entry in port["ledger"]["entries"]}
    assert abs(laws["nominal"]) < 1e-10 and abs(laws["asymptotic"]) < 1e-10 and laws["energy"] < -1
    assert runs["none"]["walk"]["fell"] and runs["none"]["walk"]["spent"] == 0 and runs["none"]["walk"]["failure"]
    pictures = {p.name for p in (tmp_path / "port").glob("*.svg")}
    assert pictures == {"step_down_energies.svg", "step_down_torques_q3.svg", "step_down_torques_q4.svg"}
    assert all(p.stat().st_size < 40000 for p in tmp_path.glob("*/*.svg"))
    recording = tmp_path / "port/step_down.h5"
    assert amble("view", recording, "--html", tmp_path / "v.html").returncode == 0 and (tmp_path / "v.html").stat().st_size > 700000
    assert report("simulate", "--replay", recording)["same"]


def test_controllers_side_by_side():
    words = ["gait", "step-down", "compass", "--set", "gravity=9.8", "--starts", 100, "--steps", 12, "--footfall", 4]
    out = report(*words, "--height", 0.06)
    assert [row["controller"] for row in out["controllers"]] == ["none", "pd", "port"] and out["footfall"] == 4
    one = {row["controller"]: row["results"][0] for row in out["controllers"]}
    assert not one["none"]["survived"] and one["none"]["failure"] and one["none"]["laws"] == {} and one["none"]["spent"] == 0
    assert one["port"]["survived"] and one["port"]["failure"] is None and one["port"]["spent"] > 0.5 and one["port"]["flat_spent"] < 1e-4
    assert set(one["port"]["laws"]) == {"nominal", "asymptotic", "potential", "energy"} and set(one["port"]["peak_torque"]) == {"q3", "q4"}
    assert all(r["flat_torque"] < 1e-6 and abs(r["energy_residual"]) < 1e-7 for r in one.values())
    table = amble(*words, "--height", 0.06).stdout.splitlines()
    assert [line.split()[0] for line in table[3:6]] == ["none", "pd", "port"] and table[5].endswith("walks on")
    sweep = report(*words, "--controller", "none", "--to", 0.06, "--by", 0.03)["controllers"][0]
    assert [r["survived"] for r in sweep["results"]] == [True, False, False] and sweep["sure"] == sweep["largest"] == 0
    assert amble(*words, "--slope", -2, "--height", 0).returncode == 1


def test_a_walk_under_a_controller(tmp_path):
    words = ["walk", "--set", "gravity=9.8", "--starts", 100, "--steps", 9, "--step-down", 0.04, "--footfall", 3]
    led = report(*words, "--controller", "port", "--gain", "port.energy_gain=2", "--html", tmp_path / "w.html")
    assert not led["walk"]["fell"] and led["walk"]["spent"] > 0.1 and abs(led["walk"]["energy_residual"]) < 1e-8
    assert report(*words, "--controller", "none", "--no-record", "-o", tmp_path, code=1)["walk"]["fell"]
    weak = report(*words, "--controller", "port", "--torque-limit", 0, "--no-record", "-o", tmp_path, code=1)
    assert weak["walk"]["fell"] and weak["walk"]["spent"] == 0
    assert amble("view", tmp_path / "w.h5", "--html", tmp_path / "v.html").returncode == 0


@pytest.mark.parametrize("name", ["push", "line", "path", "circle", "speed"])
def test_scenarios_of_foot_placement(name):
    out = report("simulate", SCENARIOS / f"foot_placement_{name}.toml", "--no-record")
    assert all(check["holds"] for check in out["checks"]) and abs(out["ledger"]["residual"]) < 1e-9 and out["recording"] is None


def test_foot_placement_without_feedback_falls():
    out = report("simulate", SCENARIOS / "foot_placement_push.toml", "--set", "gain=0", "--no-record", code=1)
    assert out["walk"]["fell"] and not out["checks"][0]["holds"] and out["checks"][1]["holds"]


@pytest.mark.parametrize("gain, stable, size", [(0.0, False, 1.502803774), (0.1, False, 1.226277905), (0.3, True, 0.675979), (0.5, True, 0.872685276)])
def test_multipliers_of_foot_placement(gain, stable, size):
    (cycle,) = report("gait", "cycles", "pointmass3d", "--set", f"lateral_gain={gain}", "--starts", 40)["cycles"]
    moduli = [abs(complex(*z)) for z in cycle["multipliers"]]
    moduli.remove(min(moduli, key=lambda m: abs(m - 1)))  # that of energy
    assert cycle["stable"] is stable and cycle["neutral"] == 1 and max(moduli) == pytest.approx(size, abs=1e-6)


def test_a_walk_by_a_motor(tmp_path):
    out = report("gait", "drive", "dribbel", "--duration", 4, "--svg", tmp_path / "angles.svg")["walk"]
    assert not out["fell"] and 0.35 < out["speed"] < 0.55 and out["peak_current"] < 8
    assert ET.parse(tmp_path / "angles.svg").getroot().tag.endswith("svg")
    fallen = report("gait", "drive", "dribbel", "--duration", 6, "--set", "set_point=0.9", code=1)["walk"]
    assert fallen["fell"] and fallen["failure"]
    maps = report("gait", "drive", "dribbel", "--sweep", "set_point=0.28:0.32:2", "--sweep", "proportional_gain=9:11:2", "--duration", 2,
                  "--svg", tmp_path / "map.svg")
    assert len(maps["walks"]) == 4 and maps["stable"] == 4 and maps["walks"][3]["values"] == [0.32, 11]
    own = report("gait", "drive", WALKERS / "dribbel_driven.toml", "--duration", 2)
    assert own["walker"] == "dribbel_driven" and not own["walk"]["fell"]


def test_a_searched_gait_is_walked_under_control(tmp_path):
    out = json.loads(amble("walk", "compass", "--slope", "0", "--speed", "0.6", "--controller", "port", "--step-down", "0.01", "--steps", "8",
                           "-o", tmp_path, "--json").stdout)
    assert out["walk"]["steps"] == 8 and not out["walk"]["fell"] and abs(out["walk"]["energy_residual"]) < 1e-8
    assert out["gait"]["stable"] and max(abs(complex(*m)) for m in out["gait"]["multipliers"]) < 0.3
    rows = json.loads(amble("gait", "step-down", "compass", "--slope", "0", "--speed", "0.6", "--height", "0.01", "--steps", "8", "--json").stdout)
    assert {r["controller"]: r["results"][0]["survived"] for r in rows["controllers"]} == {"none": False, "pd": False, "port": True}


@pytest.mark.parametrize("words, said", [
    (["simulate", STEP, "--set", "controller=prot"], "is 'prot', expected one of none, pd, port"),
    (["simulate", STEP, "--set", "height=-0.05"], "'world.steps[0].down': is -0.05, expected 0 or more"),
    (["simulate", STEP, "--set", "height=deep"], "not a finite number"),
    (["simulate", STEP, "--set", "controller.port.energy=1"], "controller 'port' has no parameter 'energy'"),
    (["simulate", STEP, "--set", "controller.port.transfer=-1"], "transfer of -1: expected a number, not negative"),
    (["simulate", STEP, "--set", "walker.parameters.leg_mas=1"], "did you mean 'leg_mass'"),
    (["simulate", SCENARIOS / "foot_placement_path.toml", "--set", "wavelength=-1"], "waves of -1 m"),
    (["walk", "--controller", "prot"], "prot not in {none,pd,port}"),
    (["walk", "--step-down", "-0.05"], "a step down of -0.05 m"),
    (["walk", "--step-down", "nan"], "a step down of nan m"),
    (["walk", "--controller", "pd", "--gain", "pd.stifness=1", "--starts", "100"], "did you mean 'stiffness'"),
    (["walk", "--controller", "pd", "--gain", "pd.stiffness=soft", "--starts", "100"], "'soft' is no number"),
    (["walk", "--controller", "pd", "--torque-limit", "-1", "--starts", "100"], "torque limit -1: expected 0 or more"),
    (["walk", "--gain", "pd.stiffness=1"], "--gain requires --controller"),
    (["walk", "--slope", "0", "--step-down", "0.01"], "expected a --controller that follows it"),
    (["walk", "--slope", "0", "--controller", "pd", "--foot-speed", "-1"], "the foot speed of a gait that is searched for is -1 m/s"),
    (["gait", "step-down", "--slope", "0", "--speed", "0.6", "--knee-bend", "nan"], "the knee bend of a gait that is searched for is nan rad"),
    (["walk", "dribbel", "--drive", "--speed", "0.5"], "--speed excludes --drive"),
    (["walk", "compass", "--drive"], "walker 'compass' has no drive"),
    (["gait", "step-down", "--controller", "prot"], "there is no controller 'prot' (did you mean 'port'?)"),
    (["gait", "step-down", "--height", "-0.01"], "a step down of -0.01 m"),
    (["gait", "step-down", "--from", "-0.01"], "expected --from of 0 or more"),
    (["gait", "step-down", "--by", "1e-9"], "are more than 10000"),
    (["gait", "step-down", "--to", "inf"], "are more than 10000"),
    (["gait", "step-down", "--gain", "pd.stiffness=-1", "--starts", "100"], "stiffness of -1"),
    (["gait", "step-down", "--footfall", "9", "--steps", "9", "--starts", "100"], "is over before what comes after footfall 9 is seen"),
    (["gait", "drive", "compass"], "walker 'compass' has no drive"),
    (["gait", "drive", "dribbel", "--set", "proportional_gain=-1"], "parameter 'proportional_gain' is -1: expected 0 or more"),
    (["gait", "drive", "dribbel", "--duration", "0"], "a walk of 0 s is asked for"),
    (["gait", "drive", "dribbel", "--duration", "3", "--from", "4"], "expected before its end"),
    (["gait", "drive", "dribbel", "--sweep", "set_point=1:2"], "is no axis of a sweep"),
    (["gait", "drive", "dribbel", "--figure", "sped", "--sweep", "set_point=0.2:0.3:2"], "a driven walk has no figure 'sped'"),
])
def test_what_is_wrong_about_control_is_told_in_a_line(words, said, tmp_path):
    assert said in refused(*words, *(["-o", tmp_path] if words[0] in ("walk", "simulate") else []))


@pytest.mark.parametrize("words, said", [
    (["walk", "nowhere.toml"], "nowhere.toml"),
    (["walk", WALKERS / "compass.toml", "--set", "left_leg_mas=1"], "did you mean 'left_leg_mass'"),
    (["walk", WALKERS / "compass.toml", "--set", "left_leg_mass=4"], "is not as its symmetry says"),
    (["walk", WALKERS / "compass.toml", "--set", "hip_damping=-1"], "the damping of 'hip' would be -1"),
    (["walk", WALKERS / "compass_stride.toml", "--starts", "200", "--step-down", "0.01"], "a step down needs a walker that returns after each step"),
    (["gait", "cycles", WALKERS / "compass.toml", "--region", "q3=0:1"], "a step starts with pitch, dpitch, dhip"),
    (["walk", "compas"], "did you mean 'compass'"),
    (["walk", "--set", "leg_mass"], "expected name=value"),
    (["walk", "--set", "leg_mass=heavy"], "expected a number"),
    (["walk", "--set", "leg_mas=1"], "did you mean 'leg_mass'"),
    (["walk", "--set", "leg_mass=-1"], "leg_mass"),
    (["gait", "cycles", "compass", "--region", "q3=1"], "name=lower:upper"),
    (["gait", "cycles", "compass", "--region", "q8=0:1"], "q8"),
    (["gait", "continue", "compass", "--parameter", "mass", "--from", "0", "--to", "1"], "no parameter 'mass'"),
    (["gait", "continue", "compass", "--parameter", "slope_deg", "--from", "3", "--to", "3"], "two different numbers"),
    (["gait", "search", "simplest"], "this one is given by formulas"),
    (["gait", "search", "dribbel", "--from", "rimless"], "they can from compass"),
    (["gait", "search", "compass", "--limit", "q9=0:1"], "no coordinate 'q9'"),
    (["gait", "search", "compass", "--limit", "q4"], "name=lower:upper"),
    (["gait", "search", "compass", "--friction", "-1"], "friction"),
    (["gait", "search", "compass", "--torque-cost", "0"], "not both 0"),
    (["walk", "pointmass3d", "--set", "swing_angle=0.3"], "swing_angle"),
    (["gait", "codesign", "compass", "--free", "leg_mass"], "name=lower:upper"),
    (["gait", "codesign", "compass", "--free", "leg_mass=1:2", "--tie", "hip_mass=7"], "hip_mass"),
    (["table", "9.9"], "TABLE"),
])
def test_what_is_wrong_is_told_in_a_line(words, said):
    assert said in refused(*words)


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))


PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="{mass}"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<dynamics damping="{damping}" friction="{friction}"/></joint></robot>"""


def test_identification_of_a_recorded_pendulum(tmp_path):
    (tmp_path / "real.urdf").write_text(PENDULUM.format(mass=1.0, damping=0.1, friction=0.05))
    (tmp_path / "guess.urdf").write_text(PENDULUM.format(mass=1.0, damping=0.0, friction=0.0))
    (tmp_path / "swing.toml").write_text(
        '[model]\nfile = "real.urdf"\n[initial.q]\npin = 1.5\n[simulation]\nduration = 1.5\ntolerance = 1e-12\ninterval = 0.05\n'
    )
    record = tmp_path / "swing.h5"
    assert amble("simulate", tmp_path / "swing.toml", "--record", record, cwd=tmp_path).returncode == 0
    words = ("gait", "identify", record, "--model", tmp_path / "guess.urdf", "--free")
    found = report(*words, "pin.damping,pin.friction")
    damping, friction = found["values"]
    assert found["converged"] and found["rank"] == 2 and found["unseen"] == []
    assert damping["name"] == "pin.damping" and damping["value"] == pytest.approx(0.1, abs=1e-6) and damping["start"] == 0
    assert friction["value"] == pytest.approx(0.05, abs=1e-6) and friction["interval"][0] <= friction["value"]
    text = amble(*words, "bob.mass,pin.damping,pin.friction")
    # Mass with all that hangs on it: a heavier pendulum with more damping swings the same, but for its own inertia, which is given.
    assert text.returncode == 0 and "3 of 3 directions are seen" in text.stdout and "pin.damping" in text.stdout
    scale = amble(*words, "bob.mass,bob.inertia,pin.damping,pin.friction")
    assert "not told by this motion alone" in scale.stdout and "the motion tells: pin.damping - 2 pin.friction" in scale.stdout
    assert "no joint 'pn'" in refused(*words, "pn.damping")
    assert "nothing is free" not in refused("gait", "identify", tmp_path / "none.h5", "--free", "pin.damping")
