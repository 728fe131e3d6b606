"""Contact kinematics from Python: nearest points, velocities, shapes, surfaces given by f(u)."""

import amble
import numpy as np
import pytest

EYE = np.eye(4)


@pytest.fixture
def m():
    b = amble.Builder("body")
    b.body("body", mass=1.0, inertia=0.1 * np.eye(3))
    b.joint("float", "free", parent="world", child="body")
    return b.build()


def pose(seed, height=1.0):
    rng = np.random.default_rng(seed)
    X = EYE.copy()
    X[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    if np.linalg.det(X[:3, :3]) < 0:
        X[:3, 0] *= -1
    X[:3, 3] = [*rng.uniform(-0.3, 0.3, 2), height]
    return X


def moved(X, velocity, t):
    """The pose after a time t at a constant velocity in world axes."""
    v, w = np.array(velocity[:3]), np.array(velocity[3:])
    angle = np.linalg.norm(w) * t
    k = w / np.linalg.norm(w)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    Y = X.copy()
    Y[:3, :3] = (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K) @ X[:3, :3]
    Y[:3, 3] += t * v
    return Y


TIPS = [amble.point_tip(), amble.sphere_tip(0.2), amble.disc_tip(0.3), amble.ellipse_tip(0.3, 0.2), amble.ellipsoid_tip([0.3, 0.2, 0.1])]


@pytest.mark.parametrize("tip", TIPS)
@pytest.mark.parametrize("over", [None, amble.height_surface(lambda x, y: 0.05 * np.sin(2 * x))])
def test_velocities_are_those_of_differences(m, tip, over):
    pair = amble.tip_pair(m, "foot", "body", tip, over=over)
    assert pair.name == "foot"
    X, velocity, h = pose(3), [0.3, -0.2, 0.5, 0.4, 0.1, -0.7], 1e-4
    rates = pair.motion(EYE, np.zeros(6), X, velocity)
    for key, rate in rates.items():
        ahead, behind = (pair.nearest(EYE, moved(X, velocity, s))[key] for s in (h, -h))
        assert np.allclose((ahead - behind) / (2 * h), rate, atol=1e-6), key


def test_an_ellipsoid_over_a_plane_is_as_high_as_its_support_says(m):
    axes = np.array([0.5, 0.3, 0.2])
    for seed in range(10):
        X = pose(seed)
        height = X[2, 3] - np.linalg.norm(axes * X[2, :3])
        direct = amble.tip_pair(m, "egg", "body", amble.ellipsoid_tip(axes)).nearest(EYE, X)
        shapes = amble.shape_pair(m, "egg", "world", amble.plane_shape(), "body", amble.ellipsoid_shape(axes)).nearest(EYE, X)
        (touch,) = amble.collide(amble.plane_shape(), EYE, amble.ellipsoid_shape(axes), X, margin=2.0)
        for found in (direct, shapes, touch):
            assert abs(found["distance"] - height) < 1e-14
            assert np.allclose(found["p_a"][2], 0, atol=1e-14)


def test_curvatures_of_a_sphere(m):
    pair = amble.tip_pair(m, "ball", "body", amble.sphere_tip(0.2))
    plane, ball = pair.curvatures(EYE, pose(1))
    assert np.allclose(plane["principal"], 0) and np.allclose(ball["principal"], 5)


def test_a_mesh_is_the_hull_of_its_points(m):
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    X = pose(2, height=4.0)
    mesh = amble.shape_pair(m, "a", "world", amble.box_shape([1, 1, 1]), "body", amble.mesh_shape([*corners, [0, 0, 0]], scale=[0.5, 1, 1]))
    box = amble.shape_pair(m, "b", "world", amble.box_shape([1, 1, 1]), "body", amble.box_shape([1, 2, 2]))
    for key, value in box.nearest(EYE, X).items():
        assert np.allclose(mesh.nearest(EYE, X)[key], value, atol=1e-12)


def test_a_surface_of_ones_own_is_differentiated():
    surface = amble.parametric_surface(lambda u, v: (u, v, 0.1 * u * u + np.sin(v) * u), [-1, -1], [1, 1])
    at, h = surface.at([0.3, 0.2]), 1e-5
    for i in range(2):
        d = h * np.eye(2)[i]
        ahead, behind = surface.at([0.3, 0.2] + d), surface.at([0.3, 0.2] - d)
        assert np.allclose((ahead["f"] - behind["f"]) / (2 * h), at["f_u"][:, i], atol=1e-9)
        assert np.allclose((ahead["g"] - behind["g"]) / (2 * h), at["g_u"][:, i], atol=1e-9)


def test_a_tracker_stays_on_the_nearest_points(m):
    def motion(t):
        X = EYE.copy()
        X[1:3, 1:3] = [[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]
        X[:3, 3] = [0, 0.2 * t, 0.6]
        return X, [*(np.array([0, 0.2, 0]) - np.cross([1, 0, 0], X[:3, 3])), 1, 0, 0]

    tracker = amble.ContactTracker(amble.plane_surface(2.0), amble.ellipsoid_surface([0.5, 0.3, 0.2]), step=0.01)
    tracker.start(motion(0)[0])
    tracker.follow(motion, 0, 3)
    assert tracker.residual(motion(3)[0]) < 1e-8
    direct = amble.tip_pair(m, "egg", "body", amble.ellipsoid_tip([0.5, 0.3, 0.2])).nearest(EYE, motion(3)[0])
    assert np.allclose(tracker.point(motion(3)[0])["p_b"], direct["p_b"], atol=1e-8)


def test_a_cloud_is_fitted():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1, 1, (2, 2000))
    surface, rms, largest = amble.fit_height(np.stack([x, y, 0.1 * x * x], axis=1), frame=EYE)
    assert rms <= largest < 1e-4
    assert np.allclose(surface.at([0.5, 0.2])["f"], [0.5, 0.2, 0.025], atol=1e-4)


def test_what_makes_no_sense_is_refused(m):
    with pytest.raises(amble.Error, match="lies flat"):
        amble.tip_pair(m, "coin", "body", amble.disc_tip(0.1)).nearest(EYE, EYE)
    with pytest.raises(amble.Error, match="expected None, a Ground or a Surface"):
        amble.tip_pair(m, "foot", "body", amble.point_tip(), over=3)
    with pytest.raises(amble.Error, match="margin of -1"):
        amble.collide(amble.plane_shape(), EYE, amble.sphere_shape(1), EYE, margin=-1)
    with pytest.raises(amble.Error, match="three numbers"):
        amble.parametric_surface(lambda u, v: u, [0, 0], [1, 1]).at([0.5, 0.5])
    with pytest.raises(amble.Error, match="four or more"):
        amble.mesh_shape([[0, 0, 0], [1, 0, 0]])
