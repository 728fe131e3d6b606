"""The route without multipliers, DS Theorem 2.21, and the constraint connection, ZB (26)."""

import amble
import numpy as np
import pytest


def start(name, seed=1, **parameters):
    """A classic mechanism with a velocity that its constraints allow."""
    m, constraints, q = amble.closed_mechanism(name, **parameters)
    d = amble.ConstrainedDynamics(m, constraints)
    v = np.random.default_rng(seed).uniform(-1, 1, m.nv)
    d.set_state(q, v)
    return m, constraints, q, d.project_velocity(v)


def further(m, constraints):
    """Those that a mechanism does not carry itself."""
    carried = [c.name for c in amble.constraints_of(m)]
    return [c for c in constraints if c.name not in carried]


@pytest.mark.parametrize("name", ["four_bar", "snakeboard", "rolling_disc", "car", "bricard"])
def test_reduced_momenta_move_a_mechanism_as_multipliers_do(name):
    m, constraints, q, v = start(name)
    push = lambda t, q, v: np.sin(3 * t + np.arange(m.nv))
    ours = further(m, constraints)
    a = amble.simulate(m, q, v, 0.5, tau=push, constraints=ours, tolerance=1e-12, interval=0.1)
    b = amble.reduced_momentum_motion(m, q, v, 0.5, tau=push, constraints=ours, tolerance=1e-12, interval=0.1)
    np.testing.assert_allclose(a.t, b.t, atol=1e-15)
    np.testing.assert_allclose(a.q, b.q, atol=1e-8)
    np.testing.assert_allclose(a.v, b.v, atol=1e-8 * (1 + np.abs(a.v).max()))
    np.testing.assert_allclose(a.energy, b.energy, atol=1e-7 * (1 + np.abs(a.energy).max()))
    assert b.alpha.shape == (len(b.t), amble.mobility(m, q, constraints))
    assert b.choices[0]["t"] == 0.0 and len(b.choices[0]["coordinates"]) == b.alpha.shape[1]
    assert np.abs(b.q[-1] - b.q[0]).max() > 1e-3


def test_alpha_belongs_to_the_coordinates_named():
    m, constraints, q, v = start("four_bar")
    motion = amble.reduced_momentum_motion(m, q, v, 0.2, interval=0.05)
    joint = motion.choices[0]["coordinates"][0]
    k = m.v_slice(joint).start
    for q, v, alpha in zip(motion.q, motion.v, motion.alpha):
        kinetic = 0.5 * v @ amble.mass_matrix(m, q) @ v
        assert alpha[0] * v[k] == pytest.approx(2 * kinetic, rel=1e-9)  # one freedom: alpha times its speed


def test_other_coordinates_are_taken_where_the_first_become_poor():
    m, constraints, q, v = start("four_bar", ground=1.0, crank=0.7, coupler=0.65, rocker=0.65)
    d = amble.ConstrainedDynamics(m, constraints)
    v = np.zeros(m.nv)
    v[m.v_slice("rocker")] = -5.0
    d.set_state(q, v)
    v = d.project_velocity(v)
    motion = amble.reduced_momentum_motion(m, q, v, 1.5, interval=0.0)
    times = [choice["t"] for choice in motion.choices]
    assert len(times) >= 2 and times == sorted(times) and set(times) <= set(motion.t)
    assert np.ptp(motion.energy) < 1e-6


def test_what_a_mechanism_carries_acts():
    b = amble.Builder("sled")
    b.body("sled", mass=2.0, com=[0, 0, 0], inertia=np.eye(3))
    b.joint("slide", "prismatic", parent="world", child="sled", axis=[1, 0, 0], damping=3.0)
    b.body("load", mass=1.0, com=[0, 0, 0], inertia=np.eye(3))
    b.joint("rope", "prismatic", parent="world", child="load", axis=[1, 0, 0])
    m = b.build()
    tied = amble.coupling_constraint(m, "tied", {"slide": 1.0, "rope": -1.0})
    motion = amble.reduced_momentum_motion(m, [0, 0], [1.5, 1.5], 2.0, constraints=[tied])
    np.testing.assert_allclose(motion.v[:, 0], 1.5 * np.exp(-motion.t), atol=1e-9)  # 3 kg, 3 N s/m


def test_a_wrong_start_is_refused():
    m, constraints, q, v = start("four_bar")
    with pytest.raises(amble.Error, match="initial configuration breaks"):
        amble.reduced_momentum_motion(m, q + 0.1, v, 1.0)
    with pytest.raises(amble.Error, match="initial velocity breaks"):
        amble.reduced_momentum_motion(m, q, v + 0.1, 1.0)
    with pytest.raises(amble.Error, match="duration"):
        amble.reduced_momentum_motion(m, q, v, 0.0)
    with pytest.raises(amble.Error, match="interval"):
        amble.reduced_momentum_motion(m, q, v, 1.0, interval=-1.0)
    b = amble.Builder("free")
    b.body("a", mass=1.0, com=[0, 0, 0], inertia=np.eye(3))
    b.joint("j", "revolute", parent="world", child="a", axis=[0, 0, 1])
    with pytest.raises(amble.Error, match="nothing constrains 'free'"):
        amble.reduced_momentum_motion(b.build(), [0.0], [0.0], 1.0)


@pytest.mark.parametrize("name", ["four_bar", "snakeboard", "rolling_disc"])
def test_motions_without_forces_are_geodesics_of_the_constraint_connection(name):
    heavy, _, q, _ = start(name)
    m = heavy.with_gravity([0, 0, 0])
    constraints = {
        "four_bar": lambda: amble.constraints_of(m),
        "snakeboard": lambda: [amble.velocity_constraint(m, "edges", 2, lambda q: board_edges(m, q))],
        "rolling_disc": lambda: [amble.rolling_disc_constraint(m, "ground", "disc", 0.5)],
    }[name]()
    gamma = amble.constraint_connection(m, q, constraints)
    d = amble.ConstrainedDynamics(m, constraints)
    d.set_state(q, np.zeros(m.nv))
    v = d.project_velocity(np.random.default_rng(3).uniform(-1, 1, m.nv))
    d.set_state(q, v)
    a = d.accelerations(np.zeros(m.nv))
    np.testing.assert_allclose(a, -np.einsum("ijk,j,k->i", gamma, v, v), atol=1e-7 * (1 + np.abs(a).max()))
    if name == "four_bar":
        np.testing.assert_array_equal(gamma, amble.constraint_connection(m, q))


def board_edges(m, q, r=0.5):
    """DS (2.106): the trucks at +-r turn by +-phi against the board and do not go sideways."""
    x, y, theta, psi, phi = q
    return [[-np.sin(theta + s * phi), np.cos(theta + s * phi), s * r * np.cos(phi), 0, 0] for s in (1, -1)]


def test_a_constraint_with_a_speed_has_no_connection():
    m, _, q, _ = start("four_bar")
    motor = amble.velocity_constraint(m, "motor", 1, lambda q: [[1, 0, 0]], lambda q: [1.0])
    with pytest.raises(amble.Error, match="without a b"):
        amble.constraint_connection(m, q, [motor])
