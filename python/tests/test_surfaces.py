"""Curved ground: surfaces by dual numbers and by hand, and what rolls, glides and stays on them."""

import amble
import numpy as np
import pytest


def hills(x, y):
    return 0.05 * np.sin(1.2 * x) * np.cos(y) + 0.01 * x * y


def bowl_function(p):
    return 1.0 - p[0] ** 2 - p[1] ** 2 - p[2] ** 2


def free_body(inertia):
    b = amble.Builder("stone")
    b.body("stone", mass=1.0, com=[0, 0, 0], inertia=np.diag(inertia))
    b.joint("free", "free", parent="world", child="stone")
    return b.build()


def test_derivatives_by_dual_numbers_are_those_of_differences():
    surface = amble.height_surface(hills)
    p, step = np.array([0.3, -0.7, 0.4]), 1e-5
    F, gradient, hessian = surface.at(p)
    assert F == pytest.approx(0.4 - hills(0.3, -0.7), abs=1e-15)
    for i, e in enumerate(np.eye(3) * step):
        ahead, behind = surface.at(p + e), surface.at(p - e)
        assert gradient[i] == pytest.approx((ahead[0] - behind[0]) / (2 * step), abs=1e-9)
        np.testing.assert_allclose(hessian[i], (ahead[1] - behind[1]) / (2 * step), atol=1e-9)


def test_a_surface_with_derivatives_of_ones_own_is_the_same():
    own = amble.Surface(lambda p: (bowl_function(p), -2 * p, -2 * np.eye(3)))
    bowl = amble.implicit_surface(bowl_function)
    for p in ([0.2, 0.1, -0.3], [0.0, 0.5, 0.1]):
        for a, b in zip(own.at(p), bowl.at(p)):
            np.testing.assert_allclose(a, b, atol=1e-15)
        near = bowl.nearest(p)
        assert near.distance == pytest.approx(1 - np.linalg.norm(p), abs=1e-14)
        np.testing.assert_allclose(near.point, np.array(p) / np.linalg.norm(p), atol=1e-14)
        np.testing.assert_allclose(near.normal, -near.point, atol=1e-14)
        np.testing.assert_allclose(near.turning, own.nearest(p).turning, atol=1e-13)


def test_a_plane_is_a_surface_too():
    m = free_body([0.1, 0.1, 0.2])
    plane = amble.height_surface(lambda x, y: 0.0)
    q, v = m.random(seed=4), np.random.default_rng(4).normal(size=6)
    for make in (amble.rolling_ball_constraint, amble.rolling_disc_constraint):
        d = [amble.ConstrainedDynamics(m, [make(m, "c", "stone", 0.3, surface=s)]) for s in (None, plane)]
        for x in d:
            x.set_state(q, v)
        np.testing.assert_allclose(d[0].A, d[1].A, atol=1e-12)
        np.testing.assert_allclose(d[0].gamma, d[1].gamma, atol=1e-11)
        np.testing.assert_allclose(d[0].violation, d[1].violation, atol=1e-13)


def test_a_ball_swings_in_a_bowl_with_the_period_of_its_closed_form():
    radius = 0.2
    m = free_body([0.4 * radius**2] * 3)
    bowl = amble.implicit_surface(bowl_function)
    c = amble.rolling_ball_constraint(m, "bowl", "stone", radius, surface=bowl)
    q, angle = m.neutral(), 0.02
    q[:3] = [(1 - radius) * np.sin(angle), 0, -(1 - radius) * np.cos(angle)]
    r = amble.simulate(m, q, np.zeros(6), 1.0, constraints=[c], interval=0.05)
    # That of a pendulum, to third order in the angle: a homogeneous ball rolls at 5/7 of what gravity asks for.
    phase = np.sqrt(5 / 7 * 9.81 / (1 - radius)) * (1 - angle**2 / 16) * r.t
    swing = angle * np.cos(phase) + angle**3 / 192 * (np.cos(phase) - np.cos(3 * phase))
    np.testing.assert_allclose(np.arctan2(r.q[:, 0], -r.q[:, 2]), swing, atol=1e-9)
    assert np.ptp(r.energy) < 1e-9


def test_a_skate_stays_on_the_hills():
    m = free_body([0.1, 0.1, 0.1])
    ground = amble.height_surface(hills)
    stays = amble.point_on_surface_constraint(m, "ground", "stone", ground)
    blade = amble.knife_edge_constraint(m, "blade", "stone")
    assert stays.rows == 1 and stays.holonomic(0)
    q = amble.assemble(m, [0.3, 0.2, 1.0, 0, 0, 0, 1], [stays]).q
    assert q[2] == pytest.approx(hills(q[0], q[1]), abs=1e-11)
    d = amble.ConstrainedDynamics(m, [stays, blade])
    d.set_state(q, np.zeros(6))
    v = d.project_velocity([1.0, 0, 0, 0, 0, 0.5])
    r = amble.simulate(m, q, v, 0.5, constraints=[stays, blade], interval=0.1)
    np.testing.assert_allclose(r.q[:, 2], hills(r.q[:, 0], r.q[:, 1]), atol=1e-9)
    assert np.ptp(r.energy) < 1e-8 and np.linalg.norm(r.q[-1, :2] - r.q[0, :2]) > 0.3


def test_what_is_no_surface_is_refused():
    with pytest.raises(amble.Error, match="F, gradient, hessian"):
        amble.Surface(lambda p: 1.0).at([0, 0, 0])
    with pytest.raises(amble.Error, match="hessian of a surface has shape"):
        amble.Surface(lambda p: (1.0, p, p)).at([0, 0, 0])
    with pytest.raises(amble.Error, match="F of a surface"):
        amble.implicit_surface(lambda p: "high").at([0, 0, 0])
    with pytest.raises(amble.Error, match="no slope"):
        amble.implicit_surface(bowl_function).nearest([0, 0, 0])
    with pytest.raises(amble.Error, match="curvature"):
        amble.height_surface(lambda x, y: x * x).nearest([0, 0, 0.8])
    with pytest.raises(ZeroDivisionError):
        amble.implicit_surface(lambda p: 1 / 0).at([0, 0, 0])
