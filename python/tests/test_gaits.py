import cmath
import math
from pathlib import Path

import amble
import numpy as np
import pytest


def test_cycles_of_the_compass():
    walker = amble.Walker("compass", gravity=9.8)
    cycles = walker.cycles(starts=200)
    slow = min((c for c in cycles if c.stable), key=lambda c: c.speed)
    assert slow.q[0] == pytest.approx(0.29929446431878, abs=1e-12)
    assert slow.period == pytest.approx(0.78279761708788, abs=1e-11)
    assert abs(slow.multipliers[0] - complex(-0.29333074, 0.39259006)) < 2e-8
    assert slow.steps == 1 and slow.residual < 1e-12
    assert walker.coordinates == ["q3", "q4"] and walker.parameters["hip_mass"] == 5.0


def test_a_step_and_its_derivative():
    walker = amble.Walker("compass", leg_mass=1.5, hip_damping=0.02)
    q, v = [0.3, -0.6], [-1.1, 0.6]
    step = walker.step(q, v, derivative=True)
    change, h = np.zeros((4, 4)), 1e-4
    for i in range(4):
        ends = []
        for sign in (1, -1):
            x = np.concatenate([q, v])
            x[i] += sign * h
            there = walker.step(x[:2], x[2:])
            ends.append(np.concatenate([there["q"], there["v"]]))
        change[:, i] = (ends[0] - ends[1]) / (2 * h)
    assert np.abs(step["derivative"] - change).max() < 1e-4 * np.abs(change).max()
    assert step["lost"] > 0 and step["period"] == pytest.approx(sum(step["phase_times"]))


def test_a_walk_keeps_its_books():
    walker = amble.Walker("compass")
    gait = next(c for c in walker.cycles(starts=200) if c.stable)
    walk = walker.walk(gait, steps=5)
    assert walk["steps"] == 5 and not walk["fell"]
    assert abs(walk["residual"]) < 1e-11
    assert all(abs(row["gravity"] - row["lost"]) < 1e-9 for row in walk["ledger"])
    assert walk["q"].shape == walk["v"].shape == (len(walk["t"]), 4)
    assert not next(a for a in walk["assumptions"] if a["name"] == "no scuffing")["holds"]
    # Where it has come to is five steps further.
    assert walk["q"][-1, 0] == pytest.approx(4 * gait.step_length, abs=1e-9)


def test_continuation_and_basin_of_the_rimless_wheel():
    wheel = amble.Walker("rimless", slope_deg=8.0)
    (branch,) = wheel.continue_cycles("slope_deg", 6.0, 10.0, step=0.2, starts=40)
    assert branch["values"][-1] == pytest.approx(10.0) and branch["bifurcations"] == []
    for slope, gait in zip(branch["values"], branch["gaits"]):
        half = math.pi / 8
        speed = -math.sqrt(4 * 9.81 * math.sin(half) * math.sin(math.radians(slope))) / math.tan(2 * half)
        assert gait.v[0] == pytest.approx(speed, abs=1e-10)
    basin = wheel.basin(wheel.cycles(starts=40), region={"dangle": (-2.0, 0.0)}, cells=[100])
    assert basin["fate"].shape == (100,) and 0.3 < basin["fraction"] < 0.9
    assert basin["converged"] == (basin["fate"] >= 0).sum()


def test_search_and_codesign_of_the_compass():
    walker = amble.Walker("compass", gravity=9.8)
    best = walker.search(speed=1.1, foot_speed=0.5, starts=2)[0]
    assert best["objective"] == pytest.approx(0.816011, rel=1e-5)
    assert best["speed"] == pytest.approx(1.1, abs=1e-9)
    duration, powers = best["phases"][0]
    assert powers.shape == (2, 11) and powers[:, 0] == pytest.approx(best["q"], abs=1e-9)
    sprung = walker.search(speed=1.1, foot_speed=0.5, starts=1, free={"hip_stiffness": (0, 50), "hip_damping": (0, 5)})[0]
    assert sprung["parameters"]["hip_stiffness"] == pytest.approx(6.098, abs=2e-3)
    assert sprung["objective"] < 1e-3 * best["objective"]
    with pytest.raises(amble.Error, match="tied but not free"):
        walker.search(ties=[({"leg_mass": 2.0}, 1.0)])


def test_find_cycle_from_a_guess():
    gait = amble.Walker("simplest").find_cycle([0.2, -0.4], [-0.2, 0.016])
    assert gait.q[0] == pytest.approx(0.2003109005443, abs=1e-12)
    assert cmath.isclose(gait.multipliers[0], complex(-0.190099841, 0.557598777), abs_tol=2e-9)


