"""Geometry against power series and formulas of NumPy's own."""

import amble
import numpy as np
import pytest
from amble import geometry

RNG = np.random.default_rng(11)


def hat(V):
    """The matrix of a tangent: 3 numbers to so(3), 6 to se(3)."""
    w = V[-3:]
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    if len(V) == 3:
        return W
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = W, V[:3]
    return out


def ad_se3(V):
    """The bracket of 4 x 4 matrices, column by column."""
    out = np.zeros((6, 6))
    for k, U in enumerate(np.eye(6)):
        bracket = hat(V) @ hat(U) - hat(U) @ hat(V)
        out[:, k] = [*bracket[:3, 3], bracket[2, 1], bracket[0, 2], bracket[1, 0]]
    return out


def hat_se2(V):
    return np.array([[0, -V[2], V[0]], [V[2], 0, V[1]], [0, 0, 0]])


def series_exp(A):
    """exp by its power series with scaling and squaring."""
    B, term, total = A / 1024, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 20):
        term = term @ B / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def left_jacobian_by_series(ad):
    term, total = np.eye(len(ad)), np.eye(len(ad))
    for k in range(1, 60):
        term = term @ ad / (k + 1)
        total = total + term
    return total


GROUPS = {
    "so3": (3, hat, hat),
    "se3": (6, hat, ad_se3),
    "se2": (3, hat_se2, lambda V: np.array([[0, -V[2], V[1]], [V[2], 0, -V[0]], [0, 0, 0]])),
}


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.5, 1.7])
@pytest.mark.parametrize("group", GROUPS)
def test_exp_and_log_are_those_of_the_matrix_series(group, size):
    n, to_matrix, _ = GROUPS[group]
    exp, log = getattr(geometry, "exp_" + group), getattr(geometry, "log_" + group)
    for V in size * RNG.uniform(-1, 1, (10, n)):
        np.testing.assert_allclose(exp(V), series_exp(to_matrix(V)), atol=1e-12)
        np.testing.assert_allclose(log(exp(V)), V, rtol=0, atol=4e-15 * max(1, size))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.5, 1.7])
@pytest.mark.parametrize("group", GROUPS)
def test_jacobians_are_those_of_the_series_and_inverses_invert(group, size):
    n, _, ad = GROUPS[group]
    for side, sign in (("left", 1), ("right", -1)):
        jacobian = getattr(geometry, f"{side}_jacobian_{group}")
        inverse = getattr(geometry, f"{side}_jacobian_inverse_{group}")
        for V in size * RNG.uniform(-1, 1, (10, n)):
            np.testing.assert_allclose(jacobian(V), left_jacobian_by_series(sign * ad(V)), atol=1e-13)
            np.testing.assert_allclose(jacobian(V) @ inverse(V), np.eye(n), atol=1e-13)


def test_the_adjoint_moves_twists_and_the_coadjoint_wrenches():
    X = geometry.exp_se3(RNG.normal(size=6))
    V = RNG.normal(size=6)
    np.testing.assert_allclose(hat(geometry.adjoint(X) @ V), X @ hat(V) @ np.linalg.inv(X), atol=1e-13)
    np.testing.assert_allclose(geometry.coadjoint(X), np.linalg.inv(geometry.adjoint(X)).T, atol=1e-13)
    np.testing.assert_allclose(geometry.ad(V), ad_se3(V), atol=1e-15)
    np.testing.assert_allclose(geometry.coad(V), -ad_se3(V).T, atol=1e-15)


def test_stacks_are_row_by_row():
    V = RNG.normal(size=(4, 5, 6))
    X = geometry.exp_se3(V)
    assert X.shape == (4, 5, 4, 4)
    assert np.array_equal(X[2, 3], geometry.exp_se3(V[2, 3]))
    assert geometry.log_se3(X).shape == (4, 5, 6)


def test_quaternions_are_scalar_last():
    R = geometry.exp_so3([0, 0, np.pi / 2])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(geometry.rotation_to_quaternion(R), [0, 0, half, half], atol=1e-15)
    np.testing.assert_allclose(geometry.quaternion_to_rotation([0, 0, half, half]), R, atol=1e-15)


def test_skew_is_the_cross_product():
    u, w = RNG.normal(size=(2, 3))
    np.testing.assert_allclose(geometry.skew(u) @ w, np.cross(u, w), atol=1e-15)
    np.testing.assert_allclose(geometry.unskew(geometry.skew(u)), u)


def test_a_twist_is_a_screw_about_its_axis():
    line = geometry.Line.through([1, 2, 3], [0, 0, 2])
    V = geometry.screw_to_twist(geometry.Screw(line, pitch=0.5, magnitude=3.0))
    np.testing.assert_allclose(V[3:], [0, 0, 3])
    np.testing.assert_allclose(V[:3], np.cross([1, 2, 3], [0, 0, 3]) + [0, 0, 1.5], atol=1e-14)
    screw = geometry.twist_to_screw(V)
    assert (screw.pitch, screw.magnitude) == (pytest.approx(0.5), pytest.approx(3.0))
    np.testing.assert_allclose(screw.axis.point, [1, 2, 0], atol=1e-14)


