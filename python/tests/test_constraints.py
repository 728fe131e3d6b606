"""Mechanisms under constraints: loops, couplings, rolling."""

import amble
import numpy as np
import pytest


def at(x, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


@pytest.fixture
def four_bar():
    b = amble.Builder("four_bar")
    for name in ("crank", "coupler", "rocker"):
        b.body(name, mass=1.0, com=[0.5, 0, 0], inertia=np.diag([0.01, 0.1, 0.1]))
    b.joint("a", "revolute", parent="world", child="crank", axis=[0, 0, 1])
    b.joint("b", "revolute", parent="crank", child="coupler", pose=at(0.4), axis=[0, 0, 1])
    b.joint("d", "revolute", parent="world", child="rocker", pose=at(1.0), axis=[0, 0, 1])
    b.loop("c", "revolute", "coupler", "rocker", pose_a=at(0.9), pose_b=at(0.8), axis=[0, 0, 1])
    return b.build()


def test_a_four_bar_is_assembled_and_moves(four_bar):
    found = amble.assemble(four_bar, [0.5, 0.0, 1.5], held=["a"])
    assert found.q[0] == 0.5 and found.residual <= 1e-11
    assert (found.rank, found.mobility, found.counted_mobility, len(found.redundant)) == (2, 1, -2, 3)
    d = amble.ConstrainedDynamics(four_bar)
    d.set_state(found.q, [1.0, 0.0, 0.0])
    v = d.project_velocity([1.0, 0.0, 0.0])
    d.set_state(found.q, v)
    np.testing.assert_allclose(d.velocity_error, 0, atol=1e-12)
    np.testing.assert_allclose(d.basis[:, 0] * np.sign(d.basis[0, 0]), v / np.linalg.norm(v) * np.sign(v[0]), atol=1e-9)
    tau = [1.0, 0.2, -0.3]
    a = d.accelerations(tau)
    force = d.A.T @ d.multipliers
    np.testing.assert_allclose(d.A @ a + d.gamma, 0, atol=1e-10)
    np.testing.assert_allclose(amble.inverse_dynamics(four_bar, found.q, v, a), tau + force, atol=1e-9)
    assert abs(force @ v) < 1e-9
    for method in ("pseudo_velocities", "reduced_momenta"):
        np.testing.assert_allclose(d.accelerations(tau, method=method), a, atol=1e-9)
    P = d.projector
    np.testing.assert_allclose(P @ P, P, atol=1e-10)
    q, w = d.project_state(found.q + 1e-3, v)
    np.testing.assert_allclose(d.violation, 0, atol=1e-12)
    assert d.rows == 5 and d.row_names[0] == "c: force along x (N)"


def test_constraints_of_ones_own(four_bar):
    m = four_bar
    gear = amble.coupling_constraint(m, "gear", {"a": 2.0, "d": -1.0}, offset=0.1)
    line = amble.configuration_constraint(m, "line", 1, lambda q: [np.sin(q[0]) + q[1] ** 2])
    skate = amble.velocity_constraint(m, "skate", 1, lambda q: [[0, 1, np.cos(q[0])]], lambda q: [q[0]])
    d = amble.ConstrainedDynamics(m, [gear, line, skate])
    d.set_state([0.3, 0.4, 0.5], [1.0, 2.0, 3.0])
    np.testing.assert_allclose(d.A, [[2, 0, -1], [np.cos(0.3), 0.8, 0], [0, 1, np.cos(0.3)]], atol=1e-10)
    np.testing.assert_allclose(d.violation, [2 * 0.3 - 0.5 - 0.1, np.sin(0.3) + 0.16, 0], atol=1e-14)
    np.testing.assert_allclose(d.gamma, [0, -np.sin(0.3) + 8, -3 * np.sin(0.3) - 1], atol=1e-8)
    np.testing.assert_allclose(d.velocity_error[2], 2 + 3 * np.cos(0.3) - 0.3, atol=1e-12)
    assert gear.holonomic(0) and not skate.holonomic(0)


def test_a_wheel_rolls():
    b = amble.Builder("wheel")
    b.body("wheel", mass=2.0, com=[0, 0, 0], inertia=np.diag([0.1, 0.1, 0.2]))
    b.joint("free", "free", parent="world", child="wheel")
    m = b.build()
    q = m.neutral()
    q[2], q[3:7] = 0.5, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]  # upright, axis along -y
    d = amble.ConstrainedDynamics(m, [amble.rolling_disc_constraint(m, "ground", "wheel", 0.5)])
    d.set_state(q, np.zeros(6))
    v = d.project_velocity([0, 0, 0, 0, 0, 2.0])
    d.set_state(q, v)
    np.testing.assert_allclose(d.velocity_error, 0, atol=1e-13)
    world = amble.jacobian(m, q, "wheel", frame="aligned") @ v
    np.testing.assert_allclose(world[:3], 0.5 * np.cross(world[3:], [0, 0, 1]), atol=1e-13)
    d.accelerations(np.zeros(6))
    assert d.multipliers[2] == pytest.approx(2.0 * 9.81)
    ball = amble.rolling_ball_constraint(m, "ball", "wheel", 0.5, holds_contact=False)
    blade = amble.knife_edge_constraint(m, "blade", "wheel")
    rod = amble.distance_constraint(m, "rod", "world", "wheel", 0.5)
    weld = amble.pair_constraint(m, "weld", "weld", "world", "wheel", pose_a=at(0, 0, 0.5))
    assert [c.rows for c in (ball, blade, rod, weld)] == [2, 1, 1, 6]


