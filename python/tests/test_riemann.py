"""Geometry of mechanisms: connection, curvature, geodesics, tasks and lifts, on mechanisms of this file's own."""

import amble
import numpy as np
import pytest


def double_pendulum(m1=1.0, c1=0.5, i1=1 / 12, m2=1.0, c2=0.5, i2=1 / 12, l1=1.0):
    b = amble.Builder("double")
    b.body("upper", mass=m1, com=[0, 0, -c1], inertia=np.diag([i1, i1, 0]))
    b.body("lower", mass=m2, com=[0, 0, -c2], inertia=np.diag([i2, i2, 0]))
    b.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, 1, 0])
    X = np.eye(4)
    X[2, 3] = -l1
    b.joint("elbow", "revolute", parent="upper", child="lower", pose=X, axis=[0, 1, 0])
    a, d, f = i1 + m1 * c1**2 + m2 * l1**2, i2 + m2 * c2**2, m2 * l1 * c2
    return b.build(), lambda q2: f * np.cos(q2) * (a * d - f * f) / (a * d - (f * np.cos(q2)) ** 2) ** 2


def ball(inertia, joint="spherical"):
    b = amble.Builder("ball")
    b.body("body", mass=1.0, inertia=np.diag(inertia))
    b.joint("base", joint, parent="world", child="body")
    return b.build()


def planar_arm(n):
    b = amble.Builder("arm")
    X = np.eye(4)
    for i in range(n):
        b.body(f"link{i}", mass=1.0, com=[0.5, 0, 0], inertia=np.diag([0, 1 / 12, 1 / 12]))
        b.joint(f"joint{i}", "revolute", parent=f"link{i-1}" if i else "world", child=f"link{i}", pose=X)
        X = np.eye(4)
        X[0, 3] = 1.0
    return b.build()


def tip(m):
    return amble.selected_task(amble.position_task(m, m.bodies[-1], point=[1, 0, 0]), [0, 1])


def test_curvature_is_brioschis():
    m, gauss = double_pendulum(m2=1.7, c2=0.4)
    for q2 in np.linspace(-3, 3, 7):
        c = amble.Curvature(m, [0.3, q2])
        assert c.sectional([1, 0], [0, 1]) == pytest.approx(gauss(q2), abs=1e-11)
        assert c.scalar == pytest.approx(2 * gauss(q2), abs=1e-11)


def test_curvature_of_rotations_and_its_identities():
    m = ball([1, 1, 1])
    assert amble.Curvature(m, m.random(seed=2)).most[0] == pytest.approx(0.25, abs=1e-12)
    m = ball([1.2, 1.0, 0.9], "free")
    R = amble.Curvature(m, m.random(seed=3)).riemann
    assert np.abs(R + R.swapaxes(0, 1)).max() < 1e-12
    assert np.abs(R - R.transpose(2, 3, 0, 1)).max() < 1e-12
    assert np.abs(R + R.transpose(0, 3, 1, 2) + R.transpose(0, 2, 3, 1)).max() < 1e-12


def test_brackets_are_what_torsion_leaves():
    m = ball([1.2, 1.0, 0.9], "free")
    q = m.random(seed=1)
    gamma, c = amble.christoffel(m, q, "second"), amble.structure_constants(m, q)
    assert np.abs(gamma - gamma.swapaxes(1, 2) - c.swapaxes(1, 2)).max() < 1e-12


def test_geodesics_are_free_motions():
    m, _ = double_pendulum()
    g = amble.geodesic(m, [0.1, 0.5], [1.0, -2.0], 1.0)
    free = m.with_gravity([0, 0, 0])
    run = amble.simulate(free, [0.1, 0.5], [1.0, -2.0], 1.0, tolerance=1e-12)
    assert np.abs(run.q[-1] - g.q[-1]).max() < 1e-10
    energy = [amble.kinetic_energy(m, q, v) for q, v in zip(g.q, g.v)]
    assert np.ptp(energy) < 1e-10


