import amble
import numpy as np
import pytest


def point_mass(mass):
    b = amble.Builder("point")
    b.gravity([0, 0, 0])
    b.body("rail")
    b.body("mass", mass=mass, inertia=np.eye(3))
    b.joint("x", "prismatic", parent="world", child="rail", axis=[1, 0, 0])
    b.joint("y", "prismatic", parent="rail", child="mass", axis=[0, 1, 0])
    return b.build()


def circles(q):
    return [-q[1], q[0]]


def test_a_point_mass_comes_to_a_circle_and_keeps_its_energy():
    m = point_mass(1.3)
    s = amble.Simulator(m, elements=amble.curve_tracking(m, circles, transfer=0.7, softening=0), tolerance=1e-11)
    s.reset([1, 0.2], [0.3, 0.9])
    s.step(20)
    assert np.linalg.norm(s.q) == pytest.approx(1.650141096030, abs=1e-4)
    assert np.linalg.norm(s.v) == pytest.approx(np.sqrt(0.9), rel=1e-9)


def test_a_curve_is_a_field_that_leads_to_it():
    m = point_mass(2.0)
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = amble.Curve(m, np.column_stack([2 * np.cos(angles), np.sin(angles)]), closed=True)
    assert ring.closed
    s = ring.nearest([2.5, 0.0])
    assert ring.position(s) == pytest.approx([2.0, 0.0], abs=1e-6)
    assert ring.tangent(s) == pytest.approx([0.0, 2 * np.pi], abs=1e-3)
    run = amble.Simulator(m, elements=amble.curve_tracking(m, ring, transfer=3.0), tolerance=1e-9)
    run.reset([1.5, 0.3], [0.2, 1.0])
    run.step(20)
    assert (run.q[0] / 2) ** 2 + run.q[1] ** 2 == pytest.approx(1.0, abs=1e-4)
    assert {e["name"] for e in run.ledger["entries"]} >= {"tracking nominal", "tracking asymptotic"}


def test_forces_tell_what_each_law_asks_for():
    m = point_mass(1.3)
    f = amble.tracking_forces(m, circles, [0.6, -0.8], [1.36, 1.02])
    assert f["nominal"] == pytest.approx(-1.3 * 1.7**2 * np.array([0.6, -0.8]), abs=1e-9)
    assert f["energy_across"] == pytest.approx(0, abs=1e-12)
    assert f["energy_along"] == pytest.approx(0.5 * 1.3 * 1.7**2)
    hip = amble.tracking_forces(m, circles, [0.6, -0.8], [1.36, 1.02], unactuated=["x"])
    assert hip["total"][0] == 0 and 0 < hip["missing"] < 1


def test_what_is_no_field_is_refused():
    m = point_mass(1.0)
    with pytest.raises(amble.Error, match="field: expected a Curve or a function"):
        amble.curve_tracking(m, 3)
    with pytest.raises(amble.Error, match=r"what field\(q\) returns"):
        amble.tracking_forces(m, lambda q: [1, 2, 3], [1, 0], [0, 1])
    with pytest.raises(amble.Error, match="at least 5"):
        amble.Curve(m, [[0, 0], [1, 1]])
