"""The command line as a user meets it: what it prints, what it refuses, with which exit code."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"
ROBOTS = Path(os.environ.get("AMBLE_ROBOTS", ROOT.parent / "shared" / "robots"))
URDFS = sorted(ROOT.glob("models/*.urdf")) + sorted(ROBOTS.glob("*.urdf"))


def amble(*words, timeout=60, **options):
    return subprocess.run([str(AMBLE), *map(str, words)], capture_output=True, text=True, timeout=timeout, **options)


def inspect(path, *words):
    done = amble("inspect", path, "--json", *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_inspect_legs_prints_what_was_found_in_80_columns():
    done = amble("inspect", "--legs", ROOT / "models/humanoid30.urdf")
    assert done.returncode == 0 and "left: 6 joints, 0.705 m from hip to sole, image of right" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    report = inspect(ROOT / "models/quadruped.urdf", "--legs")
    assert [leg["name"] for leg in report["legs"]] == ["left_front", "right_front", "left_hind", "right_hind"]
    assert report["refusal"] is None and report["mirror"]["front_left_knee"] == {"joint": "front_right_knee", "sign": 1.0}
    arm = amble("inspect", "--legs", ROOT / "models/arm7.urdf")
    assert arm.returncode == 1 and "cannot walk: no legs were found" in arm.stdout
    assert "--feet is for --legs" in refused("inspect", ROOT / "models/arm7.urdf", "--feet", ROOT / "README.md")


def refused(*words):
    """The one line that a bad call gets; nothing else is printed."""
    done = amble(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("amble: error: "), done.stderr
    return lines[0]


@pytest.mark.parametrize("path", URDFS, ids=lambda p: p.stem)
def test_inspect_agrees_with_the_urdf_itself(path):
    robot = ET.parse(path).getroot()
    report = inspect(path)
    links = [e.get("name") for e in robot.findall("link")]
    joints = {e.get("name"): e for e in robot.findall("joint")}
    mass = math.fsum(float(m.get("value")) for m in robot.findall("link/inertial/mass"))
    assert sorted(b["name"] for b in report["bodies"]) == sorted(links)
    assert {j["name"] for j in report["joints"]} == set(joints)
    assert report["mass"] == pytest.approx(mass, rel=1e-12)
    assert report["name"] == robot.get("name")
    for joint in report["joints"]:
        element = joints[joint["name"]]
        assert joint["type"] == element.get("type").replace("floating", "free")
        assert joint["parent"] == element.find("parent").get("link")
        assert joint["child"] == element.find("child").get("link")
        limit = element.find("limit")
        if joint["type"] in ("revolute", "prismatic") and "mimic" not in joint:
            assert joint["lower"] == [float(limit.get("lower", 0))]
            assert joint["upper"] == [float(limit.get("upper", 0))]
    moving = [j for j in joints.values() if j.get("type") != "fixed" and j.find("mimic") is None]
    assert report["nv"] == len(moving)


def test_inspect_saves_a_model_and_lists_what_the_format_cannot_say(tmp_path):
    done = amble("inspect", ROOT / "models/four_bar.sdf", "--save", tmp_path / "copy.urdf")
    assert done.returncode == 0 and (tmp_path / "copy.urdf").exists()
    assert "is left out: URDF has no loops" in done.stderr
    assert "base: " in done.stdout
    assert [b["type"] for b in inspect(tmp_path / "copy.urdf")["bases"]]


@pytest.mark.parametrize("path", URDFS, ids=lambda p: p.stem)
def test_a_floating_base_adds_six_freedoms_or_says_why_not(path):
    fixed = inspect(path)
    if fixed["bodies"][0]["name"] == "world":
        assert "fixes its root to the world" in refused("inspect", path, "--base", "floating")
        return
    floating = inspect(path, "--base", "floating")
    assert floating["nv"] == fixed["nv"] + 6 and floating["nq"] == fixed["nq"] + 7
    assert floating["joints"][0]["type"] == "free" and floating["joints"][0]["name"] == "root_joint"


@pytest.mark.parametrize("path", sorted(ROOT.glob("models/*")), ids=lambda p: p.name)
def test_every_model_of_ours_is_sound(path):
    report = inspect(path, "--strict")
    assert report["warnings"] == []
    assert report["mass"] > 0
    assert amble("inspect", path).returncode == 0


def test_one_mechanism_in_three_formats_is_the_same():
    folder = ROOT / "tests" / "formats"
    for other in ("arm.sdf", "arm.xml"):
        done = amble("inspect", folder / "arm.urdf", "--diff", folder / other)
        assert (done.returncode, done.stdout) == (0, "same mechanism\n"), other


def test_differences_are_named_and_give_exit_code_1(tmp_path):
    text = (ROOT / "tests/formats/arm.urdf").read_text()
    changed = tmp_path / "changed.urdf"
    changed.write_text(text.replace('mass value="2.0"', 'mass value="2.5"'))
    done = amble("inspect", ROOT / "tests/formats/arm.urdf", "--diff", changed)
    assert done.returncode == 1
    assert "total mass" in done.stdout and "body 'forearm' mass: [2] | [2.5]" in done.stdout


def test_mimic_free_gives_following_joints_a_coordinate(tmp_path):
    text = (ROOT / "tests/formats/arm.urdf").read_text()
    path = tmp_path / "mimic.urdf"
    path.write_text(text.replace('effort="5"/>', 'effort="5"/><mimic joint="shoulder" multiplier="-2" offset="0.1"/>'))
    assert inspect(path, "--mimic", "free")["nv"] == inspect(path)["nv"] + 1


def test_inertias_that_no_body_has_are_warned_of_and_refused_when_strict(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    warnings = inspect(path)["warnings"]
    assert len(warnings) == 1 and "body 'a'" in warnings[0] and "triangle inequality" in warnings[0]
    assert f"{path}:1: body 'a'" in refused("inspect", path, "--strict")


def write(path, data):
    path.write_bytes(data)
    return path


LAUGHS = b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="r"><link name="&b;"/></robot>'


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("empty.urdf", b"", "empty"),
        ("truncated.urdf", b'<robot name="r"><link name="a">', "truncated.urdf"),
        ("not_xml.urdf", b"hello", "not_xml.urdf"),
        ("other.xml", b"<html></html>", "html"),
        ("latin.urdf", b'<robot name="\xe9\xff"><link name="a"/></robot>', "UTF-8"),
        ("wide.urdf", '<robot name="r"/>'.encode("utf-16"), "UTF-16"),
        ("laughs.urdf", LAUGHS, "entit"),
        ("deep.urdf", b"<robot>" + b"<a>" * 100000 + b"</a>" * 100000 + b"</robot>", "nest"),
        ("zero.urdf", b'<robot name="r">\0</robot>', "NUL"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_that_are_no_models_get_one_clear_line(tmp_path, name, data, words):
    assert words.lower() in refused("inspect", write(tmp_path / name, data)).lower()


def test_a_file_of_100_mb_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "big.urdf"
    with open(path, "wb") as f:
        f.truncate(100_000_000)
    assert "big.urdf" in refused("inspect", path)


def test_missing_files_folders_and_wrong_words_are_refused(tmp_path):
    assert "nosuch.urdf: no such file" in refused("inspect", "nosuch.urdf")
    assert str(tmp_path) in refused("inspect", tmp_path)
    assert "did you mean 'inspect'" in refused("inspct", "x")
    assert "--flie" in refused("inspect", "x.urdf", "--flie", "3")
    assert "MODEL" in refused("inspect")
    assert "flying" in refused("inspect", "x.urdf", "--base", "flying")
    assert "did you mean 'models'" in refused("verify", "model")


def test_empty_names_are_refused_and_bad_words_are_told_the_good_ones():
    model = ROOT / "models/quadruped.urdf"
    assert "--diff: the name of the file is empty" in refused("inspect", model, "--diff", "")
    assert "MODEL: the name of the file is empty" in refused("inspect", "")
    assert "--base: x not in {from-file,fixed,floating} (see" in refused("inspect", model, "--base", "x")


@pytest.mark.parametrize("words", [["--strict"], ["--base", "fixed"], ["--mimic", "free"], ["--package-path", "."]])
def test_options_of_loading_are_refused_where_the_scenario_has_them(words):
    scenario, model = ROOT / "scenarios/quadruped_stand.toml", ROOT / "models/quadruped.urdf"
    assert "the scenario says how its model is loaded" in refused("inspect", scenario, *words)
    assert "the scenario says how its model is loaded" in refused("inspect", model, "--diff", scenario, *words)


@pytest.mark.parametrize("words", [["inspect", ROOT / "models/quadruped.urdf"], ["--help"], ["doctor", "--json"]])
def test_output_that_does_not_arrive_is_a_failure(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run([AMBLE, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "amble: error: cannot write the output\n")


def test_control_characters_of_names_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "escape.urdf"
    path.write_text('<robot name="r"><link name="a&#27;[31m"><inertial><mass value="x"/></inertial></link></robot>')
    assert "a\\x1B[31m" in refused("inspect", path)
    path.write_text('<robot name="r"><link name="a&#27;[31m"/><link name="b"/></robot>')
    shown = amble("inspect", path)
    assert shown.returncode == 0 and "\x1b" not in shown.stdout + shown.stderr and "a\\x1B[31m" in shown.stdout


STACK = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="1 2 3" quat="0.5 0.5 0.5 0.5"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <joint name="turn" pos="0.1 0.2 0.3" axis="0 0.6 0.8" ref="0.4" range="-1 1"/>
    <joint name="slide" type="slide" axis="1 0 0" ref="0.3" stiffness="5" springref="0.2"/>
    <site name="tip" pos="0 0 1"/>
    <body name="b" pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <joint name="follower" axis="0 0 1" range="-2 3" damping="0.7"/></body>
  </body></worldbody>
  <equality><joint joint1="follower" joint2="turn" polycoef="0 2 0 0 0"/>
    <connect name="pin" body1="b" body2="a" anchor="0 0 0"/></equality></mujoco>"""


