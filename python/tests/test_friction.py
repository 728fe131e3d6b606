"""Many frictional contacts as one problem."""

import amble
import numpy as np
import pytest


def box_on_slope(angle, mass=3.0, half=(1.0, 1.0, 0.3), step=0.01):
    """G and w of four corners of a box on a slope, rows (normal, down the slope, across)."""
    J = []
    for x in (-half[0], half[0]):
        for y in (-half[1], half[1]):
            r = np.array([x, y, -half[2]])
            for d in ([0, 0, 1], [1, 0, 0], [0, 1, 0]):
                J.append(np.concatenate([d, np.cross(r, d)]))
    J = np.array(J)
    a, b, c = np.square(half)
    inverse = 1.0 / np.concatenate([np.full(3, mass), mass / 3.0 * np.array([b + c, a + c, a + b])])
    v = 9.81 * step * np.array([np.sin(angle), 0, -np.cos(angle), 0, 0, 0])
    return J @ np.diag(inverse) @ J.T, J @ v


@pytest.mark.parametrize("method", ["newton", "gauss_seidel"])
def test_a_box_sticks_below_and_slides_above_the_angle_of_friction(method):
    mu = 0.5
    for angle in (0.3, 0.6):
        G, w = box_on_slope(angle)
        s = amble.solve_friction(G, w, [mu] * 4, method=method)
        slip = max(0.0, 0.0981 * (np.sin(angle) - mu * np.cos(angle)))
        assert s.status == "solved" and s.certificate.residual <= 1.001e-10
        np.testing.assert_allclose(s.velocities.reshape(4, 3), [[0, slip, 0]] * 4, atol=1e-10)
        np.testing.assert_allclose(s.velocities, G @ s.forces + w, atol=1e-13)
        assert s.certificate.work == pytest.approx(s.forces @ s.velocities, abs=1e-15)


def test_laws_of_all_kinds():
    s = amble.solve_friction(np.eye(4), [-1.0, 0.3, -2.0, 5.0], ["unilateral", ("box", 0.1), ("bilateral", 2)])
    np.testing.assert_allclose(s.forces, [1.0, -0.1, 2.0, -5.0], atol=1e-10)
    s = amble.solve_friction(np.eye(1), [-1.0], ["unilateral"], offset=[0.25], compliance=[0.5])
    np.testing.assert_allclose(s.forces, [0.5])
    np.testing.assert_allclose(s.velocities, [-0.25])
    assert amble.solve_friction(np.eye(1), [-1.0], ["unilateral"], guess=[1.0]).iterations == 0


def test_a_contradiction_is_named():
    s = amble.solve_friction(np.ones((2, 2)), [0.1, -0.1], [("bilateral", 1), ("bilateral", 1)])
    assert s.status == "inconsistent" and s.certificate.worst_block in (0, 1)
    assert np.isfinite(s.forces).all()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.eye(3), [0, 0, -1], [-1.0]), "friction coefficient is -1"),
        ((np.eye(3), [0, 0], [0.5]), "G"),
        ((np.eye(3), [0, 0, np.nan], [0.5]), "w"),
        ((-np.eye(3), [0, 0, 0], [0.5]), "semidefinite"),
        ((np.eye(3), [0, 0, 0], ["sticky"]), "expected a coefficient"),
        ((np.eye(3), [0, 0, 0], [("bilateral", 1.5)]), "bilateral"),
        ((np.eye(3), [0, 0, 0], [0.5], "lemke"), "newton"),
    ],
)
def test_what_is_no_problem_is_refused(arguments, message):
    with pytest.raises(amble.Error, match=message):
        amble.solve_friction(*arguments)
