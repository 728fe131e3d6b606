"""Regressors, placements, the kinetic-energy gradient and forces in space: against the dynamics and each other."""

import amble
import numpy as np
import pytest


def mechanisms():
    for seed in range(10):
        m, q = amble.random_mechanism(seed, bodies=10, roots=2, mimic=0.2 if seed % 2 else 0.0)
        rng = np.random.default_rng(seed)
        yield m, q, rng.normal(size=m.nv), rng.normal(size=m.nv)


def slope(f, h=2e-3):
    """f'(0) by central differences of order eight."""
    weights = [4 / 5, -1 / 5, 4 / 105, -1 / 280]
    return sum(w / h * (f((i + 1) * h) - f(-(i + 1) * h)) for i, w in enumerate(weights))


def close(ours, expected, tolerance):
    np.testing.assert_allclose(ours, expected, rtol=0, atol=tolerance * (1 + np.abs(expected).max()))


def test_the_gradient_is_the_slope_of_the_kinetic_energy():
    for m, q, v, _ in mechanisms():

        def energy(q):
            return 0.5 * v @ amble.mass_matrix(m, q) @ v

        expected = [slope(lambda t: energy(m.integrate(q, t * e))) for e in np.eye(m.nv)]
        error = np.abs(amble.kinetic_energy_gradient(m, q, v) - expected).max()
        assert error < 1e-10 * (1 + energy(q))


def armature_forces(m, v, a):
    """armature a, and the forces of a spinning body with that inertia where velocities are a body's."""
    tau, p = m.armature * a, m.armature * v
    for s, kind in ((m.v_slice(j), m.joint(j).type) for j in m.joints):
        if kind == "spherical":
            tau[s] += np.cross(v[s], p[s])
        elif kind == "free":
            linear, angular = v[s][:3], v[s][3:]
            spin = np.cross(angular, p[s][3:]) + np.cross(linear, p[s][:3])
            tau[s] += np.concatenate([np.cross(angular, p[s][:3]), spin])
    return tau


def test_the_regressor_is_linear_in_what_bodies_weigh():
    for m, q, v, a in mechanisms():
        pi = amble.inertial_parameters(m)
        assert pi.shape == (10 * len(m.bodies),)
        Y = amble.inverse_dynamics_regressor(m, q, v, a)
        tau = amble.inverse_dynamics(m, q, v, a)
        close(Y @ pi + armature_forces(m, v, a), tau, 1e-12)
        name = m.bodies[4]
        heavier = m.with_payload(name, mass=2.0, com=[0.1, 0.2, 0.3])
        change = Y @ (amble.inertial_parameters(heavier) - pi)
        close(amble.inverse_dynamics(heavier, q, v, a) - tau, change, 1e-11)


