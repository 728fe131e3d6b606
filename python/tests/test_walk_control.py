"""Walkers under control: gaits as curves, steps down, foot placement."""

import pickle

import amble
import numpy as np
import pytest


@pytest.fixture(scope="module")
def compass():
    walker = amble.Walker("compass", gravity=9.8)
    q3 = 0.29929446431878
    return walker, walker.find_cycle([q3, -2 * q3], [-1.07296282191054, 0.70840651133442])


@pytest.fixture(scope="module")
def mass():
    walker = amble.Walker("pointmass3d")
    return walker, walker.cycles(starts=40)[0]


def test_a_gait_is_a_curve_through_configurations(compass):
    walker, gait = compass
    (curve,) = walker.curves(gait)
    assert np.abs(curve.position(0.0) - gait.q).max() < 1e-9
    assert np.abs(curve.tangent(0.0) / gait.period - gait.v).max() < 1e-7
    assert np.abs(curve.position(1.0) - np.array([-gait.q[0], -gait.q[1]])).max() < 1e-8


def test_a_controlled_walker_is_a_walker(compass):
    walker, gait = compass
    led = walker.controlled(gait, "pd", stiffness=30.0)
    assert np.abs(led.step(gait.q, gait.v)["q"] - gait.q).max() < 1e-8
    assert abs(led.find_cycle(gait.q, gait.v).period - gait.period) < 1e-8
    with pytest.raises(amble.Error, match="cannot be followed in a parameter"):
        led.continue_cycles("slope_deg", 3.0, 3.1)


def test_the_step_down_of_the_book(compass):
    walker, gait = compass
    port = walker.controlled(gait, "port")
    walk = port.walk(gait, steps=9, step_down=0.05, footfall=3)
    assert not walk["fell"] and abs(walk["residual"]) < 1e-8
    assert walk["laws"] == ["nominal", "asymptotic", "potential", "energy"]
    assert max(abs(step["laws"][0]) for step in walk["ledger"]) < 1e-9
    assert walk["control"]["normal_force"] > 0 and walk["control"]["missing"] == 0.0
    none = walker.controlled(gait, "none").step_down(gait, [0.02, 0.05], steps=9)
    assert [r["survived"] for r in none] == [True, False]
    (side,) = port.step_down(gait, [0.03], steps=6, footfall=3)
    assert side["survived"] and set(side["laws"]) == set(walk["laws"]) and side["flat_torque"] < 1e-6 and side["flat_spent"] < side["spent"]
    assert abs(side["residual"]) < 1e-8 and side["control"]["peak_torque"]["q3"] > 0.1
    with pytest.raises(amble.Error, match="a step down of -0.1 m"):
        port.walk(gait, steps=9, step_down=-0.1)


def test_an_unactuated_ankle_is_told(compass):
    walker, gait = compass
    walk = walker.controlled(gait, "port", unactuated=["q3"]).walk(gait, steps=3)
    assert walk["control"]["peak_torque"]["q3"] == 0.0
    with pytest.raises(amble.Error, match="no coordinate 'q9'"):
        walker.controlled(gait, "port", unactuated=["q9"])
    with pytest.raises(amble.Error, match="no parameter 'gian'"):
        walker.controlled(gait, "port", gian=1.0)


def test_a_push_a_line_and_a_stop(mass):
    walker, gait = mass
    pushed = walker.walk(gait, steps=30, pushes=[(6, [0, -0.1, 0])])
    assert not pushed["fell"] and abs(pushed["residual"]) < 1e-10
    assert pushed["ledger"][6]["pushed"] > 0.0
    line = walker.walk(gait, steps=120, pushes=[(6, [0, -0.1, 0])], path=[[-5, 0], [200, 0]])
    assert not line["fell"] and abs(line["q"][-1, 1]) < 0.2 < abs(pushed["q"][:, 1]).max() + 0.2
    assert walker.walk(gait, steps=60, stop=5)["stopped"]