def test_geodesics_between_are_shortest():
    m, _ = double_pendulum()
    found = amble.geodesics_between(m, [0, 0.3], [1.0, 1.5])
    g = found[0]
    assert g.converged and g.locally_shortest and g.index == 0
    assert np.abs(amble.geodesic(m, [0, 0.3], g.v0).q[-1] - [1.0, 1.5]).max() < 1e-8
    assert amble.geodesic_figure(m, [amble.geodesic(m, [0, 0.3], g.v0)], ["one"]).startswith("<svg")


def test_conjugate_points_of_rotations():
    m = ball([1, 1, 1])
    ((t, multiplicity),) = amble.conjugate_points(m, m.neutral(), [0, 0, 1], 7.0, samples=30)
    assert t == pytest.approx(2 * np.pi, abs=1e-6) and multiplicity == 2


def test_transport_and_covariant_derivative():
    m, _ = double_pendulum()
    q, v = np.array([0.2, 0.4]), np.array([0.5, 0.3])
    x = amble.parallel_transport(m, q, v, 0.6, np.eye(2))
    end = amble.geodesic(m, q, v, 0.6).q[-1]
    assert np.allclose(x.T @ amble.mass_matrix(m, end) @ x, amble.mass_matrix(m, q), atol=1e-9)
    straight = amble.parallel_transport_along(m, lambda t: (q + t * v, v), 0.0, 1.0, v)
    assert straight.shape == (2,)
    gamma = amble.christoffel(m, q, "second")
    by_hand = np.array([np.cos(q[0]) * v[0], 0.0]) + np.einsum("ijk,j,k", gamma, [np.sin(q[0]), 1.0], v)
    ours = amble.covariant_derivative(m, q, v, lambda q: [np.sin(q[0]), 1.0])
    assert np.allclose(ours, by_hand, atol=1e-10)
    given = amble.covariant_derivative(m, q, v, [np.sin(q[0]), 1.0], [[np.cos(q[0]), 0], [0, 0]])
    assert np.allclose(given, ours, atol=1e-10)


def test_gradient_and_hessian():
    m, _ = double_pendulum()
    q, df, second = [0.2, 0.4], np.array([1.0, 2.0]), np.array([[0.5, 0.1], [0.1, -0.3]])
    assert np.allclose(amble.mass_matrix(m, q) @ amble.gradient(m, q, df), df)
    gamma = amble.christoffel(m, q, "second")
    assert np.allclose(amble.hessian(m, q, df, second), second - np.einsum("ijk,i", gamma, df))


def test_flatness_and_flat_coordinates():
    m, gauss = double_pendulum(m1=0.0, i1=0.0, m2=1.5, c2=0.8, i2=0.0)  # the plane in disguise
    q0, q = np.array([0.2, 1.2]), np.array([0.9, 1.9])
    assert amble.flatness(m, q).flat
    flat = amble.FlatCoordinates(m, q0)
    x, N = flat.at(q)
    assert np.allclose(N.T @ N, amble.mass_matrix(m, q), atol=1e-9)
    assert np.allclose(flat.configuration(x), q, atol=1e-8)
    curved, _ = double_pendulum()
    assert not amble.flatness(curved).flat
    with pytest.raises(amble.Error, match="sectional curvature is .* at q = "):
        amble.FlatCoordinates(curved, [0.1, 0.2])
    assert amble.curvature_map(curved, [0, 0], cells=4).startswith("<svg")


def test_lift_and_pseudoinverse_side_by_side():
    m = planar_arm(3)
    s = amble.submersion(tip(m), [0.2, 0.7, 0.5])
    M = amble.mass_matrix(m, [0.2, 0.7, 0.5])
    Minv = np.linalg.inv(M)
    assert np.allclose(s.lift, Minv @ s.J.T @ np.linalg.inv(s.J @ Minv @ s.J.T))
    assert np.allclose(s.pseudoinverse, np.linalg.pinv(s.J))
    assert s.kernel_defect > 1e-3 and s.lift_difference > 1e-3
    assert max(amble.penrose_residuals(s.J, s.pseudoinverse)) < 1e-12
    assert amble.penrose_residuals(s.J, s.lift)[3] > 1e-3
    same = amble.submersion(tip(m), [0.2, 0.7, 0.5], metric="identity")
    assert same.lift_difference < 1e-12
    weighted = amble.submersion(tip(m), [0.2, 0.7, 0.5], metric=lambda q: np.diag([1, 2, 3 + np.sin(q[0])]))
    assert np.allclose(weighted.J @ weighted.lift, np.eye(2))


