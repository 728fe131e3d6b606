"""`amble geometry` as a user meets it."""

import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
AMBLE = Path(os.environ["AMBLE_BUILD_DIR"]) / "bin" / "amble"
PENDULUM, ARM, HUMANOID = (ROOT / f"models/{name}.urdf" for name in ("double_pendulum", "arm7", "humanoid"))
BENT = "0.3,0.6,-0.4,1.1,0.5,0.7,-0.2"


def amble(*words):
    return subprocess.run([str(AMBLE), "geometry", *map(str, words)], capture_output=True, text=True, timeout=300)


def report(*words):
    done = amble(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*words):
    done = amble(*words)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("amble: error: ") and done.stderr.count("\n") == 1
    return done.stderr


def is_picture(path):
    assert ET.parse(path).getroot().tag.endswith("svg")


def test_curvature(tmp_path):
    out = report("curvature", PENDULUM, "--q", "0.2,0.5", "--svg", tmp_path / "map.svg", "--cells", 6)
    assert out["scalar"] == pytest.approx(2 * out["sectional"]["most"]["curvature"], rel=1e-9)
    assert out["flatness"]["flat"] is False and len(out["metric"]) == 2
    is_picture(tmp_path / "map.svg")
    assert "not flat" in amble("curvature", PENDULUM).stdout
    assert "expected 2" in refused("curvature", PENDULUM, "--q", "1")
    assert "two different" in refused("curvature", PENDULUM, "--svg", tmp_path / "x.svg", "--plane", "0,0")


def test_geodesics(tmp_path):
    out = report("geodesic", PENDULUM, "--q=-0.6,0.4", "--to", "0.9,1.6", "--svg", tmp_path / "g.svg")
    best = out["geodesics"][0]
    assert best["locally_shortest"] and best["miss"] < 1e-8 and best["curve"]["q"][-1] == pytest.approx([0.9, 1.6], abs=1e-8)
    is_picture(tmp_path / "g.svg")
    out = report("geodesic", PENDULUM, "--q", "0,0.3", "--velocity", "1,-2", "--duration", 2)
    assert abs(out["energy_change"]) < 1e-9
    assert out["length"] == pytest.approx(2 * math.sqrt(2 * out["energy"]), rel=1e-9)
    assert "either --to or --velocity" in refused("geodesic", PENDULUM)


def test_lift():
    out = report("lift", ARM, "--task", "pose", "--q", BENT)
    assert out["rank"] == 6 and out["singularity"]["kind"] == "none" and out["kernel_defect"] > 0.01
    assert max(out["penrose"]["lift"][:3]) < 1e-9 < out["penrose"]["lift"][3] and max(out["penrose"]["pseudoinverse"]) < 1e-9
    assert out["repeatable"]["lift"]["integrable"] is False and len(out["inertia"]) == 6
    straight = report("lift", PENDULUM, "--q", "0.3,0", "--body", "lower_arm")
    assert straight["rank"] == 1 and straight["singularity"]["kind"] == "kinematic" and straight["inertia"] is None
    assert "position, not to" in refused("lift", ARM, "--task", "pose", "--axes", "xy")
    assert "nothing" in refused("lift", ARM, "--body", "nothing")


def test_loops(tmp_path):
    out = report("loop", ARM, "--radius", 0.08, "--loops", 2, "--q", BENT, "--svg", tmp_path / "loop.svg")
    assert [i["name"] for i in out["inverses"]] == ["pseudoinverse", "horizontal lift"]
    for inverse in out["inverses"]:
        assert inverse["integrable"] is False and len(inverse["drift"]) == 2 and inverse["task_error"] < 1e-8
        assert all(norm > 1e-5 for norm in inverse["drift_norms"])
    is_picture(tmp_path / "loop.svg")
    assert report("loop", ARM)["redundant"] == 4  # everything by default
    assert "radius" in refused("loop", ARM, "--radius", "-1")


def test_loops_tell_of_limits():
    small, wide = (report("loop", ARM, "--radius", r, "--q", BENT, "--inverse", "lift")["inverses"][0] for r in (0.02, 0.3))
    assert small["beyond_limits"] == {} and wide["task_error"] < 1e-8
    told = amble("loop", ARM, "--radius", 0.3, "--q", BENT, "--inverse", "lift").stdout
    assert wide["beyond_limits"] and all(f"'{name}' leaves its limits" in told for name in wide["beyond_limits"])


def test_screws():
    out = report("screws", ARM)
    screws = out["product_of_exponentials"]["screws"]
    assert len(screws) == 7 and all(s["pitch"] == 0 and s["magnitude"] == pytest.approx(1) for s in screws)
    assert len(out["axes"]) == 7 and len(out["pose"]) == 4
    floating = report("screws", HUMANOID, "--base", "floating")
    assert "none" in floating["product_of_exponentials"] and len(floating["axes"]) > 6
    assert "exp(S1 q1)" in amble("screws", ARM).stdout


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q", "-p", "no:cacheprovider"]))