def test_a_wrench_is_a_force_along_an_axis_and_a_couple_about_it():
    F = np.array([0, 0, 2, 4, -2, 1])
    screw = geometry.wrench_to_screw(F)
    assert (screw.magnitude, screw.pitch) == (pytest.approx(2.0), pytest.approx(0.5))
    np.testing.assert_allclose(np.cross(screw.axis.point, F[:3]) + screw.pitch * F[:3], F[3:], atol=1e-14)
    np.testing.assert_allclose(geometry.screw_to_wrench(screw), F, atol=1e-14)


def test_a_displacement_is_a_turn_about_and_an_advance_along_one_axis():
    line = geometry.Line.through_points([1, 0, 0], [1, 0, 1])
    X = geometry.screw_to_pose(geometry.Screw(line, pitch=0.1, magnitude=2.0))
    np.testing.assert_allclose(X @ [1, 0, 0, 1], [1, 0, 0.2, 1], atol=1e-14)
    screw = geometry.pose_to_screw(X)
    assert (screw.angle, screw.translation) == (pytest.approx(2.0), pytest.approx(0.2))
    np.testing.assert_allclose(screw.axis.point, [1, 0, 0], atol=1e-14)


def test_lines_know_their_common_perpendicular():
    a = geometry.Line.through([0, 0, 0], [1, 0, 0])
    b = geometry.Line.through([5, 0, 2], [0, 1, 0])
    found = geometry.common_perpendicular(a, b)
    np.testing.assert_allclose(found.point_a, [5, 0, 0], atol=1e-14)
    np.testing.assert_allclose(found.point_b, [5, 0, 2], atol=1e-14)
    assert abs(found.distance) == pytest.approx(2) and found.angle == pytest.approx(np.pi / 2) and not found.parallel
    assert geometry.reciprocal_product(a, b) == pytest.approx(-found.distance * np.sin(found.angle))
    assert a.distance([0, 3, 4]) == pytest.approx(5)
    np.testing.assert_allclose(a.nearest([7, 3, 4]), [7, 0, 0])
    X = geometry.exp_se3(RNG.normal(size=6))
    moved = a.transformed(X)
    assert moved.distance((X @ [4, 0, 0, 1])[:3]) == pytest.approx(0, abs=1e-14)
    np.testing.assert_allclose(moved.reversed().direction, -X[:3, 0], atol=1e-15)


def test_an_inertia_is_that_of_its_points():
    masses, positions = RNG.uniform(1, 2, 7), RNG.normal(size=(7, 3))
    inertia = geometry.Inertia.from_points(masses, positions)
    com = masses @ positions / masses.sum()
    about = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, positions - com))
    assert inertia.mass == pytest.approx(masses.sum())
    np.testing.assert_allclose(inertia.com, com, atol=1e-14)
    np.testing.assert_allclose(inertia.about_com, about, atol=1e-13)
    again = geometry.Inertia.from_points(*inertia.to_points())
    np.testing.assert_allclose(again.matrix, inertia.matrix, atol=1e-12)
    moments, axes = inertia.principal_moments()
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, about, atol=1e-13)
    assert inertia.problem() == ""


def test_inertias_add_and_move_with_their_frame():
    a = geometry.Inertia(2.0, [0.1, 0, 0], np.diag([1, 2, 2.5]))
    b = geometry.Inertia(1.0)
    np.testing.assert_allclose((a + b).matrix, a.matrix + b.matrix)
    np.testing.assert_allclose((a + b - b).matrix, a.matrix)
    X = geometry.exp_se3(RNG.normal(size=6))
    back = np.linalg.inv(geometry.adjoint(X))
    np.testing.assert_allclose(a.transformed(X).matrix, back.T @ a.matrix @ back, atol=1e-13)


def test_impossible_inertias_are_explained():
    assert "triangle inequality" in geometry.Inertia(1.0, None, np.diag([1, 1, 3])).problem()
    assert "negative" in geometry.Inertia(-1.0).problem()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: geometry.log_so3(2 * np.eye(3)), "R is not a rotation"),
        (lambda: geometry.log_so3(-np.eye(3)), "R is a reflection"),
        (lambda: geometry.log_se3(np.ones((4, 4))), "X is not a rotation"),
        (lambda: geometry.log_se3([np.eye(4), 2 * np.eye(4)]), "row 1: X is not a rotation"),
        (lambda: geometry.quaternion_to_rotation([1, 1, 1, 1]), "quaternion is not of unit length"),
        (lambda: geometry.Line.through([0, 0, 0], [0, 0, 0]), "direction"),
    ],
)
def test_what_is_no_rotation_pose_or_line_is_refused(call, message):
    with pytest.raises(amble.Error, match=message):
        call()
