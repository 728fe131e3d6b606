"""One mechanism in many coordinates: charts, momenta, Gauss' principle."""

import amble
import numpy as np
import pytest
from amble import geometry

CHARTS = ["rpy", "xyz", "zyz", "quaternion", "matrix", "exponential"]


class ModifiedRodrigues:
    """Written for any kind of number, and with rho alone."""

    name = "mrp"

    def rho(self, s):
        n = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
        K = np.array([[0 * n, -s[2], s[1]], [s[2], 0 * n, -s[0]], [-s[1], s[0], 0 * n]])
        d = (1 + n) * (1 + n)
        return np.eye(3) + 8 * (K @ K) / d + 4 * (1 - n) * K / d


@pytest.fixture
def arm():
    """A floating base with a ball joint and a hinge, in motion."""
    b = amble.Builder("arm")
    for i, name in enumerate(["base", "upper", "lower"]):
        b.body(name, mass=1.0 + i, com=[0.1, 0.05 * i, -0.2], inertia=np.diag([0.3, 0.4 + 0.1 * i, 0.35]))
    b.joint("root", "free", parent="world", child="base")
    pose = np.eye(4)
    pose[:3, 3] = [0.2, 0.1, 0.4]
    b.joint("shoulder", "spherical", parent="base", child="upper", pose=pose)
    b.joint("elbow", "revolute", parent="upper", child="lower", pose=pose, axis=[0, 1, 0])
    m = b.build()
    rng = np.random.default_rng(3)
    return m, m.random(seed=4), rng.uniform(-1, 1, m.nv), rng.uniform(-1, 1, m.nv)


@pytest.mark.parametrize("chart", CHARTS + [ModifiedRodrigues()], ids=str)
def test_every_chart_gives_the_same_motion(arm, chart):
    m, q, v, tau = arm
    c = amble.ChartCoordinates(m, chart)
    x = c.from_configuration(q)
    xdot = c.rates(x, v)
    d = amble.chart_dynamics(m, chart, x, xdot)
    np.testing.assert_allclose(amble.pose(m, d.q, "lower"), amble.pose(m, q, "lower"), atol=1e-13)
    np.testing.assert_allclose(d.v, v, atol=1e-12)
    xddot = d.forward(tau)
    np.testing.assert_allclose(d.inverse(xddot), tau, atol=1e-9)
    # The equation of motion as BK writes it, with the weight M (g, 0, 0).
    g = np.zeros(c.size)
    g[:3] = m.gravity
    T = np.array([c.velocity(x, e) for e in np.eye(c.size)]).T
    left, right = d.M @ xddot + d.N @ xdot, d.M @ g + T.T @ tau
    np.testing.assert_allclose(left, right, atol=1e-9)
    np.testing.assert_allclose(d.A @ left, d.A @ right, atol=1e-9)
    np.testing.assert_allclose(d.constraint_jacobian @ xddot + d.constraint_bias, 0, atol=1e-10)
    np.testing.assert_allclose(d.lambda_, 0, atol=1e-10)
    np.testing.assert_allclose(d.constraint, 0, atol=1e-14)
    assert np.linalg.matrix_rank(d.M) == m.nv
    R = geometry.chart(chart).rotation(x[3 : 3 + d.J_omega.shape[1]])
    np.testing.assert_allclose(d.J_omega @ xdot[3 : 3 + d.J_omega.shape[1]], R @ v[3:6], atol=1e-12)
    np.testing.assert_allclose(d.J_omega_base @ xdot[3 : 3 + d.J_omega.shape[1]], v[3:6], atol=1e-12)
    assert d.j_omega("shoulder").shape == (3, d.J_omega.shape[1])


def test_forces_at_points_are_wrenches_on_bodies(arm):
    m, q, v, tau = arm
    c = amble.ChartCoordinates(m, "quaternion")
    x = c.from_configuration(q)
    d = amble.chart_dynamics(m, c, x, c.rates(x, v))
    point, force = np.array([0.3, -0.1, 0.2]), np.array([3.0, -1.0, 5.0])
    local = amble.pose(m, q, "lower")[:3, :3].T @ force
    wrench = {"lower": np.r_[local, np.cross(point, local)]}
    xddot = d.forward(tau, [dict(body="lower", point=point, force=force)])
    np.testing.assert_allclose(xddot, d.forward(tau, wrench), atol=1e-11)
    np.testing.assert_allclose(d.inverse(xddot, wrench), tau, atol=1e-10)
    # in the mechanism's own terms
    a = amble.forward_dynamics(m, q, v, tau, wrench)
    np.testing.assert_allclose(xddot[-1], a[-1], atol=1e-10)
    # u of BK: nothing drives the base
    tau[:6] = 0
    np.testing.assert_allclose(d.forward(tau[6:]), d.forward(tau), atol=0)
    np.testing.assert_allclose(d.multiplier(tau[6:]), 0, atol=1e-10)


