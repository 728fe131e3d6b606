"""Poses and Jacobians against kinematics worked out from the XML by other formulas."""

import amble
import numpy as np
import pytest
from conftest import urdf_files
from urdf_reference import Reference

STATES = 100
TOLERANCE = 1e-10  # absolute, metres and radians; the robots are about a metre in size


def loaded(path, floating):
    if floating and 'link name="world"' in path.read_text():
        pytest.skip("its root link is the world itself, which cannot float")
    return amble.load(path, floating_base=True if floating else None)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", urdf_files())
def test_poses_of_all_bodies_are_those_of_the_file(path, floating):
    m = loaded(path, floating)
    q = m.random(seed=7, count=STATES)
    reference = Reference(path, m, q, floating)
    assert set(reference.links) == set(m.bodies)
    for body in m.bodies:
        np.testing.assert_allclose(amble.pose(m, q, body), reference.pose(body), rtol=0, atol=TOLERANCE, err_msg=body)


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("path", urdf_files())
def test_jacobians_of_all_bodies_have_the_geometric_columns(path, floating):
    m = loaded(path, floating)
    q = m.random(seed=7, count=STATES)
    reference = Reference(path, m, q, floating)
    point = np.array([0.1, -0.2, 0.3])
    for body in m.bodies:
        expected = reference.jacobian(body, point)
        actual = amble.jacobian(m, q, body, point=point, frame="aligned")
        np.testing.assert_allclose(actual, expected, rtol=0, atol=TOLERANCE, err_msg=body)


@pytest.mark.parametrize("path", urdf_files())
def test_followers_set_free_have_coordinates_of_their_own(path):
    m = amble.load(path, mimic="free")
    q = m.random(seed=7, count=STATES)
    reference = Reference(path, m, q, free_mimic=True)
    assert m.nv == sum(j.type != "fixed" for j in reference.joint_of.values())
    for body in m.bodies:
        np.testing.assert_allclose(amble.pose(m, q, body), reference.pose(body), rtol=0, atol=TOLERANCE, err_msg=body)


@pytest.mark.parametrize("path", urdf_files())
def test_mass_is_the_sum_of_the_file(path):
    m = amble.load(path)
    assert m.mass == pytest.approx(Reference(path, m, m.neutral()[None]).mass, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_three_frames_of_a_jacobian_are_one_twist_in_different_axes(seed):
    m, _ = amble.random_mechanism(seed, bodies=12, mimic=0.2)
    q = m.random(seed=seed)
    point = np.array([0.3, 0.1, -0.4])
    for body in m.bodies:
        local, aligned, world = (amble.jacobian(m, q, body, point, frame) for frame in ("local", "aligned", "world"))
        X = amble.pose(m, q, body)
        R, p = X[:3, :3], X[:3, :3] @ point + X[:3, 3]
        np.testing.assert_allclose(np.vstack([R @ local[:3], R @ local[3:]]), aligned, atol=1e-12)
        spatial = np.vstack([aligned[:3] + np.cross(p, aligned[3:], axisb=0).T, aligned[3:]])
        np.testing.assert_allclose(spatial, world, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_jacobian_is_the_slope_of_the_pose_for_every_joint_type(seed):
    m, _ = amble.random_mechanism(seed, bodies=15, mimic=0.2)
    q = m.random(seed=seed)
    v = np.random.default_rng(seed).normal(size=m.nv)
    h = 1e-5
    ahead, behind = m.integrate(q, h * v), m.integrate(q, -h * v)
    for body in m.bodies:
        slope = (amble.pose(m, ahead, body) - amble.pose(m, behind, body)) / (2 * h)
        X = amble.pose(m, q, body)
        twist = amble.jacobian(m, q, body) @ v
        W = np.cross(np.eye(3), twist[3:])  # its rows are e_i x w
        np.testing.assert_allclose(X[:3, :3].T @ slope[:3, :3], W, atol=1e-7)
        np.testing.assert_allclose(X[:3, :3].T @ slope[:3, 3], twist[:3], atol=1e-7)


def test_the_product_of_exponentials_gives_the_pose(models):
    m = amble.load(models / "arm7.urdf")
    tip = m.bodies[-1]
    chain = amble.product_of_exponentials(m, tip)
    q = m.random(seed=3, count=20)
    np.testing.assert_allclose(chain.pose(q), amble.pose(m, q, tip), atol=1e-13)
    again = amble.mechanism_of(amble.ProductOfExponentials(chain.reference, chain.screws))
    np.testing.assert_allclose(amble.pose(again, q, "tool"), amble.pose(m, q, tip), atol=1e-13)


def test_a_frame_is_a_place_like_a_body(models):
    m = amble.load(models / "hopper.xml")
    q = m.random(seed=1)
    frame = m.frame("imu")
    np.testing.assert_allclose(amble.pose(m, q, "imu"), amble.pose(m, q, frame.body) @ frame.pose, atol=1e-14)
