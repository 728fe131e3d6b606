"""Energy, momentum, connection and derivatives: against sums over bodies, differences and each other."""


import amble
import numpy as np
import pytest
from conftest import MODELS, ticks_during


def pose(x, y, z, *turn):
    return amble.geometry.exp_se3([x, y, z, *(turn or (0, 0, 0))])


def body(b, name, mass=1.0):
    return b.body(name, mass=mass, com=[0.1, -0.2, 0.15], inertia=np.diag([0.3, 0.4, 0.5]) + 0.02)


def swimmer():
    """Free, spherical and planar joints in one tree."""
    b = amble.Builder("swimmer")
    for i, name in enumerate(["trunk", "arm", "plate", "finger"]):
        body(b, name, 1.0 + i)
    b.joint("root", "free", parent="world", child="trunk")
    shoulder = pose(0.3, 0, 0.2, 0.4, 0.5, -0.3)
    b.joint("shoulder", "spherical", parent="trunk", child="arm", pose=shoulder, armature=[0.1, 0.3, 0.2])
    b.joint("table", "planar", parent="trunk", child="plate", pose=pose(0, -0.3, 0.1, 0.2, 0, 0.7), axis=[0, 1, 0])
    b.joint("knuckle", "revolute", parent="arm", child="finger", pose=pose(0.2, 0, 0), axis=[0, 1, 0], armature=0.2)
    return b.build()


def two_roots():
    """The other joint types, a follower, a fixed part and a body that is part of the world."""
    b = amble.Builder("two roots")
    for name in ["plate", "ball", "screw", "sleeve", "fork", "follower", "cap", "post"]:
        body(b, name)
    b.joint("floor", "planar", parent="world", child="plate", pose=pose(1, 0, 0, 0.3, 0.2, 0.1))
    b.joint("socket", "spherical", parent="plate", child="ball", pose=pose(0, 0.2, 0.4))
    b.joint("thread", "helical", parent="ball", child="screw", pose=pose(0.1, 0, 0.3, 1, 0, 0), pitch=0.1)
    b.joint("slide", "cylindrical", parent="world", child="sleeve", pose=pose(-1, 0, 0.5, 0, 1, 0))
    b.joint("cross", "universal", parent="sleeve", child="fork", pose=pose(0, 0.3, 0))
    b.joint("gear", "prismatic", parent="fork", child="follower", axis=[1, 0, 0], mimic=("thread", -0.5, 0.2))
    b.joint("glue", "fixed", parent="fork", child="cap", pose=pose(0, 0, 0.2, 0, 0.3, 0))
    b.joint("base", "fixed", parent="world", child="post", pose=pose(0, 0, 1))
    return b.build()


def mechanisms():
    yield swimmer()
    yield two_roots()
    for seed in range(4):
        yield amble.random_mechanism(seed, bodies=8, roots=2, mimic=0.2 if seed % 2 else 0.0)[0]
    for file in sorted(f for f in MODELS.iterdir() if f.suffix in (".urdf", ".sdf", ".xml")):
        yield amble.load(file)
    yield amble.load(MODELS / "quadruped.urdf", floating_base=True)


ALL = [pytest.param(m, id=m.name + ("-free" if m.nq > m.nv else "")) for m in mechanisms()]
everywhere = pytest.mark.parametrize("m", ALL)


def state(m, seed=1):
    rng = np.random.default_rng(seed)
    return m.random(seed=seed), rng.normal(size=m.nv), rng.normal(size=m.nv)


def slope(f, h=2e-3):
    """f'(0) by central differences of order eight."""
    weights = [4 / 5, -1 / 5, 4 / 105, -1 / 280]
    return sum(w / h * (f((i + 1) * h) - f(-(i + 1) * h)) for i, w in enumerate(weights))


def slopes_in_q(m, q, f):
    """The derivative of f along integrate(q, .), its direction as the last index; f takes a stack of q."""
    return np.moveaxis(slope(lambda t: f(m.integrate(q, t * np.eye(m.nv)))), 0, -1)


def slopes(x, f):
    return np.moveaxis(slope(lambda t: f(x + t * np.eye(x.size))), 0, -1)


def close(ours, expected, tolerance):
    ours, expected = np.asarray(ours), np.asarray(expected)
    assert ours.shape == expected.shape
    error, scale = np.abs(ours - expected).max(initial=0), 1 + np.abs(expected).max(initial=0)
    assert error <= tolerance * scale, f"{error / scale:.2g} > {tolerance:.2g}"