def test_what_is_wrong_is_named():
    with pytest.raises(amble.Error, match="did you mean 'compass'"):
        amble.Walker("compas")
    with pytest.raises(amble.Error, match="leg_mas"):
        amble.Walker("compass", leg_mas=1.0)
    with pytest.raises(amble.Error, match="falls over"):
        amble.Walker("compass").step([0.3, -0.6], [0.0, 0.0])
    with pytest.raises(amble.Error, match="q9"):
        amble.Walker("compass").cycles(region={"q9": (0, 1)})


def test_builtin_gives_the_simulation_model():
    compass = amble.builtin("compass", leg_mass=1.0, hip_mass=5.0)
    assert compass.nq == 4 and compass.mass == pytest.approx(7.0)
    assert amble.builtin("dribbel").mass == pytest.approx(9.2)
    assert amble.builtin("four_bar").nv > 0
    with pytest.raises(amble.Error, match="no mechanism"):
        amble.builtin("simplest")
    assert set(amble.walkers()) >= {"compass", "simplest", "rimless", "dribbel", "trunk"}


WALKERS = Path(__file__).resolve().parents[2] / "scenarios/walkers"


def test_a_walker_of_a_file():
    walker = amble.Walker(str(WALKERS / "kneed.toml"), slope_deg=3.0)
    gait, same = walker.cycles(starts=60)[0], amble.Walker("dribbel").cycles(starts=60)[0]
    assert gait.speed == pytest.approx(same.speed, abs=1e-9) and gait.q == pytest.approx(-same.q, abs=1e-8)
    assert walker.name == "kneed" and walker.footfalls == 1 and walker.cyclic == [] and walker.coordinates == ["pitch", "hip", "right_knee"]
    walk = walker.walk(gait, steps=2)
    q, v = walker.model_state(walk["q"][-1], walk["v"][-1])
    back = walker.full_state(q, v)
    assert np.allclose(back[0], walk["q"][-1], atol=1e-12) and np.allclose(back[1], walk["v"][-1], atol=1e-12)
    assert walker.mechanism.mass == pytest.approx(2 * (2 * (0.24 + 0.54 + 0.24 + 0.28)) + 4)
    q[3:7] += [0.1, 0, 0, 0]
    q[3:7] /= np.linalg.norm(q[3:7])
    with pytest.raises(amble.Error, match="walks in the plane of x and z: this state leaves it"):
        walker.full_state(q, v)
    with pytest.raises(amble.Error, match="no model of a file"):
        amble.Walker("compass").model_state([0, 0, 0, 0], [0, 0, 0, 0])
    with pytest.raises(amble.Error, match="left_shank_mass"):
        amble.Walker(str(WALKERS / "kneed.toml"), shank_mass=1.0)


def test_a_stride_and_its_turn():
    uneven = amble.Walker(str(WALKERS / "compass_stride.toml"))
    gait = next(g for g in amble.Walker(str(WALKERS / "compass.toml")).cycles(starts=60) if g.stable)
    both = uneven.find_cycle(gait.q, gait.v)
    assert uneven.footfalls == 2 and both.period == pytest.approx(gait.period) and both.turn == 0.0
    assert abs(both.multipliers[0]) == pytest.approx(abs(gait.multipliers[0]) ** 2, abs=1e-9)


def test_foot_placement_of_the_point_mass():
    fixed, placed = (amble.Walker("pointmass3d", lateral_gain=gain).cycles(starts=40)[0] for gain in (0.0, 0.3))
    assert not fixed.stable and placed.stable and placed.neutral == 1
    assert placed.period == pytest.approx(0.321964534416, abs=1e-11)
    assert placed.energy_supplied == pytest.approx(placed.energy_lost, abs=1e-12)


def test_search_with_friction_limits_and_work():
    walker = amble.Walker("compass", slope_deg=0)
    plain = walker.search(speed=0.6, starts=1)[0]
    held = walker.search(speed=0.6, starts=1, friction=0.5, limits={"q4": (-0.25, 0.25)}, work_cost=0.5)[0]
    assert abs(held["q"][1]) <= 0.25 + 1e-7 < abs(plain["q"][1])
    assert abs(plain["energy_residual"]) < 1e-8
    hip = plain["actuators"]["q4"]
    assert hip["t"].shape == hip["tau"].shape and 0.0 <= hip["spring"][2] <= 1.0
    with pytest.raises(amble.Error, match="q7"):
        walker.search(limits={"q7": (0, 1)})
    with pytest.raises(amble.Error, match="cannot start from"):
        walker.search(simpler="dribbel")
