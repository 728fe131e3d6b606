import math
from pathlib import Path

import numpy as np
import pytest

import amble

ROOT = Path(__file__).resolve().parents[2]


def test_dribbel_walks_by_its_hip_motor_and_the_powers_add_up():
    walk = amble.driven_walk("dribbel", duration=6.0, interval=0.01, gear_efficiency=0.8)
    assert not walk["fell"] and walk["steps"] > 8
    assert walk["battery"] == pytest.approx(walk["copper"] + walk["shaft"], abs=1e-6)
    assert walk["shaft"] == pytest.approx(walk["gearbox"] + walk["joint"], abs=1e-6)
    assert walk["total"] == pytest.approx(walk["battery"] + walk["burnt"] + walk["magnets"] + walk["electronics"])
    assert walk["ledger"]["electronics"]["supplied"] == pytest.approx(11.2 * 6.0)
    assert walk["q"].shape[0] == walk["t"].shape[0] == walk["current"].shape[0]
    assert abs(walk["residual"]) < 1e-7 * walk["exchanged"]


def test_a_walker_file_with_a_drive_walks_as_the_built_in_one():
    file = amble.driven_walk(str(ROOT / "scenarios/walkers/dribbel_driven.toml"), duration=3.0)
    builtin = amble.driven_walk("dribbel", duration=3.0)
    np.testing.assert_allclose(file["footfalls"], builtin["footfalls"], atol=1e-6)


def test_a_sweep_gives_every_combination_and_a_map():
    sweep = amble.drive_sweep("dribbel", [("set_point", 0.25, 0.3, 2), ("proportional_gain", 8.0, 10.0, 2)], duration=3.0)
    assert [w["values"] for w in sweep["walks"]] == [[0.25, 8.0], [0.25, 10.0], [0.3, 8.0], [0.3, 10.0]]
    assert sweep["svg"].startswith("<svg") and "proportional_gain" in sweep["svg"]
    assert sweep["walks"][3]["speed"] == amble.driven_walk("dribbel", duration=3.0)["speed"]


def pendulum():
    b = amble.Builder("legs")
    for name in ("carriage", "left", "right"):
        b.body(name, mass=1.0, com=[0, 0, -0.3], inertia=0.02 * np.eye(3))
    b.joint("z", "prismatic", parent="world", child="carriage", axis=[0, 0, 1])
    b.joint("lean", "revolute", parent="carriage", child="left", axis=[0, 1, 0])
    b.joint("hip", "revolute", parent="left", child="right", axis=[0, 1, 0])
    return b.build()


def test_a_drive_is_a_list_of_elements_that_push_by_its_law():
    m = pendulum()
    feet = [{"body": "left", "point": [0, 0, -0.6]}, {"body": "right", "point": [0, 0, -0.6]}]
    parts = amble.joint_drive(m, "hip", feet, [-0.3, 0.3], 10.0, constant=0.03, resistance=0.3, ratio=60.0, period=0.0)
    assert [p.name for p in parts] == ["drive motor", "drive amplifier"]
    magnet = amble.knee_magnet(m, "lean", feet, foot=1, power=3.74)
    s = amble.Simulator(m, elements=parts + [amble.consumer(11.2)])
    q = m.neutral()
    q[m.q_slice("z")] = 2.0
    s.reset(q, np.zeros(m.nv))
    s.step(0.5)
    supplied = {e["name"]: e["supplied"] for e in s.ledger["entries"]} if isinstance(s.ledger, dict) else None
    assert math.isfinite(s.q[m.q_slice("hip")][0])
    assert magnet.name == "knee"
    assert supplied is None or supplied["consumer"] == pytest.approx(5.6)


def test_what_is_wrong_is_named():
    m = pendulum()
    with pytest.raises(amble.Error, match="has no drive"):
        amble.driven_walk("compass")
    with pytest.raises(amble.Error, match="expected rigid or compliant"):
        amble.driven_walk("dribbel", floor="soft")
    with pytest.raises(amble.Error, match="set_point"):
        amble.driven_walk("dribbel", setpoint=0.2)
    with pytest.raises(amble.Error, match="has body, point and radius"):
        amble.knee_magnet(m, "lean", [{"bod": "left"}], foot=0)
    with pytest.raises(amble.Error, match="no figure"):
        amble.drive_sweep("dribbel", [("set_point", 0.2, 0.3, 2)], figures=["sped"])