def bodies_at(m, q):
    """Mass, centre of mass and inertia about it, both in world axes, and the Jacobian there, of every body."""
    for name in m.bodies:
        part = m.body(name)
        X = amble.pose(m, q, name)
        R = X[:3, :3]
        J = amble.jacobian(m, q, name, point=part.com, frame="aligned")
        yield part.mass, R @ part.com + X[:3, 3], R @ part.inertia @ R.T, J


@everywhere
def test_the_centre_of_mass_is_the_mean_over_bodies_and_its_velocity_the_slope(m):
    q, v, _ = state(m)
    expected = sum(mass * c for mass, c, _, _ in bodies_at(m, q)) / m.mass
    close(amble.center_of_mass(m, q), expected, 1e-13)
    rate = slope(lambda t: amble.center_of_mass(m, m.integrate(q, t * v)))
    close(amble.center_of_mass_velocity(m, q, v), rate, 2e-11)


@everywhere
def test_the_momentum_matrix_is_the_sum_over_bodies(m):
    q, v, _ = state(m)
    center = amble.center_of_mass(m, q)
    expected = np.zeros((6, m.nv))
    for mass, c, inertia, J in bodies_at(m, q):
        linear = mass * J[:3]
        expected[:3] += linear
        expected[3:] += inertia @ J[3:] + np.cross(c - center, linear, axisb=0).T
    close(amble.momentum_matrix(m, q), expected, 1e-13)
    close(amble.momentum(m, q, v), expected @ v, 1e-13)
    close(amble.momentum(m, q, v)[:3], m.mass * amble.center_of_mass_velocity(m, q, v), 1e-13)


@everywhere
def test_the_rate_of_the_momentum_matrix_is_its_slope(m):
    q, v, _ = state(m)
    rate = slope(lambda t: amble.momentum_matrix(m, m.integrate(q, t * v)))
    close(amble.momentum_matrix_dot(m, q, v), rate, 2e-11)


def test_only_gravity_and_wrenches_change_the_momentum_of_what_floats():
    m = swimmer()
    q, v, tau = state(m)
    tau[m.v_slice("root")] = 0
    F = {"finger": [1.0, -2, 3, 0.5, 0.2, -0.1]}
    a = amble.forward_dynamics(m, q, v, tau, external=F)
    rate = amble.momentum_matrix(m, q) @ a + amble.momentum_matrix_dot(m, q, v) @ v
    X = amble.pose(m, q, "finger")
    force, moment = X[:3, :3] @ F["finger"][:3], X[:3, :3] @ F["finger"][3:]
    arm = X[:3, 3] - amble.center_of_mass(m, q)
    close(rate, np.concatenate([force + m.mass * m.gravity, moment + np.cross(arm, force)]), 1e-11)


@everywhere
def test_energies_are_those_of_the_mass_matrix_and_of_heights(m):
    q, v, _ = state(m)
    close(amble.kinetic_energy(m, q, v), v @ amble.mass_matrix(m, q) @ v / 2, 1e-13)
    close(amble.potential_energy(m, q), -sum(mass * m.gravity @ c for mass, c, _, _ in bodies_at(m, q)), 1e-13)
    close(slopes_in_q(m, q, lambda x: amble.potential_energy(m, x)), amble.gravity_forces(m, q), 2e-11)


@everywhere
def test_power_is_the_rate_of_energy(m):
    q, v, a = state(m)

    def energy(t):
        x = m.integrate(q, t * v)
        return amble.kinetic_energy(m, x, v + t * a) + amble.potential_energy(m, x)

    close(amble.inverse_dynamics(m, q, v, a) @ v, slope(energy), 2e-11)


@everywhere
def test_the_inverse_of_the_mass_matrix_is_its_inverse(m):
    q, _, _ = state(m)
    M, inverse = amble.mass_matrix(m, q), amble.inverse_mass_matrix(m, q)
    limit = 1e-14 * m.nv * np.abs(M).max(initial=0) * np.abs(inverse).max(initial=0)
    np.testing.assert_allclose(M @ inverse, np.eye(m.nv), rtol=0, atol=limit)
    close(inverse, inverse.T, 1e-13)


