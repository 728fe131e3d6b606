"""Geometry of mechanisms for stacks of states: as row by row, in the same bits, on mechanisms with joints of every kind."""

import amble
import numpy as np
import pytest
from conftest import ticks_during

BALL = np.diag([0.3, 0.4, 0.5])


def shifted(x, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def flyer():
    """A floating body with a ball-jointed arm and, on that, a screw."""
    b = amble.Builder("flyer")
    b.body("hull", mass=2.0, com=[0.1, 0, 0.05], inertia=BALL)
    b.body("arm", mass=1.0, com=[0.3, 0.1, 0], inertia=0.2 * BALL)
    b.body("bit", mass=0.5, com=[0.1, 0, 0.2], inertia=0.1 * BALL)
    b.joint("base", "free", parent="world", child="hull")
    b.joint("shoulder", "spherical", parent="hull", child="arm", pose=shifted(0.2))
    b.joint("drill", "helical", parent="arm", child="bit", pose=shifted(0.5), axis=[0, 0, 1], pitch=0.05)
    return b.build()


def arm(joints=4):
    b = amble.Builder("arm")
    for i in range(joints):
        b.body(f"link{i}", mass=1.0, com=[0.5, 0, 0], inertia=np.diag([0, 1 / 12, 1 / 12]))
        parent = f"link{i-1}" if i else "world"
        b.joint(f"joint{i}", "revolute", parent=parent, child=f"link{i}", pose=shifted(1.0 if i else 0.0))
    return b.build()


def tip(m):
    return amble.selected_task(amble.position_task(m, m.bodies[-1], point=[1, 0, 0]), [0, 1])


@pytest.fixture(autouse=True)
def all_cores_again():
    yield
    amble.set_threads(0)


def geometry_calls(m):
    rng = np.random.default_rng(5)
    v, w = rng.normal(size=(2, m.nv))
    A = rng.normal(size=(m.nv, m.nv))
    return {
        "structure_constants": lambda q: amble.structure_constants(m, q),
        "riemann": lambda q: amble.Curvature(m, q).riemann,
        "ricci": lambda q: amble.Curvature(m, q).ricci,
        "scalar": lambda q: amble.Curvature(m, q).scalar,
        "sectional": lambda q: amble.Curvature(m, q).sectional(v, w),
        "apply": lambda q: amble.Curvature(m, q).apply(v, w, v),
        "most": lambda q: amble.Curvature(m, q).most[0],
        "flatness": lambda q: amble.flatness(m, q).largest,
        "nabla": lambda q: amble.covariant_derivative(m, q, v, w, A),
        "gradient": lambda q: amble.gradient(m, q, v),
        "hessian": lambda q: amble.hessian(m, q, v, A + A.T),
        "geodesic": lambda q: amble.geodesic(m, q, v, 0.2, samples=3, tolerance=1e-8).q,
        "transport": lambda q: amble.parallel_transport(m, q, v, 0.1, A, tolerance=1e-8),
    }


def task_calls(m):
    rng = np.random.default_rng(6)
    task = tip(m)
    lift, fixed = amble.kinetic_lift(task), amble.extended_inverse(task, amble.user_task(m, "rest", m.nv - 2, lambda q: q[2:]))
    v, xdot = rng.normal(size=m.nv), rng.normal(size=2)
    return {
        "value": task.value,
        "jacobian": task.jacobian,
        "jacobian_rate": lambda q: task.jacobian_rate(q, v),
        "difference": lambda q: task.difference([0.1, 0.2], task.value(q)),
        "lift": lambda q: amble.submersion(task, q).lift,
        "rank": lambda q: amble.submersion(task, q).rank,
        "kernel_defect": lambda q: amble.submersion(task, q, metric=lambda q: np.diag(1 + q**2)).kernel_defect,
        "least": lambda q: amble.singularity(task, q).least,
        "damped": lambda q: amble.damped_lift(task, q, xdot).v,
        "inverse": lift.value,
        "rate": lambda q: lift.rate(q, v),
        "extended": fixed.value,
        "integrable": lambda q: amble.integrability(lift, q).integrable,
        "drift": lambda q: amble.integrability(lift, q).drift,
        "holonomy": lambda q: amble.holonomy(lift, q, [1, 0], [0, 1], radius=0.02, samples=3, tolerance=1e-6).drift,
        "lambda": lambda q: amble.workspace_dynamics(task, q, v).lambda_,
        "mu": lambda q: amble.workspace_dynamics(task, q, v).mu,
        "lifted gradient": lambda q: amble.lifted_function(task, q, xdot)[1],
        "feedback": lambda q: amble.lifted_feedback(task, q, v, xdot),
    }


FLYER, ARM = flyer(), arm()
CALLS = {**{k: (FLYER, f) for k, f in geometry_calls(FLYER).items()}, **{k: (ARM, f) for k, f in task_calls(ARM).items()}}


def some_states(m, count):
    """Away from singular configurations."""
    return m.random(seed=3, count=count) if m is FLYER else np.random.default_rng(7).uniform(0.3, 1.2, (count, m.nq))


@pytest.mark.parametrize("what", CALLS)
def test_a_row_has_the_same_bits_whatever_its_place_and_the_threads(what):
    m, f = CALLS[what]
    q = some_states(m, 24)
    single = np.array([f(row) for row in q])
    for count in (1, 2, 3):
        amble.set_threads(count)
        assert np.array_equal(f(q), single)
        assert np.array_equal(f(q[5:]), single[5:])
    assert np.array_equal(f(q.reshape(4, 6, -1)), single.reshape((4, 6) + single.shape[1:]))
    assert f(q[:1]).shape == (1,) + single.shape[1:]
    assert len(f(q[:0])) == 0


def test_lists_and_names_come_as_arrays_of_them():
    m, q = ARM, some_states(ARM, 3)
    q[1] = [0.3, 0.0, 0.0, 0.0]
    assert list(amble.singularity(tip(m), q).kind) == ["none", "kinematic", "none"]
    assert [x.shape for x in amble.singularity(tip(m), q).lost] == [(2, 0), (2, 1), (2, 0)]
    ways = amble.geodesics_between(m, q[:2], q[2], tolerance=1e-9)
    assert [way[0].length for way in ways] == [amble.geodesics_between(m, row, q[2], tolerance=1e-9)[0].length for row in q[:2]]
    ball = amble.Builder("ball")
    ball.body("body", mass=1.0, inertia=np.eye(3))
    ball.joint("base", "spherical", parent="world", child="body")
    ball = ball.build()
    found = amble.conjugate_points(ball, ball.random(seed=1, count=2), [[0, 0, 1], [0, 2, 0]], 7.0, samples=30)
    assert [row[0][0] for row in found] == pytest.approx([2 * np.pi, np.pi], abs=1e-6)


def test_flat_coordinates_of_a_stack():
    b = amble.Builder("gantry")
    b.body("bridge", mass=2.0)
    b.body("hook", mass=1.0)
    b.joint("x", "prismatic", parent="world", child="bridge", axis=[1, 0, 0])
    b.joint("y", "prismatic", parent="bridge", child="hook", axis=[0, 1, 0])
    f = amble.FlatCoordinates(b.build(), [0.1, 0.2])
    q = np.random.default_rng(1).normal(size=(5, 2))
    x, N = f.at(q)
    assert np.allclose(x, (q - [0.1, 0.2]) * np.sqrt([3, 1]))
    assert np.allclose(N, np.diag(np.sqrt([3, 1])))
    assert np.allclose(f.configuration(x), q)
    with pytest.raises(amble.Error, match=r"x has shape \(3,\): expected \(2,\), or \(\.\.\., 2\) for a stack"):
        f.configuration([1, 2, 3])


def test_vectors_go_with_every_row_or_row_by_row():
    m, q = ARM, some_states(ARM, 4)
    v = np.random.default_rng(2).normal(size=(4, 4))
    every = amble.parallel_transport(m, q, v, 0.1, [1, 0, 0, 0])
    assert every.shape == (4, 4)
    own = amble.parallel_transport(m, q, v, 0.1, np.stack([np.eye(4)] * 4))
    assert np.allclose(own[:, :, 0], every)
    with pytest.raises(amble.Error, match="vectors along a curve"):
        amble.parallel_transport_along(m, lambda t: (q[0], v[0]), 0, 1, np.zeros((2, 4, 1)))


def test_constraint_connections_and_mobility_of_stacks():
    b = amble.Builder("four_bar")
    for i, (name, length) in enumerate([("crank", 1.0), ("coupler", 2.0), ("rocker", 1.5)]):
        b.body(name, mass=1.0, com=[length / 2, 0, 0], inertia=0.1 * np.eye(3))
    b.joint("a", "revolute", parent="world", child="crank", axis=[0, 0, 1])
    b.joint("b", "revolute", parent="crank", child="coupler", pose=shifted(1.0), axis=[0, 0, 1])
    b.joint("d", "revolute", parent="world", child="rocker", pose=shifted(2.0), axis=[0, 0, 1])
    b.loop("c", "revolute", "rocker", "coupler", pose_a=shifted(1.5), pose_b=shifted(2.0), axis=[0, 0, 1])
    m = b.build()
    q = np.array([amble.assemble(m, [x, 0.3, 1.5], held=["a"]).q for x in (0.5, 0.7, 1.0)])
    gamma = amble.constraint_connection(m, q)
    assert gamma.shape == (3, 3, 3, 3)
    assert np.array_equal(gamma, [amble.constraint_connection(m, row) for row in q])
    assert list(amble.mobility(m, q)) == [1, 1, 1] and amble.mobility(m, q[0]) == 1


def test_the_first_bad_row_is_named_and_callbacks_errors_come_through():
    q = FLYER.random(seed=1, count=40)
    q[30, 3:7] *= 2
    for count in (1, 2):
        amble.set_threads(count)
        with pytest.raises(amble.Error, match=r"^row 30: .*quaternion of joint 'base'"):
            amble.Curvature(FLYER, q)
    task = amble.user_task(ARM, "mine", 1, lambda q: [1 / 0])
    with pytest.raises(ZeroDivisionError):
        amble.submersion(task, some_states(ARM, 40))
    with pytest.raises(amble.Error, match=r"the records are a stack of shape \(2,\)"):
        amble.Curvature(ARM, some_states(ARM, 2)).sectional(np.eye(4)[:3], np.ones(4))


def test_other_python_threads_run_during_a_call():
    q = ARM.random(seed=1, count=600)
    amble.set_threads(1)
    assert ticks_during(lambda: [amble.Curvature(ARM, q) for _ in range(5)]) > 15


def numerical_christoffel(m, q, step=1e-3):
    """Second kind from Koszul's formula: the rates of M along the frame by differences of order eight, and the brackets."""
    w = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    n = m.nv
    dM = np.empty((n, n, n))  # dM[k] is the rate of M along e_k
    for k in range(n):
        steps = np.arange(-4, 5)[:, None] * step * np.eye(n)[k]
        dM[k] = np.tensordot(w, amble.mass_matrix(m, m.integrate(q, steps)), 1) / step
    M = amble.mass_matrix(m, q)
    # <[e_j, e_k], e_i> by the flow of the frame: structure constants from the mechanism's own group are asked of amble.
    low = np.einsum("il,ljk->ijk", M, amble.structure_constants(m, q))  # low[i, j, k] = <e_i, [e_j, e_k]>
    G = np.empty((n, n, n))  # G[i, j, k] = <e_i, nabla_{e_k} e_j>
    for i in range(n):
        for j in range(n):
            for k in range(n):
                G[i, j, k] = 0.5 * (dM[k][j, i] + dM[j][k, i] - dM[i][k, j] + low[i, k, j] - low[j, k, i] - low[k, j, i])
    return np.linalg.solve(M, G.reshape(n, -1)).reshape(n, n, n)


def geared():
    """A planar base, a universal and a cylindrical joint, and a pair of gears."""
    b = amble.Builder("geared")
    for name in ("cart", "gimbal", "piston", "sun", "planet"):
        b.body(name, mass=1.0, com=[0.1, 0.05, 0.2], inertia=BALL)
    b.joint("base", "planar", parent="world", child="cart", axis=[0, 0, 1])
    b.joint("neck", "universal", parent="cart", child="gimbal", pose=shifted(0, 0, 0.4))
    b.joint("slide", "cylindrical", parent="gimbal", child="piston", pose=shifted(0.2), axis=[1, 0, 0])
    b.joint("drive", "revolute", parent="cart", child="sun", pose=shifted(0.3), axis=[0, 1, 0])
    b.joint("gear", "revolute", parent="cart", child="planet", pose=shifted(0.6), axis=[0, 1, 0], mimic=("drive", -2.0, 0.1))
    return b.build()


@pytest.mark.parametrize("build", [flyer, geared])
def test_connection_and_curvature_by_differences(build):
    m = build()
    q = m.random(seed=4)
    n = m.nv
    gamma = amble.christoffel(m, q, "second")
    assert np.abs(gamma - numerical_christoffel(m, q)).max() < 1e-8
    # R(e_k, e_l) e_j by differences of amble's symbols and the formula with brackets.
    h = 1e-3
    w = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    d = np.array([
        np.tensordot(w, amble.christoffel(m, m.integrate(q, np.arange(-4, 5)[:, None] * h * np.eye(n)[k]), "second"), 1) / h
        for k in range(n)
    ])
    c = amble.structure_constants(m, q)
    up = (
        np.einsum("kijl->ijkl", d) - np.einsum("lijk->ijkl", d)
        + np.einsum("imk,mjl->ijkl", gamma, gamma) - np.einsum("iml,mjk->ijkl", gamma, gamma)
        - np.einsum("mkl,ijm->ijkl", c, gamma)
    )
    R = amble.Curvature(m, q).riemann
    assert np.abs(R - np.einsum("ai,ijkl->ajkl", amble.mass_matrix(m, q), up)).max() < 1e-8 * max(1, np.abs(R).max())