def test_a_circle_needs_a_law_that_looks_ahead(mass):
    walker, gait = mass
    angle = np.linspace(0, 2 * np.pi, 400)
    ring = np.column_stack([8 * np.sin(angle), 8 - 8 * np.cos(angle)])
    off = {}
    for ahead in (True, False):
        walk = walker.walk(gait, steps=60, path=ring, turns=True, look_ahead=ahead)
        assert not walk["fell"]
        feet = walk["q"][len(walk["q"]) // 2:, :2]
        off[ahead] = abs(np.hypot(feet[:, 0], feet[:, 1] - 8).mean() - 8)
    assert off[True] < 0.05 < 0.3 < off[False]


def test_multipliers_of_a_line(mass):
    walker, gait = mass
    led = walker.line_multipliers(gait)
    assert abs(led[0]) == pytest.approx(1.0, abs=1e-6)  # of the energy, which push-off keeps
    assert abs(led[1]) < 1.0
    with pytest.raises(amble.Error, match="does not place its feet"):
        amble.Walker("compass").line_multipliers(gait)


def test_a_walk_scenario_runs(tmp_path):
    path = tmp_path / "push.toml"
    path.write_text(
        '[variables]\ngain = 0.3\n[walker]\nname = "pointmass3d"\nparameters = { lateral_gain = "$gain" }\nsteps = 20\n'
        "[[pushes]]\nfootfall = 3\nimpulse = [0, -0.1, 0]\n"
        '[[checks]]\nquantity = "fell"\nbelow = 0\n'
    )
    recording, checks = amble.run_scenario(path)
    assert checks[0]["holds"] and abs(recording.ledger["residual"]) < 1e-10
    assert not amble.run_scenario(path, settings=["gain=0", "walker.steps=60"])[1][0]["holds"]


@pytest.fixture(scope="module")
def searched():
    walker = amble.Walker("compass", slope_deg=0.0)
    return walker, walker.search(speed=0.6, foot_speed=0.2, starts=1)[0]


def test_a_searched_gait_is_followed(searched):
    walker, found = searched
    (curve,) = walker.curves(found)
    assert np.abs(curve.position(0.0) - found["q"]).max() < 1e-12
    led = walker.controlled(found, "port")
    gait = led.find_cycle(found["q"], found["v"])
    assert gait.stable and abs(gait.period - found["period"]) < 1e-7
    walk = led.walk(found, steps=5)
    assert not walk["fell"] and walk["laws"][-1] == "gait" and abs(walk["residual"]) < 1e-8
    assert abs(walk["spent"] - 5 * found["positive_work"]) < 1e-3
    assert [r["survived"] for r in led.step_down(found, [0.0, 0.01], steps=8)] == [True, True]
    assert walker.controlled(found, "none").walk(found, steps=12, step_down=0.01)["fell"]


def test_a_searched_gait_is_pickled_and_told_apart(searched):
    walker, found = searched
    again = pickle.loads(pickle.dumps(found))
    assert repr(again["gait"]) == repr(found["gait"]) and again["gait"].walker == "compass"
    here, there = walker.curves(found["gait"])[0], walker.curves(again)[0]
    assert np.abs(here.position(0.4) - there.position(0.4)).max() < 1e-14
    with pytest.raises(amble.Error, match="this gait is of walker 'compass', not of 'dribbel'"):
        amble.Walker("dribbel").controlled(found)
    with pytest.raises(TypeError, match=r"expected one of Walker.cycles\(\) or of Walker.search\(\), not int"):
        walker.controlled(3)


def test_a_design_that_was_searched_for_is_walked():
    walker = amble.Walker("compass", slope_deg=0.0)
    found = walker.search(speed=0.6, foot_speed=0.2, starts=1, free={"hip_mass": (1.0, 8.0)})[0]
    assert abs(found["parameters"]["hip_mass"] - 5.0) > 0.1
    led = walker.controlled(found, "pd")
    walk = led.walk(found, steps=4)
    assert not walk["fell"] and abs(walk["spent"] - 4 * found["positive_work"]) < 1e-3