@everywhere
def test_the_mass_matrix_changes_by_the_coriolis_matrix_and_its_transpose(m):
    q, v, _ = state(m)
    C = amble.coriolis_matrix(m, q, v)
    close(C + C.T, slope(lambda t: amble.mass_matrix(m, m.integrate(q, t * v))), 2e-11)
    close(C @ v, amble.bias_forces(m, q, v) - amble.gravity_forces(m, q), 1e-11)


@everywhere
def test_christoffel_symbols_make_the_coriolis_matrix_and_keep_the_metric(m):
    q, v, _ = state(m)
    gamma = amble.christoffel(m, q)
    assert gamma.shape == (m.nv,) * 3
    close(gamma @ v, amble.coriolis_matrix(m, q, v), 1e-13)
    close(gamma + gamma.transpose(1, 0, 2), slopes_in_q(m, q, lambda x: amble.mass_matrix(m, x)), 2e-11)
    assert np.array_equal(amble.christoffel(m, q, kind="first"), gamma)


@everywhere
def test_christoffel_symbols_of_the_second_kind_have_the_first_index_raised(m):
    q, v, _ = state(m)
    gamma = amble.christoffel(m, q, "second")
    inverse = amble.inverse_mass_matrix(m, q)
    close(gamma, np.einsum("il,ljk->ijk", inverse, amble.christoffel(m, q)), 1e-11)
    falling = amble.forward_dynamics(m, q, v, amble.gravity_forces(m, q))
    close(-gamma @ v @ v, falling, 2e-11)


@pytest.mark.parametrize("name", ["arm7.urdf", "four_bar.sdf", "planar"])
def test_in_coordinates_the_symbols_are_the_slopes_of_the_metric(name):
    if name == "planar":
        b = body(body(amble.Builder(name), "plate"), "rod").joint("floor", "planar", parent="world", child="plate")
        m = b.joint("pin", "revolute", parent="plate", child="rod", axis=[1, 0, 0]).build()
    else:
        m = amble.load(MODELS / name)
    q, _, _ = state(m)
    D = slopes_in_q(m, q, lambda x: amble.mass_matrix(m, x))  # D[i, j, k] = dM[i, j] / dq[k]
    expected = (D + D.transpose(0, 2, 1) - D.transpose(2, 0, 1)) / 2
    close(amble.christoffel(m, q), expected, 2e-11)


def structure_constants(m):
    """c[l, k, j] e_l = [e_k, e_j] for the body velocities of free and spherical joints; other rates commute."""
    c = np.zeros((m.nv,) * 3)
    cross = np.moveaxis(np.cross(np.eye(3)[:, None], np.eye(3)[None]), 2, 0)  # [:, k, j] is e_k x e_j
    for name in m.joints:
        kind, s = m.joint(name).type, m.v_slice(name)
        if kind == "spherical":
            c[s, s, s] = cross
        elif kind == "free":
            linear, angular = slice(s.start, s.start + 3), slice(s.start + 3, s.stop)
            c[angular, angular, angular] = c[linear, angular, linear] = c[linear, linear, angular] = cross
    return c


def test_the_symbols_have_no_torsion_in_the_frame_of_body_velocities():
    for m in (swimmer(), two_roots()):
        q, _, _ = state(m)
        gamma = amble.christoffel(m, q)
        brackets = np.einsum("il,lkj->ijk", amble.mass_matrix(m, q), structure_constants(m))
        assert np.abs(brackets).max() > 0.1
        close(gamma - gamma.transpose(0, 2, 1), brackets, 1e-13)