def motion(joint, q):
    """X_FM of a joint with one axis."""
    X, axis = np.eye(4), np.array(joint["axis"])
    K = np.cross(np.eye(3), axis)  # K x = axis x x
    if joint["type"] == "prismatic":
        X[:3, 3] = q * axis
    else:
        X[:3, :3] = np.eye(3) + np.sin(q) * K + (1 - np.cos(q)) * K @ K
    return X


def test_json_is_enough_to_place_every_body(tmp_path):
    path = tmp_path / "stack.xml"
    path.write_text(STACK)
    report = inspect(path)
    q = {"turn": 0.4, "slide": 0.3}  # MuJoCo's ref: where the file draws the bodies
    placed = {"world": np.eye(4)}
    for joint in report["joints"]:
        mimic = joint.get("mimic")
        own = mimic["ratio"] * q[mimic["joint"]] + mimic["offset"] if mimic else q[joint["name"]]
        X = np.array(joint["pose"]) @ motion(joint, own) @ np.linalg.inv(joint["child_pose"])
        placed[joint["frame_child"]] = placed[joint["frame_parent"]] @ X
    turned = np.array([[0, 0, 1, 1], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]])  # quat: x to y to z to x
    assert placed["a"] == pytest.approx(turned, abs=1e-15)
    assert placed["b"][:3, 3] == pytest.approx((turned @ [0, 0, 1, 1])[:3], abs=1e-15)
    assert placed["b"][:3, :3] == pytest.approx(turned[:3, :3], abs=1e-15)


