"""Dynamics from Python: against sums over bodies, and against each other."""

import numpy as np
import pytest

import amble


def mechanisms():
    for seed in range(10):
        m, q = amble.random_mechanism(seed, bodies=12, mimic=0.2 if seed % 2 else 0.0)
        rng = np.random.default_rng(seed)
        yield m, q, rng.normal(size=m.nv), rng.normal(size=m.nv)


def body_inertia(body):
    """6 x 6 about the body's origin, linear part first."""
    c = np.array([[0, -body.com[2], body.com[1]], [body.com[2], 0, -body.com[0]], [-body.com[1], body.com[0], 0]])
    m = body.mass
    return np.block([[m * np.eye(3), -m * c], [m * c, body.inertia - m * c @ c]])


def test_the_mass_matrix_is_the_sum_over_bodies():
    for m, q, _, _ in mechanisms():
        expected = np.diag(m.armature)
        for name in m.bodies:
            J = amble.jacobian(m, q, name)
            expected = expected + J.T @ body_inertia(m.body(name)) @ J
        np.testing.assert_allclose(amble.mass_matrix(m, q), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_gravity_forces_are_the_gradient_of_the_potential():
    h = 1e-5
    for m, q, _, _ in mechanisms():

        def potential(q):
            heights = [(amble.pose(m, q, b) @ [*m.body(b).com, 1.0])[:3] for b in m.bodies]
            return -sum(m.body(b).mass * m.gravity @ p for b, p in zip(m.bodies, heights))

        steps = h * np.eye(m.nv)
        slope = [(potential(m.integrate(q, e)) - potential(m.integrate(q, -e))) / (2 * h) for e in steps]
        np.testing.assert_allclose(amble.gravity_forces(m, q), slope, atol=1e-6)


def test_the_equation_of_motion_holds_both_ways():
    for m, q, v, a in mechanisms():
        force = {m.bodies[3]: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
        tau = amble.inverse_dynamics(m, q, v, a, external=force)
        expected = amble.mass_matrix(m, q) @ a + amble.bias_forces(m, q, v)
        expected -= amble.jacobian(m, q, m.bodies[3]).T @ force[m.bodies[3]]
        np.testing.assert_allclose(tau, expected, rtol=0, atol=1e-10 * (1 + np.abs(expected).max()))
        np.testing.assert_allclose(amble.forward_dynamics(m, q, v, tau, external=force), a, rtol=1e-7, atol=1e-7)


def test_a_stack_gives_what_single_calls_give():
    m, _ = amble.random_mechanism(3, bodies=10)
    q = m.random(seed=1, count=17)
    v = np.random.default_rng(2).normal(size=(17, m.nv))
    rows = np.stack([amble.inverse_dynamics(m, x, y, y) for x, y in zip(q, v)])
    assert np.array_equal(amble.inverse_dynamics(m, q, v, v), rows)
    assert amble.mass_matrix(m, q).shape == (17, m.nv, m.nv)
    assert np.array_equal(amble.forward_dynamics(m, q, v, v[0])[5], amble.forward_dynamics(m, q[5], v[5], v[0]))


def test_wrong_arguments_are_refused_by_name():
    m, q = amble.random_mechanism(3)
    v = np.zeros(m.nv)
    with pytest.raises(amble.Error, match="nose"):
        amble.inverse_dynamics(m, q, v, v, external={"nose": np.zeros(6)})
    with pytest.raises(amble.Error, match="tau"):
        amble.forward_dynamics(m, q, v, v[:2])
    with pytest.raises(amble.Error, match="v"):
        amble.bias_forces(m, q, v * np.nan)
