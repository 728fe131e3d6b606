"""Dynamics from Python: against sums over bodies, and against each other."""

from collections import UserDict

import amble
import numpy as np
import pytest
from conftest import ticks_during


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


def close(ours, expected):
    """Stacks go through SIMD lanes: the same arithmetic, in another order."""
    return np.shape(ours) == np.shape(expected) and np.abs(ours - expected).max() < 1e-11 * (1 + np.abs(expected).max())


def test_a_stack_gives_what_single_calls_give():
    m, _ = amble.random_mechanism(3, bodies=10)
    q = m.random(seed=1, count=17)
    v = np.random.default_rng(2).normal(size=(17, m.nv))
    rows = np.stack([amble.inverse_dynamics(m, x, y, y) for x, y in zip(q, v)])
    assert close(amble.inverse_dynamics(m, q, v, v), rows)
    assert amble.mass_matrix(m, q).shape == (17, m.nv, m.nv)
    assert close(amble.forward_dynamics(m, q, v, v[0])[5], amble.forward_dynamics(m, q[5], v[5], v[0]))


def test_wrong_arguments_are_refused_by_name():
    m, q = amble.random_mechanism(3)
    v = np.zeros(m.nv)
    with pytest.raises(amble.Error, match="nose"):
        amble.inverse_dynamics(m, q, v, v, external={"nose": np.zeros(6)})
    with pytest.raises(amble.Error, match=r"^tau has shape \(2,\)"):
        amble.forward_dynamics(m, q, v, v[:2])
    with pytest.raises(amble.Error, match=r"^v\[0\] is nan"):
        amble.bias_forces(m, q, v * np.nan)
    with pytest.raises(amble.Error, match=r"^the wrench on '.*' has shape \(3,\): expected \(6,\)$"):
        amble.forward_dynamics(m, q, v, v, external={m.bodies[0]: np.zeros(3)})
    with pytest.raises(amble.Error, match="^external is a list: expected a mapping {name: value}$"):
        amble.inverse_dynamics(m, q, v, v, external=[1, 2])
    with pytest.raises(amble.Error, match=r"^v is a stack of shape \(2,\) but a is one of shape \(3,\)"):
        amble.inverse_dynamics(m, q, np.zeros((2, m.nv)), np.zeros((3, m.nv)))
    with pytest.raises(amble.Error, match=r"^q is a stack of shape \(1,\) but tau is one of shape \(3,\)"):
        amble.forward_dynamics(m, q[None], v, np.zeros((3, m.nv)))


def test_any_mapping_says_which_wrenches_act():
    m, q = amble.random_mechanism(3)
    v = np.ones(m.nv)
    force = {m.bodies[-1]: [1, 2, 3, 4, 5, 6]}
    for f in (amble.inverse_dynamics, amble.forward_dynamics):
        assert np.array_equal(f(m, q, v, v, external=UserDict(force)), f(m, q, v, v, external=force))
        assert not np.array_equal(f(m, q, v, v, external=force), f(m, q, v, v, external={}))


FUNCTIONS = {
    "inverse_dynamics": "qvv",
    "forward_dynamics": "qvv",
    "bias_forces": "qv",
    "mass_matrix": "q",
    "gravity_forces": "q",
}


def stacks(m, kinds, *leading):
    rng = np.random.default_rng(7)
    q = m.random(seed=7, count=int(np.prod(leading))).reshape(*leading, m.nq)
    return [q if kind == "q" else rng.normal(size=(*leading, m.nv)) for kind in kinds]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed, mimic", [(3, 0.0), (4, 0.3)])
