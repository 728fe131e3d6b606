"""Mechanisms that stand on contacts."""

import amble
import numpy as np
import pytest


def at(x, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


@pytest.fixture
def biped():
    """A base on two legs of six joints each."""
    b = amble.Builder("biped")
    b.body("base", mass=10.0, com=[0, 0, 0.1], inertia=np.diag([0.3, 0.2, 0.1]))
    b.joint("root", "free", parent="world", child="base")
    for side, y in (("left", 0.1), ("right", -0.1)):
        parent, pose = "base", at(0, y)
        for i, axis in enumerate(([0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0])):
            name = f"{side}{i}"
            b.body(name, mass=1.0, com=[0, 0, -0.1], inertia=np.diag([0.02, 0.02, 0.01]))
            b.joint(name, "revolute", parent=parent, child=name, pose=pose, axis=axis)
            parent, pose = name, at(0.02, 0, -0.2 if i in (2, 3) else 0)
    return b.build()


@pytest.fixture
def state(biped):
    r = np.random.default_rng(4)
    return biped.integrate(biped.neutral(), 0.5 * r.standard_normal(biped.nv)), r.standard_normal(biped.nv), r.standard_normal(biped.nv)


def test_a_biped_on_both_feet(biped, state):
    q, v, tau = state
    d = amble.ContactDynamics(biped, ["left5", "right5"], damping=2.0)
    J = np.vstack([amble.jacobian(biped, q, foot) for foot in ("left5", "right5")])
    J_dot = np.vstack([amble.jacobian_dot(biped, q, v, foot) for foot in ("left5", "right5")])
    push = {"base": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}
    a = d.solve(q, v, tau, external=push)
    assert (d.rows, d.rank, d.row(1)) == (12, 12, 6)
    np.testing.assert_allclose(J @ a + J_dot @ v + 2.0 * J @ v, 0, atol=1e-9)
    needed = amble.inverse_dynamics(biped, q, v, a, external=push)
    np.testing.assert_allclose(needed, tau + J.T @ d.forces, atol=1e-8)
    np.testing.assert_array_equal(d.force(1), d.forces[6:])
    np.testing.assert_array_equal(d.accelerations, a)


def test_derivatives_are_those_of_differences(biped, state):
    q, v, tau = state
    sole = [amble.BodyContact("left5", pose=at(0.1, 0, -0.05), axes="world"), amble.BodyContact("right5", point=True)]
    d = amble.ContactDynamics(biped, sole)
    assert (sole[0].place, sole[0].axes, sole[1].point) == ("left5", "world", True)
    np.testing.assert_array_equal(sole[0].pose, at(0.1, 0, -0.05))
    c = d.derivatives(q, v, tau)
    other = amble.ContactDynamics(biped, sole)

    def both(q, v, tau):
        a = other.solve(q, v, tau)
        return np.concatenate([a, other.forces])

    h = 1e-5
    for k in range(biped.nv):
        e = h * np.eye(biped.nv)[k]
        dq = (both(biped.integrate(q, e), v, tau) - both(biped.integrate(q, -e), v, tau)) / (2 * h)
        dv = (both(q, v + e, tau) - both(q, v - e, tau)) / (2 * h)
        dtau = (both(q, v, tau + e) - both(q, v, tau - e)) / (2 * h)
        for a, f, expected in ((c.a_dq, c.f_dq, dq), (c.a_dv, c.f_dv, dv), (c.a_dtau, c.f_dtau, dtau)):
            ours = np.concatenate([a[:, k], f[:, k]])
            np.testing.assert_allclose(ours, expected, atol=1e-6 * (1 + abs(expected).max()))


def test_four_points_hold_a_foot_as_a_sole_does(biped, state):
    q, v, tau = state
    corners = [amble.BodyContact("left5", pose=at(x, y), point=True) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    points, sole = amble.ContactDynamics(biped, corners), amble.ContactDynamics(biped, ["left5"])
    np.testing.assert_allclose(points.solve(q, v, tau), sole.solve(q, v, tau), atol=1e-7)
    assert (points.rows, points.rank, sole.rank) == (12, 6, 6)
    np.testing.assert_allclose(sum(points.force(i)[:3] for i in range(4)), sole.force(0)[:3], atol=1e-7)


def test_an_impact_stops_the_feet(biped, state):
    q, v, _ = state
    d = amble.ContactDynamics(biped, ["left5"])
    J = amble.jacobian(biped, q, "left5")
    np.testing.assert_allclose(J @ d.impact(q, v), 0, atol=1e-10)
    np.testing.assert_allclose(J @ d.impact(q, v, restitution=0.5), -0.5 * J @ v, atol=1e-10)
    gained = amble.mass_matrix(biped, q) @ (d.impact(q, v) - v)
    np.testing.assert_allclose(gained, J.T @ d.forces, atol=1e-9)


def test_what_is_wrong_is_said(biped, state):
    q, v, tau = state
    with pytest.raises(amble.Error, match="no contacts"):
        amble.ContactDynamics(biped, [])
    with pytest.raises(amble.Error, match="left6"):
        amble.ContactDynamics(biped, ["left6"])
    with pytest.raises(amble.Error, match="expected body or world"):
        amble.BodyContact("left5", axes="moon")
    d = amble.ContactDynamics(biped, ["left5"])
    with pytest.raises(amble.Error, match="tau"):
        d.solve(q, v, tau[:-1])
    with pytest.raises(amble.Error, match="restitution"):
        d.impact(q, v, restitution=2.0)