def test_what_cannot_be_is_refused(four_bar):
    with pytest.raises(amble.Error, match="no body 'leg'"):
        amble.pair_constraint(four_bar, "c", "revolute", "world", "leg")
    with pytest.raises(amble.Error, match="'hinge'"):
        amble.pair_constraint(four_bar, "c", "hinge", "world", "crank")
    with pytest.raises(amble.Error, match="A of constraint 'c' has shape"):
        bad = amble.velocity_constraint(four_bar, "c", 1, lambda q: [[1, 2]])
        amble.ConstrainedDynamics(four_bar, [bad]).set_state([0, 0, 0], [0, 0, 0])
    with pytest.raises(amble.Error, match="cannot be assembled.*smallest residual"):
        far = amble.distance_constraint(four_bar, "far", "world", "crank", 9.0, point_b=[1, 0, 0])
        amble.assemble(four_bar, [0, 0, 0], [far])
    with pytest.raises(amble.Error, match="method"):
        d = amble.ConstrainedDynamics(four_bar)
        d.set_state([0, 0, 0], [0, 0, 0])
        d.accelerations([0, 0, 0], method="guess")
    with pytest.raises(amble.Error, match="no state"):
        amble.ConstrainedDynamics(four_bar).accelerations([0, 0, 0])
    with pytest.raises(amble.Error, match="no constraints"):
        amble.ConstrainedDynamics(four_bar, [])


def test_a_robot_adrift_keeps_its_momentum():
    b = amble.Builder("adrift")
    b.gravity([0, 0, 0])
    for name, parent, joint in (("hull", "world", "free"), ("arm", "hull", "spherical"), ("hand", "arm", "revolute")):
        b.body(name, mass=2.0, com=[0.1, 0, 0.3], inertia=np.diag([0.3, 0.2, 0.1]))
        b.joint(name, joint, parent=parent, child=name)
    m = b.build()
    q, v = m.random(seed=1), np.linspace(-1, 1, m.nv)
    kept = amble.ConstrainedDynamics(m, [amble.momentum_constraint(m, "drift")])
    kept.set_state(q, v)
    assert np.abs(amble.momentum(m, q, kept.project_velocity(v))).max() < 1e-12
    with pytest.raises(amble.Error, match="value"):
        amble.momentum_constraint(m, "drift", [1, 2])