@everywhere
@pytest.mark.parametrize("frame", ["local", "world", "aligned"])
def test_the_rate_of_a_jacobian_is_its_slope(m, frame):
    q, v, _ = state(m)
    for name in (m.bodies[0], m.bodies[len(m.bodies) // 2], m.bodies[-1]):
        for point in (None, [0.3, -0.1, 0.2]):
            rate = slope(lambda t: amble.jacobian(m, m.integrate(q, t * v), name, point, frame))
            close(amble.jacobian_dot(m, q, v, name, point, frame), rate, 2e-11)


def test_the_frame_of_a_jacobians_rate_is_local_unless_asked():
    m = swimmer()
    q, v, _ = state(m)
    rates = {f: amble.jacobian_dot(m, q, v, "finger", frame=f) for f in ("local", "world", "aligned")}
    assert np.array_equal(amble.jacobian_dot(m, q, v, "finger"), rates["local"])
    assert np.abs(rates["local"] - rates["aligned"]).max() > 0.1 < np.abs(rates["world"] - rates["aligned"]).max()
    assert np.array_equal(amble.jacobian_dot(m, q, v, "world"), np.zeros((6, m.nv)))


@everywhere
def test_derivatives_of_inverse_dynamics_are_its_slopes_on_the_manifold(m):
    q, v, a = state(m)
    F = {m.bodies[-1]: [1.0, -2, 3, 4, -5, 6]}
    dq, dv, M = amble.inverse_dynamics_derivatives(m, q, v, a, external=F)
    close(dq, slopes_in_q(m, q, lambda x: amble.inverse_dynamics(m, x, v, a, F)), 2e-11)
    close(dv, slopes(v, lambda x: amble.inverse_dynamics(m, q, x, a, F)), 2e-11)
    close(M, amble.mass_matrix(m, q), 1e-13)


@everywhere
def test_derivatives_of_forward_dynamics_are_its_slopes_on_the_manifold(m):
    q, v, a = state(m)
    F = {m.bodies[-1]: [1.0, -2, 3, 4, -5, 6]}
    tau = amble.inverse_dynamics(m, q, v, a, F)
    dq, dv, inverse = amble.forward_dynamics_derivatives(m, q, v, tau, external=F)
    close(dq, slopes_in_q(m, q, lambda x: amble.forward_dynamics(m, x, v, tau, F)), 1e-9)
    close(dv, slopes(v, lambda x: amble.forward_dynamics(m, q, x, tau, F)), 1e-9)
    close(inverse, amble.inverse_mass_matrix(m, q), 1e-11)


def test_wrenches_turn_with_their_bodies_in_derivatives():
    m = swimmer()
    q, v, a = state(m)
    F = {"finger": [10.0, 20, -30, 4, 5, 6]}
    for f in (amble.inverse_dynamics_derivatives, amble.forward_dynamics_derivatives):
        pushed, alone = f(m, q, v, a, F), f(m, q, v, a)
        assert np.abs(pushed[0] - alone[0]).max() > 1
        assert all(np.array_equal(x, y) for x, y in zip(f(m, q, v, a, {}), alone))


def test_a_pendulum_has_the_numbers_of_the_textbook():
    b = amble.Builder("pendulum").body("bob", mass=2.0, com=[0, 0, -0.5], inertia=np.diag([0.1, 0.1, 0.1]))
    m = b.joint("pin", "revolute", parent="world", child="bob", axis=[0, 1, 0]).build()
    q, v, tau, M, weight = 0.3, 1.5, 0.7, 0.1 + 2 * 0.25, 2 * 9.81 * 0.5
    close(amble.kinetic_energy(m, [q], [v]), M * v * v / 2, 1e-14)
    close(amble.potential_energy(m, [q]), -weight * np.cos(q), 1e-14)
    close(amble.center_of_mass(m, [q]), [-0.5 * np.sin(q), 0, -0.5 * np.cos(q)], 1e-14)
    close(amble.momentum(m, [q], [v]), [-v * np.cos(q), 0, v * np.sin(q), 0, 0.1 * v, 0], 1e-14)
    dq, dv, inverse = amble.forward_dynamics_derivatives(m, [q], [v], [tau])
    close(np.concatenate([dq, dv, inverse]), [[-weight * np.cos(q) / M], [0], [1 / M]], 1e-14)
    assert not amble.christoffel(m, [q]).any() and not amble.coriolis_matrix(m, [q], [v]).any()


FUNCTIONS = {
    "jacobian_dot": "qvb",
    "center_of_mass": "q",
    "center_of_mass_velocity": "qv",
    "momentum_matrix": "q",
    "momentum_matrix_dot": "qv",
    "momentum": "qv",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "inverse_mass_matrix": "q",
    "coriolis_matrix": "qv",
    "christoffel": "q",
    "inverse_dynamics_derivatives": "qvv",
    "forward_dynamics_derivatives": "qvv",
}
each_function = pytest.mark.parametrize("name", FUNCTIONS)


def function(name, m):
    """f(states...) -> list of arrays, whatever the function returns."""

    def f(*states):
        result = getattr(amble, name)(m, *states, *([m.bodies[-1]] if "b" in FUNCTIONS[name] else []))
        return [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]

    return f


def stacks(m, name, count):
    rng = np.random.default_rng(7)
    kinds = FUNCTIONS[name].replace("b", "")
    return [m.random(seed=7, count=count) if kind == "q" else rng.normal(size=(count, m.nv)) for kind in kinds]


def expected_shapes(name, nv):
    if name.endswith("_derivatives"):
        return [(nv, nv)] * 3
    shapes = {"center_of_mass": (3,), "center_of_mass_velocity": (3,), "momentum": (6,), "christoffel": (nv,) * 3}
    shapes |= {"kinetic_energy": (), "potential_energy": (), "inverse_mass_matrix": (nv, nv)}
    shapes |= {"coriolis_matrix": (nv, nv)}
    return [shapes.get(name, (6, nv))]


@each_function
@pytest.mark.parametrize("make", [swimmer, two_roots])
def test_rows_of_stacks_are_what_single_calls_give(name, make):
    m = make()
    f = function(name, m)
    given = stacks(m, name, 6)
    for chosen in list(np.ndindex(*[2] * len(given)))[1:]:
        mixed = [x if stacked else x[0] for x, stacked in zip(given, chosen)]
        rows = [f(*[x[i] if stacked else x[0] for x, stacked in zip(given, chosen)]) for i in range(6)]
        for ours, singles, shape in zip(f(*mixed), zip(*rows), expected_shapes(name, m.nv)):
            assert ours.shape == (6, *shape)
            close(ours, np.array(singles), 1e-12)
        folded = [x.reshape(2, 3, -1) if stacked else x[0] for x, stacked in zip(given, chosen)]
        for ours, flat in zip(f(*folded), f(*mixed)):
            assert np.array_equal(ours, flat.reshape(2, 3, *flat.shape[1:]))


@each_function
def test_a_row_has_the_same_bits_wherever_it_stands_and_on_any_number_of_threads(name):
    m = swimmer()
    f = function(name, m)
    given = stacks(m, name, 1100)
    expected = f(*given)
    try:
        for count in (1, 3):
            amble.set_threads(count)
            for ours, rows in zip(f(*[x[::-1] for x in given]), expected):
                assert np.array_equal(ours, rows[::-1])
            for ours, rows in zip(f(*[x[1013:] for x in given]), expected):
                assert np.array_equal(ours, rows[1013:])
    finally:
        amble.set_threads(0)


@each_function
def test_stacks_of_none_and_mechanisms_without_freedom_keep_their_shapes(name):
    m = swimmer()
    empty = function(name, m)(*[x[:0] for x in stacks(m, name, 1)])
    assert [x.shape for x in empty] == [(0, *shape) for shape in expected_shapes(name, m.nv)]
    post = body(amble.Builder("post"), "post").joint("foot", "fixed", parent="world", child="post").build()
    states = [[] for kind in FUNCTIONS[name] if kind != "b"]
    assert [x.shape for x in function(name, post)(*states)] == expected_shapes(name, 0)
    rows = function(name, post)(*[np.zeros((3, 0)) for _ in states])
    assert [x.shape for x in rows] == [(3, *shape) for shape in expected_shapes(name, 0)]


def test_energies_are_floats_for_one_state_and_arrays_for_stacks():
    m = swimmer()
    q, v, _ = state(m)
    assert type(amble.kinetic_energy(m, q, v)) is float and type(amble.potential_energy(m, q)) is float
    assert amble.kinetic_energy(m, q, v[None]).shape == amble.potential_energy(m, q[None]).shape == (1,)
    assert amble.kinetic_energy(m, np.tile(q, (2, 3, 1)), v).shape == (2, 3)


@each_function
def test_results_are_arrays_of_their_own(name):
    m = swimmer()
    f = function(name, m)
    given = [x[0] for x in stacks(m, name, 2)]
    first = f(*given)
    kept = [x.copy() for x in first]
    f(*[x[1] for x in stacks(m, name, 2)])
    for x, copy in zip(first, kept):
        assert x.flags.c_contiguous and x.flags.writeable and x.dtype == float
        assert np.array_equal(x, copy)


def test_other_python_threads_run_meanwhile():
    m = amble.load(MODELS / "humanoid.urdf", floating_base=True)
    given = stacks(m, "forward_dynamics_derivatives", 2000)
    amble.set_threads(1)

    def work():
        for _ in range(4):
            amble.forward_dynamics_derivatives(m, *given)
            amble.christoffel(m, given[0][:200])

    ticks = ticks_during(work)
    amble.set_threads(0)
    # With the interpreter locked in eight long calls there would be about one tick for each.
    assert ticks > 20


@each_function
def test_wrong_states_are_named(name):
    m = swimmer()
    f = function(name, m)
    last = "tau" if name.startswith("forward") else "a"
    given = stacks(m, name, 3)
    for i, kind in enumerate(FUNCTIONS[name].replace("b", "")):
        what = last if i == 2 else kind
        size = m.nq if kind == "q" else m.nv
        for bad, message in (
            (np.zeros(2), rf"^{what} has shape \(2,\): expected \({size},\)"),
            (np.full(size, np.nan), rf"^{what}\[0\] is nan"),
            (None, f"^{what} is None: expected numbers$"),
        ):
            with pytest.raises(amble.Error, match=message):
                f(*[bad if j == i else x[0] for j, x in enumerate(given)])
    given[0][1, 3:7] *= 2
    with pytest.raises(amble.Error, match="^row 1: .*quaternion of joint 'root'"):
        f(*given)
    if len(given) > 1:
        with pytest.raises(amble.Error, match=r"^q is a stack of shape \(3,\) but v is one of shape \(2,\)"):
            f(given[0], given[1][:2], *given[2:])


CALLS = [
    (lambda m, q, v: amble.jacobian_dot(m, q, v, "nose"), "^there is no body 'nose'"),
    (lambda m, q, v: amble.jacobian_dot(m, q, v, "arm", frame="body"), "^unknown frame 'body', expected 'local'"),
    (lambda m, q, v: amble.jacobian_dot(m, q, v, "arm", [1, 2]), r"^point has shape \(2,\): expected \(3,\)$"),
    (lambda m, q, v: amble.jacobian_dot(m, q, v, "arm", [1, 2, np.inf]), r"^point\[2\] is inf"),
    (lambda m, q, v: amble.christoffel(m, q, "third"), "^unknown kind 'third', expected 'first' or 'second'$"),
    (lambda m, q, v: amble.inverse_dynamics_derivatives(m, q, v, v, {"nose": [0] * 6}), "^there is no body 'nose'"),
    (lambda m, q, v: amble.forward_dynamics_derivatives(m, q, v, v, [1]), "^external is a list: expected a mapping"),
    (
        lambda m, q, v: amble.forward_dynamics_derivatives(m, q, v, v, external={"arm": [1, 2]}),
        r"^the wrench on 'arm' has shape \(2,\): expected \(6,\)$",
    ),
]


@pytest.mark.parametrize("call, message", CALLS)
def test_unknown_names_and_wrong_wrenches_are_named(call, message):
    m = swimmer()
    with pytest.raises(amble.Error, match=message):
        call(m, m.neutral(), np.zeros(m.nv))


def test_a_massless_part_that_moves_is_named():
    m = amble.Builder("ghost").body("ghost").joint("slide", "prismatic", parent="world", child="ghost").build()
    for call in (
        lambda q: amble.inverse_mass_matrix(m, q),
        lambda q: amble.christoffel(m, q, kind="second"),
        lambda q: amble.forward_dynamics_derivatives(m, q, [0], [1]),
    ):
        with pytest.raises(amble.Error, match="^the mass matrix is singular: joint 'slide'"):
            call([0])
        with pytest.raises(amble.Error, match="^row 0: the mass matrix is singular: joint 'slide'"):
            call([[0], [0]])
    assert amble.christoffel(m, [0]).tolist() == [[[0]]]


def test_what_has_no_mass_has_energies_but_no_centre_of_mass():
    m = amble.Builder("ghost").body("ghost").joint("slide", "prismatic", parent="world", child="ghost").build()
    assert amble.kinetic_energy(m, [1], [2]) == amble.potential_energy(m, [1]) == 0
    for name in ("center_of_mass", "center_of_mass_velocity", "momentum_matrix", "momentum_matrix_dot", "momentum"):
        with pytest.raises(amble.Error, match="^'ghost' has no mass, so it has no centre of mass$"):
            function(name, m)(*[[0] for _ in FUNCTIONS[name]])
