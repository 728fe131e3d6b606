"""`amble view` of models, as a user meets it."""

import json
import math
import os
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"
MODELS = ROOT / "models"


def amble(*words, **options):
    return subprocess.run([str(AMBLE), *map(str, words)], capture_output=True, text=True, timeout=120, **options)


def view(model, *words, folder):
    """The head of the stream that the page reads."""
    path = folder / "model.scene"
    done = amble("view", model, "--scene", path, *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and done.stdout == f"{path}: {path.stat().st_size / 1e6:.1f} MB\n"
    stream = path.read_bytes()
    (length,) = struct.unpack("<Q", stream[8:16])
    return json.loads(stream[16 : 16 + length])


def refused(*words):
    done = amble("view", *words)
    assert done.returncode == 2 and done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("amble: error: "), done.stderr
    return lines[0]


@pytest.mark.parametrize("file", ["arm7.urdf", "rover.sdf", "hopper.xml"])
def test_every_format_is_told_by_its_content(file, tmp_path):
    inspected = json.loads(amble("inspect", MODELS / file, "--json").stdout)
    renamed = tmp_path / "model.txt"
    renamed.write_bytes((MODELS / file).read_bytes())
    head = view(renamed, folder=tmp_path)
    assert head["format"] == "amble model" and head["file"] == "model.txt"
    assert [b["name"] for b in head["bodies"] if not b["auxiliary"]] == [b["name"] for b in inspected["bodies"]]
    assert head["mass"] == pytest.approx(inspected["mass"], rel=1e-12)
    assert len(head["coordinates"]) == inspected["nq"]


def test_a_mechanism_in_json_and_a_scenario_are_models_too(tmp_path):
    head = view(ROOT / "web/test/every_joint.json", folder=tmp_path)
    assert {j["type"] for j in head["joints"]} >= {"helical", "cylindrical", "universal", "planar", "spherical", "free"}
    scenario = ROOT / "scenarios/quadruped_stands.toml"
    start = json.loads(amble("inspect", scenario, "--json").stdout)["initial"]["q"]
    assert view(scenario, folder=tmp_path)["q"] == pytest.approx(start, abs=1e-15)


def test_one_file_of_html_has_everything(tmp_path):
    page = tmp_path / "arm.html"
    done = amble("view", MODELS / "arm7.urdf", "--html", page)
    assert done.returncode == 0 and done.stdout == f"{page}: {page.stat().st_size / 1e6:.1f} MB\n"
    text = page.read_text()
    assert text.startswith("<!doctype html>") and "Content-Security-Policy" in text.split("<style>")[0]


KEYS = '<keyframe><key name="home" qpos="0.5 0.1"/><key name="away" qpos="-0.5 0.2"/></keyframe>'
SWING = f"""<mujoco model="swing"><worldbody><body name="a"><joint name="hip" axis="0 1 0"/><geom type="sphere" size="0.1"/>
<body name="b" pos="0 0 -1"><joint name="knee" axis="0 1 0"/><geom type="sphere" size="0.1"/></body></body></worldbody>{KEYS}</mujoco>"""


def test_the_posture_is_the_one_asked_for(tmp_path):
    model = tmp_path / "swing.xml"
    model.write_text(SWING)
    assert view(model, folder=tmp_path)["q"] == [0.5, 0.1]
    assert view(model, "--posture", "away", folder=tmp_path)["q"] == [-0.5, 0.2]
    assert view(model, "--posture", "away", "--set", "hip=1.25", folder=tmp_path)["q"] == [1.25, 0.2]
    assert view(model, "--set", "hip=1", "--set", "knee=-2e-1", folder=tmp_path)["q"] == [1.0, -0.2]
    assert "did you mean 'away'" in refused(model, "--posture", "awai")
    assert "did you mean 'knee'" in refused(model, "--set", "kneee=1")
    for words in ("knee", "knee=", "knee=nan", "knee=1x", "=1"):
        assert f"--set {words}: " in refused(model, "--set", words)


def test_a_base_floats_when_told_to(tmp_path):
    head = view(MODELS / "quadruped.urdf", "--base", "floating", folder=tmp_path)
    assert head["joints"][0]["type"] == "free" and [c["name"] for c in head["coordinates"]][:3] == [
        "root_joint.x", "root_joint.y", "root_joint.z"]
    assert all(j["type"] != "free" for j in view(MODELS / "quadruped.urdf", "--base", "fixed", folder=tmp_path)["joints"])


def test_limits_and_inertias_are_those_of_the_file(tmp_path):
    head = view(MODELS / "arm7.urdf", folder=tmp_path)
    inspected = json.loads(amble("inspect", MODELS / "arm7.urdf", "--json").stdout)
    limits = {j["name"]: (j["lower"], j["upper"]) for j in inspected["joints"] if j["q"][1] == 1}
    for coordinate in head["coordinates"]:
        assert ([coordinate["lower"]], [coordinate["upper"]]) == limits[coordinate["name"]]
    for body in head["bodies"]:
        a, m = body["ellipsoid"], body["mass"]
        for i in range(3 if m > 0 else 0):
            moment = m / 5 * (a[(i + 1) % 3] ** 2 + a[(i + 2) % 3] ** 2)
            assert moment == pytest.approx(body["moments"][i], rel=1e-9), body["name"]
    assert math.fsum(b["mass"] for b in head["bodies"]) == pytest.approx(head["mass"], rel=1e-12)


def test_what_is_for_the_other_kind_of_file_is_refused(tmp_path):
    model, recording = MODELS / "arm7.urdf", tmp_path / "ball.h5"
    assert "--glb is for recordings" in refused(model, "--glb", tmp_path / "a.glb")
    assert "--pictures is for recordings" in refused(model, "--pictures", tmp_path / "p")
    done = amble("simulate", ROOT / "scenarios/bouncing_ball.toml", "--set", "simulation.duration=0.1", "--record", recording)
    assert recording.exists(), done.stderr
    for words in (["--posture", "home"], ["--set", "x=1"], ["--base", "fixed"]):
        assert "are for models, and this is a recording" in refused(recording, *words)
    renamed = recording.rename(tmp_path / "ball.urdf")  # told by content
    assert amble("view", renamed, "--scene", tmp_path / "ball.scene").stdout.endswith("MB\n")


def test_what_is_no_model_gets_one_line(tmp_path):
    assert "none.urdf: no such file" in refused(tmp_path / "none.urdf")
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"amble_description": 2')
    assert f"{damaged}: not a serialized mechanism" in refused(damaged)
    damaged.write_text("\x89HDF but no more")
    assert str(damaged) in refused(damaged)
    (tmp_path / "empty.h5").write_bytes(b"")
    assert "empty.h5" in refused(tmp_path / "empty.h5")


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