def test_charts_by_joint(arm):
    m, q, v, tau = arm
    c = amble.ChartCoordinates(m, {"shoulder": "rpy"})
    assert {j: x.name for j, x in c.charts.items()} == {"root": "quaternion", "shoulder": "rpy"}
    assert c.size == 7 + 3 + 1 and c.constraint_count == 1
    assert c.slice("elbow") == slice(10, 11) and c.slice("root") == slice(0, 7)
    x = c.from_configuration(q)
    d = amble.chart_dynamics(m, {"shoulder": "rpy"}, x, c.rates(x, v))
    np.testing.assert_allclose(d.inverse(d.forward(tau)), tau, atol=1e-9)
    near = c.from_configuration(q, hint=-x)
    np.testing.assert_allclose(near[3:7], -x[3:7], atol=1e-14)


@pytest.mark.parametrize("chart", ["rpy", "matrix", ModifiedRodrigues()], ids=str)
def test_stacks_are_their_rows(arm, chart):
    m, _, _, _ = arm
    rng = np.random.default_rng(1)
    q = np.array([m.random(seed=i) for i in range(7)])
    v, u = rng.uniform(-1, 1, (7, m.nv)), rng.uniform(-1, 1, (7, m.nv))
    c = amble.ChartCoordinates(m, chart)
    x = c.from_configuration(q)
    xdot = c.rates(x, v)
    d = amble.chart_dynamics(m, c, x, xdot)
    assert d.M.shape == (7, c.size, c.size) and d.constraint.shape == (7, c.constraint_count)
    accelerations = d.forward(u)
    for i in range(7):
        one = amble.chart_dynamics(m, c, x[i], xdot[i])
        assert np.array_equal(d.M[i], one.M) and np.array_equal(d.N[i], one.N)
        assert np.array_equal(accelerations[i], one.forward(u[i]))
        assert np.array_equal(d.forward(u[0])[i], one.forward(u[0]))
        assert np.array_equal(d.J_omega[i], one.J_omega)
    np.testing.assert_allclose(d.inverse(accelerations), u, atol=1e-8)


def test_a_mechanism_without_charts_is_itself():
    m, q = amble.random_mechanism(3, bodies=4, types=["revolute", "prismatic"])
    v = np.linspace(-1, 1, m.nv)
    d = amble.chart_dynamics(m, "quaternion", q, v)
    np.testing.assert_allclose(d.M, amble.mass_matrix(m, q), atol=1e-13)
    assert d.J_omega.shape == (3, 0) and d.lambda_.shape == (0,)
    np.testing.assert_allclose(d.forward(v), amble.forward_dynamics(m, q, v, v), atol=1e-10)


def test_bad_states_are_named(arm):
    m, q, v, tau = arm
    zero = np.zeros(m.nv + 2)
    with pytest.raises(amble.Error, match="joint 'root'.*quaternion.*off by 1"):
        amble.chart_dynamics(m, "quaternion", zero, zero)
    x = amble.ChartCoordinates(m, "quaternion").from_configuration(q)
    with pytest.raises(amble.Error, match="leave its manifold"):
        amble.chart_dynamics(m, "quaternion", x, x)
    with pytest.raises(amble.Error, match="q_chart"):
        amble.chart_dynamics(m, "quaternion", x[:-1], zero)
    locked = np.zeros(m.nv)
    locked[4] = np.pi / 2
    d = amble.chart_dynamics(m, "rpy", locked, 0 * locked)
    with pytest.raises(amble.Error, match="joint 'root': chart 'rpy' is singular here: its singularity measure is"):
        d.forward(tau)
    c = amble.ChartCoordinates(m, "rpy")
    with pytest.raises(amble.Error, match="row 1.*singular"):
        good = c.from_configuration(q)
        amble.chart_dynamics(m, c, [good, locked], np.zeros((2, m.nv))).forward(tau)
    with pytest.raises(amble.Error, match="u has 5 numbers"):
        d.forward(np.zeros(5))
    with pytest.raises(amble.Error, match="no body 'leg'"):
        d.inverse(locked, [dict(body="leg", force=[0, 0, 1])])
    with pytest.raises(amble.Error, match="no 'force'"):
        d.inverse(locked, [dict(body="base")])
    with pytest.raises(amble.Error, match="has 'at'"):
        d.inverse(locked, [dict(body="base", force=[0, 0, 1], at=[0, 0, 0])])
    with pytest.raises(amble.Error, match="elbow.*only free and spherical"):
        amble.ChartCoordinates(m, {"elbow": "rpy"})
    with pytest.raises(amble.Error, match="chart"):
        amble.ChartCoordinates(m, 3)