def test_json_tells_frames_in_between_frames_loops_springs_and_limits_of_followers(tmp_path):
    path = tmp_path / "stack.xml"
    path.write_text(STACK)
    report = inspect(path)
    turn, slide, follower = report["joints"]
    assert [turn["parent"], turn["child"], slide["parent"], slide["child"]] == ["world", "a", "world", "a"]
    assert turn["frame_child"] == slide["frame_parent"] == report["auxiliary_bodies"][0]["name"]
    assert report["auxiliary_bodies"] == [{"name": turn["frame_child"], "parent": "world", "joint": "turn"}]
    assert (slide["stiffness"], slide["reference"]) == ([5], [0.2])
    assert (follower["lower"], follower["upper"]) == ([-2], [3])
    assert (follower["damping"], follower["effort"]) == ([0.7], [None])
    assert np.array(report["frames"][0]["pose"])[:3, 3].tolist() == [0, 0, 1]
    pin = report["loops"][0]
    assert np.array(pin["pose_a"])[:3, 3].tolist() == [0, 0, 0]
    assert np.array(pin["pose_b"])[:3, 3] == pytest.approx([0, 0, 1], abs=1e-15)
    universal = next(j for j in inspect(ROOT / "models/rover.sdf")["joints"] if j["type"] == "universal")
    assert np.dot(universal["axis"], universal["axis2"]) == pytest.approx(0, abs=1e-15)
    bar = inspect(ROOT / "models/four_bar.sdf")["loops"][0]
    assert np.linalg.norm(bar["axis"]) == pytest.approx(1, abs=1e-15) and "pose_a" in bar


def test_help_and_version_are_there():
    assert "inspect" in amble("--help").stdout
    assert amble("inspect", "--help").returncode == 0
    assert amble("--version").stdout.startswith("amble ")