def test_every_choice_of_lone_items_and_stacks_gives_what_single_calls_give(name, seed, mimic):
    m, _ = amble.random_mechanism(seed, bodies=8, mimic=mimic)
    f = getattr(amble, name)
    given = stacks(m, FUNCTIONS[name], 6)
    for chosen in np.ndindex(*[2] * len(given)):
        rows = [[x[i] if stacked else x[0] for x, stacked in zip(given, chosen)] for i in range(6)]
        singles = np.array([f(m, *row) for row in rows])
        arguments = [x if stacked else x[0] for x, stacked in zip(given, chosen)]
        flat = f(m, *arguments)
        assert close(flat, singles if any(chosen) else singles[0])
        folded = [x.reshape(2, 3, -1) if stacked else x[0] for x, stacked in zip(given, chosen)]
        if any(chosen):
            assert np.array_equal(f(m, *folded), flat.reshape(2, 3, *singles.shape[1:]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_of_one_and_of_none_keep_their_shape(name):
    m, _ = amble.random_mechanism(3, bodies=8)
    f = getattr(amble, name)
    given = stacks(m, FUNCTIONS[name], 1)
    single = f(m, *[x[0] for x in given])
    for chosen in list(np.ndindex(*[2] * len(given)))[1:]:
        one = [x if stacked else x[0] for x, stacked in zip(given, chosen)]
        assert close(f(m, *one), single[None])
        none = [x[:0] if stacked else x[0] for x, stacked in zip(given, chosen)]
        assert f(m, *none).shape == (0, *single.shape)
        grid = [x[None][:, :0] if stacked else x[0] for x, stacked in zip(given, chosen)]
        assert f(m, *grid).shape == (1, 0, *single.shape)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_mechanism_that_cannot_move_has_forces_of_no_length(name):
    m = amble.Builder("post").body("post", mass=1.0).joint("foot", "fixed", parent="world", child="post").build()
    f = getattr(amble, name)
    item = (0, 0) if name == "mass_matrix" else (0,)
    assert f(m, *[[] for _ in FUNCTIONS[name]]).shape == item
    assert f(m, *[np.zeros((3, 0)) for _ in FUNCTIONS[name]]).shape == (3, *item)


def test_the_first_bad_row_is_named_by_its_place_in_the_stack():
    m = amble.Builder("ball").body("ball", mass=1.0).joint("root", "free", parent="world", child="ball").build()
    (q,) = stacks(m, "q", 1000)
    q[700, 3:] *= 2
    q[900, 3:] *= 2
    try:
        for count in (1, 3):
            amble.set_threads(count)
            with pytest.raises(amble.Error, match="^row 700: .*quaternion of joint 'root'"):
                amble.bias_forces(m, q, np.zeros(6))
            with pytest.raises(amble.Error, match=r"^row \[7, 0\]: .*quaternion of joint 'root'"):
                amble.mass_matrix(m, q.reshape(10, 100, 7))
    finally:
        amble.set_threads(0)
    with pytest.raises(amble.Error, match="^row 0: .*quaternion"):
        amble.gravity_forces(m, q[700:701])
    with pytest.raises(amble.Error, match="^(?!row).*quaternion"):
        amble.gravity_forces(m, q[700])


def test_the_row_with_a_singular_mass_matrix_is_named():
    m = amble.Builder("ghost").body("ghost").joint("slide", "prismatic", parent="world", child="ghost").build()
    with pytest.raises(amble.Error, match="^row 0: the mass matrix is singular: joint 'slide'"):
        amble.forward_dynamics(m, np.zeros((4, 1)), [0], [1])
    with pytest.raises(amble.Error, match="^the mass matrix is singular: joint 'slide'"):
        amble.forward_dynamics(m, [0], [0], [1])


def test_other_python_threads_run_during_dynamics():
    m, _ = amble.random_mechanism(3, bodies=30)
    q, v, a = stacks(m, "qvv", 60000)
    amble.set_threads(1)

    def work():
        for _ in range(3):
            amble.forward_dynamics(m, q, v, a)

    ticks = ticks_during(work)
    amble.set_threads(0)
    # With the interpreter locked in three long calls there would be about one tick for each.
    assert ticks > 15


def test_a_linearization_of_a_stack_is_that_of_its_rows(models):
    m = amble.load(models / "quadruped.urdf", floating_base=True)
    q, v, tau = m.random(seed=3, count=4), np.linspace(-1, 1, m.nv), np.linspace(-2, 2, m.nv)
    A, B = amble.linearize(m, q, v, tau)
    assert A.shape == (4, 2 * m.nv, 2 * m.nv) and B.shape == (4, 2 * m.nv, m.nv)
    for row, a, b in zip(q, A, B):
        one = amble.linearize(m, row, v, tau)
        assert np.array_equal(a, one[0]) and np.array_equal(b, one[1])
        dq, dv, inverse = amble.forward_dynamics_derivatives(m, row, v, tau)
        np.testing.assert_allclose(a[m.nv :], np.hstack([dq, dv]), rtol=0, atol=1e-10 * np.abs(a).max())
        np.testing.assert_allclose(b, np.vstack([np.zeros_like(inverse), inverse]), rtol=0, atol=1e-10 * np.abs(b).max())
        # Seen from the turning trunk, a displacement that stays where it is in space turns the other way round.
        np.testing.assert_allclose(a[3:6, 3:6], np.cross(np.eye(3), v[3:6]).T, atol=1e-15)


def test_a_robot_that_stands_is_linearized_on_its_feet(models):
    m = amble.load(models / "quadruped.urdf", floating_base=True)
    feet = [amble.BodyContact(b, point=True) for b in m.bodies if b.endswith("foot")]
    stand = amble.ContactDynamics(m, feet)
    q, v = m.neutral(), np.zeros(m.nv)
    tau = amble.gravity_forces(m, q)
    A, B = stand.linearize(q, v, tau)
    d = stand.derivatives(q, v, tau)
    assert np.array_equal(A[m.nv :], np.hstack([d.a_dq, d.a_dv])) and np.array_equal(B[m.nv :], d.a_dtau)
    assert np.array_equal(A[: m.nv], np.eye(m.nv, 2 * m.nv, m.nv)) and not B[: m.nv].any()