def test_momenta_give_the_same_motion(arm):
    m, q, v, tau = arm
    p = amble.momenta(m, q, v)
    np.testing.assert_allclose(p, amble.mass_matrix(m, q) @ v, atol=1e-13)
    np.testing.assert_allclose(amble.velocities(m, q, p), v, atol=1e-12)
    push = {"lower": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}
    rate_v, pdot = amble.hamiltonian_rates(m, q, p, tau, push)
    np.testing.assert_allclose(rate_v, v, atol=1e-12)
    C = amble.coriolis_matrix(m, q, v)
    a = amble.forward_dynamics(m, q, v, tau, push)
    np.testing.assert_allclose(pdot, amble.mass_matrix(m, q) @ a + (C + C.T) @ v, atol=1e-10)
    H = amble.hamiltonian(m, q, p)
    assert isinstance(H, float)
    assert H == pytest.approx(amble.kinetic_energy(m, q, v) + amble.potential_energy(m, q), abs=1e-12)


def test_momenta_take_stacks(arm):
    m, q, v, tau = arm
    qs, ps = np.array([m.random(seed=i) for i in range(5)]), np.linspace(-1, 1, 5 * m.nv).reshape(5, m.nv)
    vs, rates = amble.hamiltonian_rates(m, qs, ps, tau)
    for i in range(5):
        one = amble.hamiltonian_rates(m, qs[i], ps[i], tau)
        assert np.array_equal(vs[i], one[0]) and np.array_equal(rates[i], one[1])
    assert amble.hamiltonian(m, qs, ps).shape == (5,)


def test_momentum_of_the_base_in_world_axes_is_that_of_all(arm):
    m, q, v, _ = arm
    world = amble.momenta_in_world(m, q, amble.momenta(m, q, v))
    h = amble.momentum(m, q, v)
    about_origin = h[3:] + np.cross(amble.center_of_mass(m, q), h[:3])
    np.testing.assert_allclose(world[:6], np.r_[h[:3], about_origin], atol=1e-12)
    np.testing.assert_allclose(amble.momenta_in_body(m, q, world), amble.momenta(m, q, v), atol=1e-12)
    # DS (2.87): it changes by the weight alone.
    p = amble.momenta(m, q, v)
    _, pdot = amble.hamiltonian_rates(m, q, p, np.zeros(m.nv))
    weight = m.mass * m.gravity
    rate = amble.momentum_rates_in_world(m, q, v, p, pdot)
    np.testing.assert_allclose(rate[:6], np.r_[weight, np.cross(amble.center_of_mass(m, q), weight)], atol=1e-10)


def test_boltzmann_hamel_in_velocities_of_ones_own(arm):
    m, q, v, tau = arm
    terms = amble.boltzmann_hamel(m, q, amble.momenta(m, q, v), tau)
    np.testing.assert_allclose(terms.structure, -terms.structure.T, atol=1e-12)
    np.testing.assert_allclose(terms.pdot, amble.hamiltonian_rates(m, q, amble.momenta(m, q, v), tau)[1], atol=1e-9)

    def world_twist(at):  # the base's velocity in world axes
        B = np.eye(m.nv)
        R = amble.pose(m, at, "base")[:3, :3]
        B[:3, :3] = B[3:6, 3:6] = R
        return B

    B = world_twist(q)
    own = amble.boltzmann_hamel(m, q, np.linalg.solve(B.T, amble.momenta(m, q, v)), np.linalg.solve(B.T, tau), world_twist)
    np.testing.assert_allclose(own.w, B @ v, atol=1e-9)
    np.testing.assert_allclose(own.pdot[6:], terms.pdot[6:], atol=1e-8)
    with pytest.raises(amble.Error, match="quasi-velocities"):
        amble.boltzmann_hamel(m, q, tau, tau, lambda q: np.eye(2))