QUESTIONS = [line.split(" | ") for line in (ROOT / "tests/help_questions.txt").read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("question, answer", QUESTIONS, ids=lambda text: text.replace(" ", "-"))
def test_help_finds_the_right_place_first(question, answer):
    found = json.loads(amble("help", *question.split(), "--json").stdout)["found"]
    assert answer.lower() in found[0]["title"].replace("_", " ").lower(), [hit["title"] for hit in found]


def test_help_prints_at_most_80_columns_and_names_the_nearest_word():
    done = amble("help", "contact")
    assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 80
    assert "docs/" in done.stdout
    missed = amble("help", "fricton")
    assert missed.returncode == 2 and "did you mean 'friction'" in missed.stderr and missed.stderr.count("\n") == 1
    assert "walk" in amble("help").stdout


def test_completion_offers_commands_and_options():
    script = amble("completion").stdout
    ask = script + '\nCOMP_WORDS=(amble inspect --di); COMP_CWORD=2; _amble; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True)
    assert done.stdout.strip() == "--diff"
    done = subprocess.run(["bash", "-c", ask.replace("inspect --di", "bench --gro")], capture_output=True, text=True)
    assert done.stdout.strip() == "--growth"


def test_doctor_tells_versions_and_whether_the_build_is_optimised():
    report = json.loads(amble("doctor", "--json").stdout)
    assert report["libraries"]["Eigen"].startswith("3.")
    assert isinstance(report["optimised"], bool)
    assert amble("doctor").stdout.startswith("amble ")


def test_verify_models_passes_and_follows_the_schema():
    done = amble("verify", "models", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0 and report["failed"] == 0 and report["passed"] == len(report["entries"]) >= 8
    fields = {"id", "area", "source", "reference", "ours", "error", "tolerance", "kind", "pass", "seconds"}
    assert all(set(entry) == fields for entry in report["entries"])
    lines = amble("verify", "models").stdout.splitlines()
    count = len(report["entries"])
    assert len(lines) == count + 2 and lines[-1] == f"{count} passed, 0 failed"


def test_verify_dynamics_passes():
    done = amble("verify", "dynamics", "--json")
    report = json.loads(done.stdout)
    entries = report["entries"]
    assert done.returncode == 0 and [e["id"] for e in entries if not e["pass"]] == []
    assert report["passed"] == len(entries) == len({e["id"] for e in entries}) >= 60
    assert {e["area"] for e in entries} == {"dynamics"}
    assert {e["kind"] for e in entries} == {"closed form", "published", "two routes"}
    for e in entries:
        assert e["id"].startswith("dynamics.") and e["source"]
        assert e["error"] == abs(e["ours"] - e["reference"]) <= e["tolerance"] <= 1e-9


def test_verify_coordinates_passes():
    done = amble("verify", "coordinates", "--json")
    report = json.loads(done.stdout)
    entries = report["entries"]
    assert done.returncode == 0 and [e["id"] for e in entries if not e["pass"]] == []
    assert report["passed"] == len(entries) == len({e["id"] for e in entries}) >= 70
    assert {e["area"] for e in entries} == {"coordinates"}
    for chart in ("rpy", "xyz", "zyz", "quaternion", "matrix", "exponential", "mrp"):
        assert sum(e["id"].endswith("_" + chart) for e in entries) >= 8


HUMANOID = ROOT / "models/humanoid.urdf"


def test_the_humanoid_walks_by_whole_body_control(tmp_path):
    done = amble("walk", "humanoid", "--steps", 2, "--set", "step_length=0.15", "--json", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["walk"]["steps"] == 2 and not report["walk"]["fell"]
    assert report["gait"]["multipliers"] is None and report["gait"]["step_length"] == 0.15
    assert len(report["assumptions"]) == 5 and all(a["holds"] for a in report["assumptions"])
    with h5py.File(report["recording"]) as recording:
        assert recording.attrs["complete"]
    assert Path(report["report"]).read_text().startswith("<!")
    net, positive = report["gait"]["cost_of_transport"], report["gait"]["actuator_cost_of_transport"]
    assert 0 <= net < positive < 10  # slow and level: drives take back nearly all that they give
    leap = amble("walk", "humanoid", "--steps", 1, "--set", "step_length=2", "-o", tmp_path)
    assert leap.returncode == 2 and "no posture found" in leap.stderr
    slope = amble("walk", "humanoid", "--slope", 3, "-o", tmp_path)
    assert slope.returncode == 2 and "walks on level floors" in slope.stderr
    assert amble("walk", "humanoid", "--speed", 1, "-o", tmp_path).returncode == 2


def test_the_humanoid_is_as_its_file_says():
    report = inspect(HUMANOID)
    placed = {"pelvis": np.eye(4)}
    for joint in report["joints"]:
        placed[joint["child"]] = placed[joint["parent"]] @ np.array(joint["pose"])
    assert report["nv"] == 30 and report["mass"] == pytest.approx(60, abs=1e-9)
    sole, top = placed["left_foot"][2, 3] - 0.08, placed["head"][2, 3] + 0.18
    assert top - sole == pytest.approx(1.6, abs=1e-12) and sole == pytest.approx(-0.87, abs=1e-12)
    bodies = {b["name"]: b for b in report["bodies"]}
    joints = {j["name"]: j for j in report["joints"]}
    mirror = np.diag([1, -1, 1])
    for name in [n for n in bodies if n.startswith("left_")]:
        left, right = bodies[name], bodies[name.replace("left", "right")]
        assert left["mass"] == right["mass"]
        assert mirror @ left["com"] == pytest.approx(np.array(right["com"]), abs=1e-15)
        assert mirror @ left["inertia"] @ mirror == pytest.approx(np.array(right["inertia"]), abs=1e-12)
        assert mirror @ placed[name][:3, 3] == pytest.approx(placed[right["name"]][:3, 3], abs=1e-15)
        left, right = joints[left["joint"]], joints[right["joint"]]
        turned = left["axis"][1] == 0  # about x and z, mirror images turn the other way
        assert [right["lower"], right["upper"]] == ([[-left["upper"][0]], [-left["lower"][0]]] if turned
                                                    else [left["lower"], left["upper"]])


def bench(*words):
    done = amble("bench", "--json", "--seconds", "0.002", *words, timeout=600)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["complete"] and {"machine", "rows", "notes"} <= set(report)
    return report


@pytest.mark.bench
def test_bench_times_every_function_of_the_built_in_robots_and_follows_the_schema():
    rows = sum((bench("--area", area)["rows"] for area in ("dynamics", "constraints", "simulation")), [])
    assert {"area", "robot", "what", "library", "ns", "spread", "per_state_ns"} <= set(rows[0])
    assert {row["robot"] for row in rows if row["area"] == "dynamics"} == {"humanoid", "quadruped", "arm7"}
    functions = [{row["what"] for row in rows
                  if (row["area"], row["robot"], row["library"]) == ("dynamics", robot, "amble")}
                 for robot in ("humanoid", "quadruped", "arm7")]
    charts = {f"chart_{what} ({chart})" for what in ("forward", "inverse", "mass_matrix", "M_and_N")
              for chart in ("quaternion", "rpy")}
    assert functions[0] == functions[1] == functions[2] | charts and not functions[2] & charts
    assert {"forward_kinematics", "inverse_dynamics", "forward_dynamics", "mass_matrix"} <= functions[0]
    assert len({(r["robot"], r["what"], r["library"], r["states"]) for r in rows}) == len(rows)
    for row in rows:
        assert 1 < row["fastest_ns"] <= row["ns"] < 1e9 and 0 <= row["spread"]
        assert row["per_state_ns"] == pytest.approx(row["ns"] / row["states"], rel=1e-12)
        assert set(row.get("core", [])) <= functions[2]
        assert ("core" in row) == (row["what"] in {"hamiltonian_rates", *charts})


@pytest.mark.bench
def test_bench_stands_robots_on_their_lowest_limbs_or_on_those_named():
    report = bench("--area", "constraints")
    rows = {(row["robot"], row["what"]) for row in report["rows"]}
    for robot, feet in (("humanoid", "2 feet"), ("quadruped", "4 feet"), ("arm7", "1 foot")):
        for what in ("constrained_dynamics", "constrained_dynamics_derivatives", "impact"):
            assert (robot, f"{what} ({feet})") in rows
    assert {row["area"] for row in report["rows"]} == {"constraints"}
    named = bench("--area", "constraints", "--robot", "quadruped", "--feet", "front_left_foot,rear_right_foot")
    assert any("feet: front_left_foot, rear_right_foot, all six directions" in note for note in named["notes"])
    assert "constrained_dynamics (2 feet)" in {row["what"] for row in named["rows"]}
    assert "no_foot" in refused("bench", "--area", "constraints", "--robot", "quadruped", "--feet", "no_foot")


CLOSED = ["four_bar", "n_four_bar_10", "n_four_bar_40", "stewart_platform"]


@pytest.mark.bench
@pytest.mark.parametrize("mechanism", CLOSED)
def test_bench_closes_loops_by_three_methods_and_beside_simbody(mechanism):
    report = bench("--area", "constraints", "--robot", mechanism)
    forms = ["loops"] if mechanism == "stewart_platform" else ["loops", "points on axes"]
    ours = {row["what"] for row in report["rows"] if row["library"] == "amble"}
    assert ours == {f"constrained_dynamics ({form}{method})" for form in forms
                    for method in ("", ", pseudo_velocities", ", reduced_momenta")}
    assert not [note for note in report["notes"] if "differs" in note]
    if not any(note.startswith("Simbody: not installed") for note in report["notes"]):
        theirs = {row["what"] for row in report["rows"] if row["library"] == "Simbody"}
        assert theirs == {f"constrained_dynamics ({form})" for form in forms}


@pytest.mark.bench
def test_bench_measures_closed_mechanisms_with_the_constraints_only():
    rows = bench("--robot", "four_bar")["rows"]
    assert {row["area"] for row in rows} == {"constraints"} and {row["robot"] for row in rows} == {"four_bar"}


@pytest.mark.bench
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_peer_is_timed_because_it_computes_the_same(base):
    # Rows of a peer are there only when its results agree with ours; MuJoCo is always built in.
    report = bench("--area", "dynamics", "--robot", "humanoid", "--base", base)
    compared = {row["what"] for row in report["rows"] if row["library"] == "MuJoCo"}
    assert {"inverse_dynamics", "mass_matrix", "forward_dynamics"} <= compared
    assert not [note for note in report["notes"] if "differs" in note]


@pytest.mark.bench
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("path", URDFS, ids=lambda p: p.stem)
def test_every_peer_computes_the_same_on_every_robot(path, base):
    if base == "floating" and inspect(path)["bodies"][0]["name"] == "world":
        pytest.skip("the file fixes it to the world")
    if base == "fixed" and not inspect(path)["joints"]:
        pytest.skip("nothing in it can move then")
    report = bench("--area", "dynamics", "--robot", path, "--base", base, "--mimic", "free")
    assert not [note for note in report["notes"] if "differs" in note]
    compared = {(row["library"], row["what"]) for row in report["rows"]}
    functions = ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
    assert compared >= {("MuJoCo", what) for what in functions}
    if not any(note.startswith("DART: ") for note in report["notes"]):  # which say that it is not here
        assert compared >= {("DART", what) for what in [*functions, "bias_forces", "gravity_forces"]}


@pytest.mark.bench
def test_what_a_peer_does_not_have_is_a_note(tmp_path):
    report = bench("--robot", ROOT / "models/hopper.xml")
    assert {row["library"] for row in report["rows"]} == {"amble"}
    assert any(note.startswith("hopper: MuJoCo: ") for note in report["notes"])
    path = tmp_path / "mimic.urdf"
    text = (ROOT / "tests/formats/arm.urdf").read_text()
    path.write_text(text.replace('effort="5"/>', 'effort="5"/><mimic joint="shoulder" multiplier="-2"/>'))
    assert any("follows another" in note for note in bench("--robot", path)["notes"])


@pytest.mark.bench
@pytest.mark.parametrize("robot, motions", [("humanoid", ["standing", "lying"]), ("stack_5x5x5", ["standing"])])
def test_bench_measures_contact_as_well_as_its_time_beside_mujoco(robot, motions):
    report = bench("--area", "contact", "--robot", robot)
    rows = {(row["library"], row["what"]): row for row in report["rows"]}
    for motion in motions:
        ours, theirs = (rows[library, f"step of 1 ms, {motion}"] for library in ("amble", "MuJoCo"))
        for row in (ours, theirs):
            assert row["contacts"] > 3 and row["penetration_m"] >= 0 and row["cone_violation"] >= 0
            assert row["drift_mps"] >= 0 and row["friction_error"] >= row["cone_violation"]
        assert ours["penetration_m"] < 1e-2 * theirs["penetration_m"]
        assert ours["drift_mps"] < 1e-9 and ours["friction_error"] < 1e-8
    if robot == "humanoid":
        assert rows["amble", "1 s of falling in steps of 1 ms"]["residual"] < 1e-8
    assert {row["robot"] for row in report["rows"]} == {robot} and {row["area"] for row in report["rows"]} == {"contact"}


@pytest.mark.bench
def test_the_table_of_bench_has_a_line_for_each_function():
    done = amble("bench", "--robot", ROOT / "models/quadruped.urdf", "--seconds", "0.002")
    assert done.returncode == 0
    line = next(line for line in done.stdout.splitlines() if line.startswith("  inverse_dynamics "))
    assert line.count("±") >= 2 and "x" in line
    assert "quadruped   12 joints, nv 12, 10.2 kg" in done.stdout
    assert re.search(r"\n  hamiltonian_rates .*% +[0-9.]+x forward_dynamics\n", done.stdout)


@pytest.mark.bench
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_cost_grows_as_the_number_of_bodies():
    report = bench("--growth", "--area", "dynamics", "--instructions")
    if any("instructions are not counted" in note for note in report["notes"]):  # sanitizers do not run there
        return
    cost = {(row["robot"], row["what"]): row["instructions"] for row in report["rows"]}
    for shape in ("chain", "tree"):
        for what in ("forward_kinematics", "inverse_dynamics", "forward_dynamics"):
            ratio = cost[f"{shape} of 1000", what] / cost[f"{shape} of 100", what]
            assert 9 < ratio < 11, (shape, what, ratio)  # linear is 10, quadratic would be 100


@pytest.mark.bench
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_bench_counts_instructions_and_finds_no_allocation_of_ours():
    report = bench("--robot", "arm7", "--instructions")
    ours = [row for row in report["rows"] if row["library"] == "amble"]
    if not any("instructions are not counted" in note for note in report["notes"]):  # sanitizers do not run there
        assert all(row["instructions"] > 100 for row in ours)
        # Tensors of curvature and lifts are results of their own, not made for a control loop.
        assert all(row["allocations"] == 0 for row in ours if row["area"] != "geometry")
        cost = {row["what"]: row["instructions"] for row in ours}
        assert cost["forward_dynamics"] > cost["inverse_dynamics"] > 7 * 100


@pytest.mark.bench
def test_bench_refuses_wrong_robots_areas_and_times(tmp_path):
    assert "nosuch.urdf: no such file" in refused("bench", "--robot", "nosuch.urdf")
    assert "did you mean 'dynamics'" in refused("bench", "--area", "dynamic")
    assert "--seconds is -1" in refused("bench", "--seconds", "-1")
    assert "--seconds is nan" in refused("bench", "--seconds", "nan")
    assert "--seconds" in refused("bench", "--seconds", "soon")
    assert "--growth" in refused("bench", "--growth", "--robot", "arm7")
    path = tmp_path / "stone.urdf"
    path.write_text('<robot name="stone"><link name="a"/></robot>')
    assert "nothing in it can move" in refused("bench", "--robot", path)


@pytest.mark.bench
def test_bench_ends_cleanly_on_ctrl_c():
    pipe = subprocess.PIPE
    done = subprocess.Popen([AMBLE, "bench", "--json", "--seconds", "60"], stdout=pipe, stderr=pipe)
    done.stderr.readline()  # the first robot has begun
    done.send_signal(signal.SIGINT)
    report = json.loads(done.communicate(timeout=30)[0])
    assert (done.returncode, report["complete"], report["rows"]) == (130, False, [])


def test_a_scenario_is_inspected_with_its_start():
    report = inspect(ROOT / "scenarios/quadruped_stand.toml")
    assert report["nv"] == 18 and report["initial"]["q"][2] == 0.4
    assert amble("inspect", ROOT / "scenarios/quadruped_stand.toml").returncode == 0


SNAKEBOARD = ROOT / "scenarios/snakeboard.toml"
PENDULUM = """
[model]
file = "%s"
[initial.q]
{joint} = 0.5
[simulation]
duration = 0.5
interval = 0.1
"""


def pendulum(tmp_path, more=""):
    """A scenario of a double pendulum, let go."""
    model = ROOT / "models/double_pendulum.urdf"
    path = tmp_path / "pendulum.toml"
    path.write_text((PENDULUM % model).format(joint=inspect(model)["joints"][0]["name"]) + more)
    return path


def simulate(path, *words):
    chosen = {"--record", "-o"} & {str(word) for word in words}
    done = amble("simulate", path, "--json", *words, *([] if chosen else ["--no-record"]))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return json.loads(done.stdout)


def test_simulate_follows_the_schema_and_the_books_close():
    report = simulate(SNAKEBOARD)
    assert list(report) == ["duration", "events", "final", "ledger", "checks", "certificates", "recording"]
    assert {c["name"] for c in report["certificates"]} >= {"manifold"} and all(c["holds"] for c in report["certificates"])
    assert report["duration"] == pytest.approx(4 * math.pi, rel=1e-15) and report["events"] == []
    assert [len(report["final"][x]) for x in ("q", "v")] == [5, 5]
    ledger = report["ledger"]
    assert list(ledger) == ["initial", "final", "entries", "losses", "exchanged", "residual"]
    assert [e["name"] for e in ledger["entries"]] == ["torso", "steering", "constraints", "integrator"]
    for e in ledger["entries"]:
        assert list(e) == ["name", "supplied", "delivered", "stored", "dissipated"]
        assert e["supplied"] == pytest.approx(e["delivered"] + e["stored"] + e["dissipated"], abs=1e-9)
    gained = ledger["final"] - ledger["initial"]
    delivered = sum(e["delivered"] for e in ledger["entries"])
    assert ledger["residual"] == pytest.approx(gained - delivered + ledger["losses"], abs=1e-12)
    assert abs(ledger["residual"]) < 1e-8 < delivered <= ledger["exchanged"]
    assert [list(c) for c in report["checks"]] == [["name", "holds", "value"]] * 2
    assert all(c["holds"] for c in report["checks"]) and report["checks"][1]["value"] == report["final"]["v"][0]


def test_simulate_tells_people_the_same():
    report, done = simulate(SNAKEBOARD), amble("simulate", SNAKEBOARD, "--no-record")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert re.match(r"snakeboard: 12\.5664 s simulated in [0-9.]+ s, \d+ steps", lines[0])
    assert lines[1].split() == ["energy", "(J)", "supplied", "delivered", "stored", "dissipated"]
    torso = lines[2].split()
    assert torso[0] == "torso"
    assert float(torso[2]) == pytest.approx(report["ledger"]["entries"][0]["delivered"], rel=1e-5)
    assert any(line.startswith("residual ") and line.endswith(" J exchanged") for line in lines)
    assert [line.split(":")[0] for line in lines if line.endswith(" at most)")] == [c["name"] for c in report["certificates"]]
    assert [line.split()[0] for line in lines[-2:]] == ["ok", "ok"]


def test_set_takes_the_place_of_what_the_file_says():
    report = simulate(SNAKEBOARD, "--set", "simulation.duration=7.0", "--set", "model.parameters={torso_mass=2.0}")
    assert report["duration"] == 7.0
    assert report["final"] != simulate(SNAKEBOARD, "--set", "simulation.duration=7.0")["final"]
    assert "did you mean 'duration'" in refused("simulate", SNAKEBOARD, "--set", "simulation.duraton=3")
    assert "KEY=VALUE" in refused("simulate", SNAKEBOARD, "--set", "simulation.duration")
    wrong = refused("simulate", SNAKEBOARD, "--set", "simulation.duration=inf")
    assert wrong == ("amble: error: setting 'simulation.duration=inf': 'simulation.duration': "
                     "has something that is not a finite number")


def test_an_integrator_that_does_not_take_the_elements_is_refused_before_the_run():
    for scenario, integrator, words in [("box_stack", "rkmk45", "expected integrator \"time_stepping\""),
                                        ("rolling_ball", "time_stepping", "'ground' asks for forces at an instant")]:
        path = ROOT / f"scenarios/{scenario}.toml"
        wrong = refused("simulate", path, "--no-record", "--set", f"simulation.integrator={integrator}")
        assert str(path) in wrong and words in wrong


def test_record_writes_a_table_of_the_motion(tmp_path):
    table = tmp_path / "board.csv"
    report = simulate(SNAKEBOARD, "--record", table)
    with table.open() as f:
        names = f.readline().strip().split(",")
    rows = np.genfromtxt(table, delimiter=",", skip_header=1)
    assert names[0] == "t" and {"q:board.x", "q:front", "v:torso", "kinetic"} <= set(names)
    assert rows[0, 0] == 0 and rows[-1, 0] == report["duration"] and len(rows) == 630
    last = dict(zip(names, rows[-1]))
    assert [last[n] for n in names if n.startswith("q:")] == report["final"]["q"]
    assert [last[n] for n in names if n.startswith("v:")] == report["final"]["v"]
    assert last["kinetic"] + last["potential"] == pytest.approx(report["ledger"]["final"], rel=1e-12)
    done = amble("simulate", SNAKEBOARD, "--record", tmp_path / "nosuch/board.csv")
    assert done.returncode in (1, 2) and "nosuch" in done.stderr and done.stderr.count("\n") == 1


def test_a_check_that_does_not_hold_gives_exit_code_1(tmp_path):
    path = pendulum(tmp_path, '[[checks]]\nname = "it gains"\nquantity = "energy_change"\nabove = 1.0\n')
    done = amble("simulate", path, "--json", "--no-record")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and done.stderr == ""
    assert report["checks"][0]["name"] == "it gains" and report["checks"][0]["holds"] is False
    assert amble("simulate", path, "--no-record").stdout.splitlines()[-1].startswith("FAIL  it gains: ")


def test_the_bungee_jump_is_safe_with_a_lumped_rope_and_not_with_a_distributed_one():
    lumped = simulate(ROOT / "scenarios/bungee_lumped.toml")
    distributed = simulate(ROOT / "scenarios/bungee_distributed.toml")
    assert all(c["holds"] for c in lumped["checks"] + distributed["checks"])
    assert "hits the ground" not in [e["name"] for e in lumped["events"]]
    assert "hits the ground" in [e["name"] for e in distributed["events"]]


STIFF = """[model]
builtin = "bungee"
parameters = { segments = 1, rope_mass = 0.0, damping = 1e6 }
[simulation]
duration = 1.0
tolerance = 1e-6
"""


def test_a_stiff_run_is_told_what_to_do_about_it(tmp_path):
    path = tmp_path / "stiff.toml"
    path.write_text(STIFF)
    note = amble("simulate", path, "--json", "--no-record").stderr
    assert note.startswith("amble: note: the system is stiff") and "radau" in note
    done = amble("simulate", path, "--set", "simulation.integrator=radau", "--json", "--no-record")  # a word without quotes
    assert done.returncode == 0 and done.stderr == ""
    done = amble("simulate", path, "--set", "simulation.integrator=radou", "--json", "--no-record")
    assert done.returncode == 2 and "did you mean 'radau'" in done.stderr


def test_a_world_is_read_and_what_is_wrong_with_it_told(tmp_path):
    path = tmp_path / "jump.toml"
    jump = (ROOT / "scenarios/bungee_lumped.toml").read_text().split("[[checks]]")[0]
    path.write_text(jump + '[world.ground]\ntype = "plane"\nheight = 10.0\n')
    assert "hits the ground" in [e["name"] for e in simulate(path)["events"]]
    path.write_text(jump + '[world.ground]\ntype = "stairs"\nlength = -1.0\nrize = 0.1\n')
    error = amble("simulate", path, "--no-record").stderr
    assert "step length of -1" in error and "did you mean 'rise'" in error


def test_elements_of_a_scenario_are_in_the_books(tmp_path):
    joint = inspect(ROOT / "models/double_pendulum.urdf")["joints"][0]["name"]
    path = pendulum(tmp_path, f'[[elements]]\ntype = "joint_damper"\njoint = "{joint}"\ndamping = 0.5\n')
    ledger = simulate(path)["ledger"]
    damper = ledger["entries"][-1]
    assert damper["dissipated"] == pytest.approx(-damper["delivered"], rel=1e-6) and damper["dissipated"] > 0
    assert ledger["final"] - ledger["initial"] == pytest.approx(damper["delivered"], abs=1e-7)


def test_a_scenario_that_cannot_be_is_refused_in_one_line(tmp_path):
    assert "nosuch.toml: no such file" in refused("simulate", "nosuch.toml")
    assert "models" in refused("simulate", ROOT / "models")
    path = tmp_path / "wrong.toml"
    for text, words in [
        ("[model]\nbuiltin = 'snakeboard'\n[simulation]\nduraton = 1\n", "wrong.toml:4: .*duraton.*'duration'"),
        ("[model]\nbuiltin = 'snakebord'\n", "did you mean 'snakeboard'"),
        ("[model]\nfile = 'nosuch.urdf'\n", "nosuch.urdf"),
        ("[model\n", "wrong.toml:1"),
        ("[model]\nbuiltin = 'snakeboard'\nparameters = { torso_mass = -1.0 }\n", "wrong.toml: .*inertia -0.25"),
        ("[model]\nbuiltin = 'snakeboard'\n[simulation]\nintegrator = 'variational'\n", "wrong.toml: .*constraints.*expected"),
        ("[model]\nbuiltin = 'snakeboard'\n[initial.v]\nfront = nan\n", "wrong.toml:4: 'initial.v.front'.*not a finite"),
        ("[model]\nbuiltin = 'snakeboard'\n[[checks]]\nquantity = 'v:bord.x'\nabove = 1\n", "'bord.x'.*'board.x'"),
    ]:
        path.write_text(text)
        assert re.search(words, refused("simulate", path)), words


def test_a_negative_mass_is_told_as_such_when_it_is_to_move(tmp_path):
    model = tmp_path / "negative.urdf"
    model.write_text(re.sub(r'<mass value="[^"]*"', '<mass value="-1"', (ROOT / "models/double_pendulum.urdf").read_text()))
    path = tmp_path / "negative.toml"
    path.write_text(f'[model]\nfile = "{model}"\n')
    done = amble("simulate", path, "--no-record")
    joint = inspect(model)["joints"][0]["name"]
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"joint '{joint}' moves a negative mass or inertia" in done.stderr
    path.write_text(f'[model]\nfile = "{model}"\nstrict = true\n')
    assert re.search(r"negative\.urdf:\d+: body .*mass -1 kg is negative", refused("simulate", path))


CHECKED = '[[checks]]\nquantity = "energy_change"\nabove = -1.0\n'


def test_a_motion_that_cannot_go_on_keeps_what_was_recorded_and_judges_nothing(tmp_path):
    path, table = pendulum(tmp_path, CHECKED), tmp_path / "motion.csv"
    joint = inspect(ROOT / "models/double_pendulum.urdf")["joints"][0]["name"]
    force = f'[[elements]]\ntype = "sine_force"\njoint = "{joint}"\nfrequency = 1\namplitude = 1e17\n'
    path.write_text(path.read_text() + force)
    done = amble("simulate", path, "--json", "--record", table)
    assert done.returncode == 1 and done.stderr.startswith("amble: error: ") and done.stderr.count("\n") == 1
    report = json.loads(done.stdout)
    assert 0 <= report["duration"] < 0.5 and report["ledger"]["final"] is not None
    assert len(table.read_text().splitlines()) >= 2
    assert [(c["name"], c["holds"]) for c in report["checks"]] == [("energy_change", None)]
    lines = amble("simulate", path, "--no-record").stdout.splitlines()
    value = f"{report['checks'][0]['value']:.9g}"
    assert lines[-1] == f"--    energy_change: {value} so far, not judged" and not [x for x in lines if x.startswith("ok")]


ENDLESS_RUNS = [  # settings, and what is said of them
    ((10.0, "simulation.interval=1e-32"), "'simulation.interval' is 1e-32 s: the number of rows in 10 s is 1e+33; at most 1e+07 (limit 'rows')"),
    ((10.0, "simulation.integrator='rkmk4'", "simulation.step=1e-9"),
     "'simulation.step' is 1e-09 s: the number of steps in 10 s is 1e+10; at most 1e+09 (limit 'steps')"),
    ((1.0, "world.gravity=[0, 0, -2e9]"), "'world.gravity': a number is -2e+09 m/s^2; at most 1e+06 m/s^2 (limit 'acceleration')"),
    ((1e300,), "'simulation.duration': a number is 1e+300 s; at most 1e+10 s (limit 'time')"),
]


@pytest.mark.parametrize("numbers, words", ENDLESS_RUNS, ids=["interval", "step", "gravity", "duration"])
def test_a_run_without_end_is_refused_in_one_sentence(tmp_path, numbers, words):
    settings = [f"simulation.duration={numbers[0]}", *numbers[1:]]
    path = pendulum(tmp_path, "[world]\ngravity = [0, 0, -9.81]\n")
    line = refused("simulate", path, *(word for s in settings for word in ("--set", s)), "-o", tmp_path / "out")
    assert line.endswith(words), line
    assert not list((tmp_path / "out").glob("*.h5"))


def test_simulate_ends_cleanly_on_ctrl_c(tmp_path):
    table = tmp_path / "board.csv"
    command = [AMBLE, "simulate", SNAKEBOARD, "--set", "simulation.duration=1e5", "--json", "--record", table]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(3.0)  # the motion has begun, also where others work
    done.send_signal(signal.SIGINT)
    report = json.loads(done.communicate(timeout=30)[0])
    assert done.returncode == 130 and 0 < report["duration"] < 1e5
    assert [c["holds"] for c in report["checks"]] == [None, None]
    assert len(table.read_text().splitlines()) > 10


def test_a_run_is_recorded_where_it_is_said(tmp_path):
    short = ["--set", "simulation.duration=7.0"]
    done = amble("simulate", SNAKEBOARD, *short, cwd=tmp_path)
    assert "; recorded in amble-out/snakeboard.h5" in done.stdout.splitlines()[0]
    report = simulate(SNAKEBOARD, *short, "-o", tmp_path / "a/b")
    assert report["recording"] == str(tmp_path / "a/b/snakeboard.h5")
    for path in (tmp_path / "amble-out/snakeboard.h5", tmp_path / "a/b/snakeboard.h5"):
        with h5py.File(path, "r") as f:
            assert f.attrs["complete"] == 1 and f["t"][-1] == 7.0
            assert f["q"][-1].tolist() == report["final"]["q"]
            assert f["scenario"].asstr()[()] == SNAKEBOARD.read_text()
    assert simulate(SNAKEBOARD, *short)["recording"] is None
    assert "expected a name that ends in .h5, .hdf5 or .csv" in refused("simulate", SNAKEBOARD, "--record", "x.txt")
    assert "/dev/null/x" in refused("simulate", SNAKEBOARD, "-o", "/dev/null/x")
    assert "nosuch/x.h5: cannot be written" in refused("simulate", SNAKEBOARD, "--record", tmp_path / "nosuch/x.h5")
    assert "excludes" in refused("simulate", SNAKEBOARD, "--record", "x.h5", "--no-record")


def test_a_recording_is_replayed_to_the_last_bit(tmp_path):
    path = tmp_path / "board.h5"
    simulate(SNAKEBOARD, "--set", "simulation.duration=7.0", "--record", path)
    done = amble("simulate", "--replay", path)
    assert (done.returncode, done.stdout) == (0, f"{path}: 351 states to 7 s, the same to the last bit\n"), done.stderr
    with h5py.File(path, "r+") as f:
        f["q"][50, 1] = np.nextafter(f["q"][50, 1], 9)
    done = amble("simulate", "--replay", path)
    assert done.returncode == 1 and re.search(r"differs: q:board\.y at 1 s: \S+ was recorded, now it is", done.stdout)
    report = json.loads(amble("simulate", "--replay", path, "--json").stdout)
    assert report["same"] is False and report["rows"] == 351 and report["difference"]
    assert "not an HDF5 file" in refused("simulate", "--replay", SNAKEBOARD)
    assert "SCENARIO is required" in refused("simulate")
    assert "SCENARIO excludes --replay" in refused("simulate", SNAKEBOARD, "--replay", path)


def test_a_damaged_recording_gets_one_line(tmp_path):
    whole, path = tmp_path / "whole.h5", tmp_path / "damaged.h5"
    simulate(pendulum(tmp_path), "--record", whole)
    for at, words in ((60, "damaged.h5: is cut off or damaged: "), (120, "damaged.h5: has a message of an unknown version, as no recording has")):
        data = bytearray(whole.read_bytes())
        data[at] ^= 0xFF
        path.write_bytes(data)
        assert words in refused("simulate", "--replay", path)  # HDF5 has nothing to add as the program ends


ENDLESS = ["--set", "simulation.duration=1e6", "--set", "simulation.interval=0"]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "killed"])
def test_a_run_that_is_broken_off_leaves_what_was_recorded(tmp_path, sign):
    path = tmp_path / "board.h5"
    done = subprocess.Popen([AMBLE, "simulate", SNAKEBOARD, *ENDLESS, "--record", path], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    time.sleep(1.7)
    done.send_signal(sign)
    done.communicate(timeout=30)
    assert done.returncode == (130 if sign == signal.SIGINT else -9)
    with h5py.File(path, "r") as f:
        rows = len(f["t"])
        assert f.attrs["complete"] == 0 and rows > 100
    done = amble("simulate", "--replay", path)
    assert done.returncode == 0 and f"{rows} states" in done.stdout, done.stdout + done.stderr


def test_two_runs_do_not_write_one_file(tmp_path):
    path = tmp_path / "board.h5"
    first = subprocess.Popen([AMBLE, "simulate", SNAKEBOARD, *ENDLESS, "--record", path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while not path.exists():
        time.sleep(0.01)
    assert "another run is writing it" in refused("simulate", SNAKEBOARD, "--record", path)
    first.kill()
    first.wait()


def test_the_help_of_simulate_says_how():
    text = amble("simulate", "--help").stdout
    for word in ("SCENARIO", "--set", "KEY=VALUE", "--record", "--no-record", "--replay", "-o DIR", "--json", "Exit code 1"):
        assert word in text
    assert "simulate" in amble("--help").stdout


if __name__ == "__main__":  # cli_test.py [MARKS]: those with these marks, as in pytest -m
    chosen = " ".join(sys.argv[1:])
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider", "-W", "ignore", "-m", chosen]))