def test_singularities_and_damping():
    m = planar_arm(3)
    assert amble.singularity(tip(m), [0.3, 0.0, 0.0]).kind == "kinematic"
    direction = amble.user_task(m, "direction", 1, lambda q: [q.sum()], lambda q: np.ones((1, 3)))
    assert amble.singularity(tip(m), [0.1, 0.0, 0.8], second=direction).kind == "algorithmic"
    d = amble.damped_lift(tip(m), [0.0, 0.001, 0.0], [1.0, 0.0])
    assert d.task_error > 0 and d.speed < d.undamped_speed


def test_repeatability():
    m = planar_arm(3)
    q = [0.3, 0.7, 0.6]
    task = tip(m)
    direction = amble.user_task(m, "direction", 1, lambda q: [q.sum()])
    for inverse, repeatable in ((amble.pseudoinverse(task), False), (amble.kinetic_lift(task), False), (amble.extended_inverse(task, direction), True)):
        assert amble.integrability(inverse, q, tolerance=1e-7).integrable == repeatable
        h = amble.holonomy(inverse, q, [1, 0], [0, 1], radius=0.3, samples=5)
        assert (h.drift_norms[0] < 1e-8) == repeatable
        assert h.task_error < 1e-8
    assert amble.drift_figure(m, [h], ["extended"]).startswith("<svg")
    with pytest.raises(amble.Error, match="needs two directions"):
        amble.holonomy(inverse, q)


def test_workspace_dynamics_and_feedback():
    m = planar_arm(3)
    task, q, v = tip(m), np.array([0.2, 0.7, 0.5]), np.array([0.3, -0.2, 0.5])
    w = amble.workspace_dynamics(task, q, v)
    tau = amble.lifted_feedback(task, q, v, [0.5, -0.4], tau_rest=[0.1, 0.2, 0.3])
    a = amble.forward_dynamics(m, q, v, tau)
    xddot = task.jacobian(q) @ a + task.jacobian_rate(q, v) @ v
    assert np.allclose(xddot, [0.5, -0.4], atol=1e-10)
    F = np.array([0.3, 0.7])
    a = amble.forward_dynamics(m, q, v, task.jacobian(q).T @ F)
    xddot = task.jacobian(q) @ a + task.jacobian_rate(q, v) @ v
    assert np.allclose(w.lambda_ @ xddot + w.mu + w.p, F, atol=1e-10)
    differential, gradient = amble.lifted_function(task, q, [1.0, 2.0])
    assert np.allclose(differential, task.jacobian(q).T @ [1.0, 2.0])
    assert np.allclose(amble.mass_matrix(m, q) @ gradient, differential)


def test_double_geodesics():
    metric = amble.DoubleGeodesic(translation=2.0, rotation=0.5)
    A, V = np.eye(4), np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6])
    B = metric.geodesic(A, V, 1.0)
    assert np.allclose(metric.between(A, B), V)
    assert metric.distance(A, B) == pytest.approx(np.sqrt(V @ metric.matrix @ V))
    with pytest.raises(amble.Error, match="positive"):
        amble.DoubleGeodesic(rotation=0.0)


def test_wrong_input_is_named():
    m = planar_arm(2)
    for call, words in [
        (lambda: amble.Curvature(m, [0.1]), "q"),
        (lambda: amble.geodesic(m, [0, 0], [1]), "v"),
        (lambda: amble.position_task(m, "nothing"), "nothing"),
        (lambda: amble.covariant_derivative(m, [0, 0], [1, 0], [1, 0]), "dY"),
        (lambda: amble.submersion(tip(m), [0, 1], metric="other"), "identity"),
    ]:
        with pytest.raises(amble.Error, match=words):
            call()