def test_gauss_principle(arm):
    m, q, v, tau = arm
    a = amble.forward_dynamics(m, q, v, tau)
    least, none = amble.gauss_minimum(m, q, v, tau)
    np.testing.assert_allclose(least, a, atol=1e-9)
    assert none.shape == (0,)
    D = amble.gauss_deviation(m, q, v, a, tau)
    step = np.linspace(-1, 1, m.nv)
    rise = 0.5 * step @ amble.mass_matrix(m, q) @ step
    assert amble.gauss_deviation(m, q, v, a + step, tau) - D == pytest.approx(rise, rel=1e-9)
    assert amble.gauss_deviation(m, q, v, [a, a + step], tau).shape == (2,)
    A, b = np.eye(m.nv)[[9]], [0.5]
    held, force = amble.gauss_minimum(m, q, v, tau, constraint=(A, b))
    assert held[9] == pytest.approx(0.5)
    np.testing.assert_allclose(amble.forward_dynamics(m, q, v, tau + A.T @ force), held, atol=1e-9)
    both, forces = amble.gauss_minimum(m, q, v, [tau, 2 * tau], constraint=(A, b))
    assert both.shape == (2, m.nv) and forces.shape == (2, 1) and np.array_equal(both[0], held)
    with pytest.raises(amble.Error, match="pair"):
        amble.gauss_minimum(m, q, v, tau, constraint=3)
    still = amble.Builder("still").build()
    assert amble.gauss_minimum(still, [], [], [])[0].shape == (0,)


def test_a_switcher_keeps_the_motion_and_logs(arm):
    m, q, v, _ = arm
    c = amble.ChartCoordinates(m, "rpy")
    x = c.from_configuration(q)
    x[4] = 1.55  # close to gimbal lock
    xdot = c.rates(x, v)
    s = amble.ChartSwitcher(c)
    y, ydot = s.update(0.25, x, xdot)
    (entry,) = s.log
    assert entry["joint"] == "root" and entry["source"] == "rpy" and entry["target"] == "zxz" and entry["t"] == 0.25
    assert entry["measure_before"] < 0.3 and entry["measure_after"] > 0.5
    now = s.coordinates
    assert now.charts["root"].name == "zxz" and now.charts["shoulder"].name == "rpy"
    np.testing.assert_allclose(amble.pose(m, now.configuration(y), "lower"), amble.pose(m, c.configuration(x), "lower"), atol=1e-12)
    np.testing.assert_allclose(now.velocity(y, ydot), v, atol=1e-12)
    assert s.update(0.3, y, ydot)[0].tolist() == y.tolist() and len(s.log) == 1
    with pytest.raises(amble.Error, match="three"):
        amble.ChartSwitcher(c, alternatives=["quaternion"])


def test_a_state_belongs_to_its_mechanism_and_to_itself(arm):
    m, q, v, tau = arm
    c = amble.ChartCoordinates(m, "rpy")
    with pytest.raises(amble.Error, match="changed copies"):
        amble.chart_dynamics(m.with_gravity([0, 0, 0]), c, c.from_configuration(q), np.zeros(m.nv))
    x = c.from_configuration(np.array([q, q]))
    d = amble.chart_dynamics(m, c, x, np.zeros((2, m.nv)))
    before = d.M
    x += 1.0
    assert np.array_equal(d.M, before)
    bad = amble.ChartCoordinates(m, "quaternion").from_configuration(np.array([q, q]))
    bad[1, 3:7] *= 1.5
    with pytest.raises(amble.Error, match="row 1"):
        amble.chart_dynamics(m, "quaternion", bad, np.zeros_like(bad))


@pytest.mark.parametrize("chart", ["quaternion", "matrix"])
def test_an_integrator_of_ones_own_follows_the_motion(arm, chart):
    """Runge-Kutta 4, whose stages are off the constraints by a little."""
    m, q, v, _ = arm
    c = amble.ChartCoordinates(m, chart)
    n, h = c.size, 0.004
    f = lambda y: np.r_[y[n:], amble.chart_dynamics(m, c, y[:n], y[n:], tolerance=0.1).forward(np.zeros(m.nv))]
    x = c.from_configuration(q)
    y = np.r_[x, c.rates(x, v)]
    energy = amble.kinetic_energy(m, q, v) + amble.potential_energy(m, q)
    for _ in range(100):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(y + h * k3))
    assert np.abs(c.constraints(y[:n])).max() < 1e-6
    d = amble.chart_dynamics(m, c, y[:n], y[n:], tolerance=1e-3)
    now = amble.kinetic_energy(m, d.q, d.v) + amble.potential_energy(m, d.q)
    assert now == pytest.approx(energy, abs=1e-5)
    np.testing.assert_allclose(d.weight[:3], m.mass * m.gravity, atol=1e-9)