def test_parameters_are_in_the_order_they_say():
    inertia = [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    b = amble.Builder("one").body("one", mass=2.0, com=[0, 0, 1.0], inertia=inertia)
    m = b.joint("root", "free", parent="world", child="one").build()
    expected = [2, 0, 0, 2, 3 + 2, 0.1, 0.2, 4 + 2, 0.3, 5]
    np.testing.assert_allclose(amble.inertial_parameters(m).reshape(-1, 10), [expected], atol=1e-15)


def test_energy_rows_give_energies_and_their_rates_the_power():
    for m, q, v, a in mechanisms():
        pi = amble.inertial_parameters(m)
        kinetic = amble.kinetic_energy_regressor(m, q, v) @ pi + 0.5 * v @ (m.armature * v)
        close(kinetic, 0.5 * v @ amble.mass_matrix(m, q) @ v, 1e-12)

        def rows(t):
            x = m.integrate(q, t * v + t * t / 2 * a)
            return amble.kinetic_energy_regressor(m, x, v + t * a) + amble.potential_energy_regressor(m, x)

        close(v @ amble.inverse_dynamics_regressor(m, q, v, a), slope(rows), 1e-9)


def test_placement_derivatives_are_those_of_a_moved_joint():
    def arm(pose):
        b = amble.Builder("arm")
        for i in range(3):
            b.body(f"link{i}", mass=1.0 + i, com=[0.3, 0.1 * i, 0], inertia=np.diag([0.1, 0.2, 0.25]))
        b.joint("shoulder", "spherical", parent="world", child="link0")
        b.joint("elbow", "revolute", parent="link0", child="link1", pose=pose, axis=[0, 1, 0])
        hand = amble.geometry.exp_se3([0.5, 0, 0, 0, 0.2, 0])
        b.joint("wrist", "universal", parent="link1", child="link2", pose=hand)
        return b.build()

    X = amble.geometry.exp_se3([0.5, 0.1, 0, 0.3, -0.2, 0.4])
    m = arm(X)
    q, v, a = m.random(seed=2), np.linspace(-1, 2, m.nv), np.linspace(3, -1, m.nv)
    D = amble.inverse_dynamics_placement_derivatives(m, q, v, a, "elbow")
    for c, e in enumerate(np.eye(6)):
        expected = slope(lambda t: amble.inverse_dynamics(arm(X @ amble.geometry.exp_se3(t * e)), q, v, a))
        close(D[:, c], expected, 1e-10)


def test_wrenches_are_pulled_back_by_jacobians():
    for m, q, _, _ in mechanisms():
        F = {m.bodies[3]: [1, 2, 3, 4, 5, 6], m.bodies[7]: [-3, 1, 0, 2, 2, 2], "world": [9] * 6}
        expected = sum(amble.jacobian(m, q, b).T @ f for b, f in F.items())
        close(amble.generalized_forces(m, q, F), expected, 1e-13)
        assert np.array_equal(amble.generalized_forces(m, q, {}), np.zeros(m.nv))


def test_actuators_pull_both_ends():
    for m, q, _, _ in mechanisms():
        a, b, F = m.bodies[2], m.bodies[8], np.array([1.0, -2, 3, 4, -5, 6])
        X_ba = np.linalg.inv(amble.pose(m, q, b)) @ amble.pose(m, q, a)
        on_a = amble.geometry.adjoint(X_ba).T @ F
        expected = amble.jacobian(m, q, b).T @ F - amble.jacobian(m, q, a).T @ on_a
        close(amble.actuator_forces(m, q, [(a, b, F)]), expected, 1e-12)
        close(amble.actuator_forces(m, q, [("world", b, F)]), amble.jacobian(m, q, b).T @ F, 1e-13)
        assert np.array_equal(amble.actuator_forces(m, q, []), np.zeros(m.nv))


FUNCTIONS = {
    "kinetic_energy_gradient": ("qv", ()),
    "inverse_dynamics_regressor": ("qvv", ()),
    "kinetic_energy_regressor": ("qv", ()),
    "potential_energy_regressor": ("q", ()),
    "inverse_dynamics_placement_derivatives": ("qvv", ("joint2",)),
    "generalized_forces": ("q", ({"body3": [1, 2, 3, 4, 5, 6]},)),
    "actuator_forces": ("q", ([("body1", "body3", [1, 2, 3, 4, 5, 6])],)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_give_the_bits_of_single_calls(name):
    m, _ = amble.random_mechanism(3, bodies=8)
    kinds, more = FUNCTIONS[name]
    rng = np.random.default_rng(7)
    given = [m.random(seed=7, count=600) if kind == "q" else rng.normal(size=(600, m.nv)) for kind in kinds]
    f = getattr(amble, name)
    singles = np.array([f(m, *[x[i] for x in given], *more) for i in range(600)])
    assert np.array_equal(f(m, *given, *more), singles)
    grid = [x.reshape(20, 30, -1) for x in given]
    assert np.array_equal(f(m, *grid, *more), singles.reshape(20, 30, *singles.shape[1:]))
    assert f(m, *[x[:0] for x in given], *more).shape == (0, *singles.shape[1:])
    lone = [given[0], *[x[0] for x in given[1:]]]
    assert np.array_equal(f(m, *lone, *more)[5], f(m, given[0][5], *lone[1:], *more))


def test_bodies_between_stacked_joints_have_no_columns():
    text = """<mujoco><worldbody><body name="b"><joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="hinge" axis="0 1 0" pos="0 0 1"/><geom size="0.1" mass="2"/></body>
      </worldbody></mujoco>"""
    m = amble.load_text(text)
    q, v, a = [0.3, 0.2], [1.0, 2.0], [0.5, -1.0]
    assert m.bodies == ["b"]
    Y = amble.inverse_dynamics_regressor(m, q, v, a)
    assert Y.shape == (2, 10)
    tau = Y @ amble.inertial_parameters(m) + m.armature * a
    np.testing.assert_allclose(tau, amble.inverse_dynamics(m, q, v, a), atol=1e-13)
    assert amble.kinetic_energy_regressor(m, q, v).shape == amble.potential_energy_regressor(m, q).shape == (10,)


def test_wrong_arguments_are_refused_by_name():
    m, q = amble.random_mechanism(3)
    v, F = np.zeros(m.nv), np.zeros(6)
    with pytest.raises(amble.Error, match=r"^v has shape \(2,\)"):
        amble.kinetic_energy_gradient(m, q, v[:2])
    with pytest.raises(amble.Error, match=r"^a\[0\] is nan"):
        amble.inverse_dynamics_regressor(m, q, v, v * np.nan)
    with pytest.raises(amble.Error, match="^there is no joint 'jiont2' .did you mean 'joint2'"):
        amble.inverse_dynamics_placement_derivatives(m, q, v, v, "jiont2")
    with pytest.raises(amble.Error, match="^there is no body 'nose'"):
        amble.generalized_forces(m, q, {"nose": F})
    with pytest.raises(amble.Error, match="^wrenches is a list: expected a mapping"):
        amble.generalized_forces(m, q, [F])
    with pytest.raises(amble.Error, match="^actuators is {}: expected a sequence of"):
        amble.actuator_forces(m, q, {})
    with pytest.raises(amble.Error, match=r"^actuator 1 is \('body1', 2, 3\): expected \(place_a, place_b, wrench\)"):
        amble.actuator_forces(m, q, [("world", "body1", F), ("body1", 2, 3)])
    with pytest.raises(amble.Error, match=r"^the wrench of actuator 0 has shape \(3,\): expected \(6,\)"):
        amble.actuator_forces(m, q, [("world", "body1", F[:3])])
    with pytest.raises(amble.Error, match="^there is no body 'nose'"):
        amble.actuator_forces(m, q, [("world", "nose", F)])
