"""Building, asking and changing mechanisms."""

from collections import UserDict
from types import MappingProxyType

import amble
import numpy as np
import pytest


def shifted(x, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


def arm():
    """Two rods of 1 m in the plane, turning about z, with a tool at the tip."""
    b = amble.Builder("arm")
    for name in ("upper", "lower"):
        b.body(name, mass=2.0, com=[0.5, 0, 0], inertia=np.diag([0.01, 0.2, 0.2]))
    b.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, 0, 1], lower=-1.0, upper=2.0)
    elbow = dict(pose=shifted(1), axis=[0, 0, 1], damping=0.3, armature=[0.1])
    b.joint("elbow", "revolute", parent="upper", child="lower", **elbow)
    b.frame("tool", "lower", shifted(1))
    return b


def test_the_example_of_the_interface_builds_a_four_bar_linkage():
    I = np.diag([0.01, 0.1, 0.1])
    b = amble.Builder("four_bar")
    for name in ("crank", "coupler", "rocker"):
        b.body(name, mass=1.0, com=[0.5, 0, 0], inertia=I)
    b.joint("pin", "revolute", parent="world", child="crank", pose=np.eye(4), axis=[0, 0, 1])
    b.joint("knee", "revolute", parent="crank", child="coupler", pose=shifted(1), axis=[0, 0, 1])
    b.joint("post", "revolute", parent="world", child="rocker", pose=shifted(1, 1), axis=[0, 0, 1])
    b.loop("closure", "revolute", "rocker", "coupler", pose_a=shifted(1), pose_b=shifted(1), axis=[0, 0, 1])
    m = b.build()
    assert (m.nq, m.nv, m.joints, m.loops) == (3, 3, ["pin", "knee", "post"], ["closure"])
    closure = m.loop("closure")
    assert (closure.type, closure.body_a, closure.body_b, closure.constrains) == ("revolute", "rocker", "coupler", 5)
    assert m.mobility == -2  # 3 - 5: planar linkages are overconstrained in space
    assert m.mass == 3.0


def test_a_two_link_arm_reaches_where_trigonometry_says():
    m = arm().build()
    a, b = 0.3, 0.8
    tip = amble.pose(m, [a, b], "tool")
    np.testing.assert_allclose(tip[:3, 3], [np.cos(a) + np.cos(a + b), np.sin(a) + np.sin(a + b), 0], atol=1e-15)


def test_facts_are_what_was_built():
    m = arm().build()
    assert (m.name, m.bodies, m.joints, m.frames) == ("arm", ["upper", "lower"], ["shoulder", "elbow"], ["tool"])
    assert (m.file, m.warnings, m.notes) == ("", [], [])
    assert m.lower.tolist() == [-1.0, -np.inf] and m.upper.tolist() == [2.0, np.inf]
    assert m.damping.tolist() == [0.0, 0.3] and m.armature.tolist() == [0.0, 0.1]
    assert m.gravity.tolist() == [0, 0, -9.81]
    elbow = m.joint("elbow")
    assert (elbow.type, elbow.parent, elbow.child, elbow.mimic) == ("revolute", "upper", "lower", None)
    assert (elbow.q_slice, elbow.axis.tolist(), elbow.pose[0, 3]) == (slice(1, 2), [0, 0, 1], 1.0)
    lower = m.body("lower")
    assert (lower.mass, lower.joint, lower.parent) == (2.0, "elbow", "upper")
    np.testing.assert_allclose(lower.inertia, np.diag([0.01, 0.2, 0.2]), atol=1e-15)
    assert m.frame("tool").body == "lower" and m.frame("tool").pose[0, 3] == 1.0
    assert repr(m) == "<amble.Mechanism 'arm': 2 bodies, 2 joints, nq 2, nv 2, 4 kg>"


def test_slices_cut_q_and_v():
    b = amble.Builder("two").body("ball", mass=1.0).body("arm", mass=1.0)
    b.joint("root", "free", parent="world", child="ball").joint("pin", "revolute", parent="ball", child="arm")
    m = b.build()
    assert m.q_slice("root") == slice(0, 7) and m.v_slice("root") == slice(0, 6)
    assert m.q_slice("pin") == slice(7, 8) and m.v_slice("pin") == slice(6, 7)
    assert m.neutral()[m.q_slice("root")].tolist() == [0, 0, 0, 0, 0, 0, 1]


SIZES = dict(fixed=(0, 0), revolute=(1, 1), continuous=(1, 1), prismatic=(1, 1), helical=(1, 1))
SIZES.update(cylindrical=(2, 2), universal=(2, 2), planar=(3, 3), spherical=(4, 3), free=(7, 6))


@pytest.mark.parametrize("type", SIZES)
def test_every_joint_type_can_be_built(type):
    b = amble.Builder(type).body("body", mass=1.0)
    m = b.joint("joint", type, parent="world", child="body", pitch=0.1 if type == "helical" else 0.0).build()
    assert (m.nq, m.nv) == SIZES[type]
    assert m.joint("joint").type in (type, "revolute")


def test_helical_and_universal_joints_move_as_said():
    b = amble.Builder("screw").body("nut", mass=1.0).body("fork", mass=1.0)
    b.joint("thread", "helical", parent="world", child="nut", axis=[0, 1, 0], pitch=0.25)
    b.joint("cross", "universal", parent="nut", child="fork", axis=[0, 0, 1], axis2=[1, 0, 0])
    m = b.build()
    np.testing.assert_allclose(amble.pose(m, [2.0, 0, 0], "nut")[:3, 3], [0, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(m.joint("cross").axis2, [1, 0, 0], atol=1e-15)
    assert m.joint("thread").pitch == 0.25 and m.joint("thread").axis2 is None
    R = amble.pose(m, [0, np.pi / 2, np.pi / 2], "fork")[:3, :3]
    np.testing.assert_allclose(R, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_a_follower_turns_with_its_leader():
    b = arm().body("gear", mass=1.0)
    b.joint("geared", "revolute", parent="world", child="gear", axis=[0, 0, 1], mimic=("elbow", -2.0, 0.1))
    m = b.build()
    assert m.nv == 2 and m.joint("geared").mimic == ("elbow", -2.0, 0.1)
    R = amble.pose(m, [0.0, 0.4], "gear")
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(-2.0 * 0.4 + 0.1)


def test_the_child_pose_places_the_joint_in_the_child():
    b = amble.Builder("b").body("rod", mass=1.0)
    m = b.joint("pin", "revolute", parent="world", child="rod", child_pose=shifted(-1), axis=[0, 0, 1]).build()
    np.testing.assert_allclose(amble.pose(m, [np.pi / 2], "rod")[:3, 3], [0, 1, 0], atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_integrate_and_difference_are_inverse(seed):
    m, _ = amble.random_mechanism(seed, bodies=15, mimic=0.2)
    rng = np.random.default_rng(seed)
    q, dv = m.random(seed=seed, count=10), rng.uniform(-1, 1, (10, m.nv))
    np.testing.assert_allclose(m.difference(q, m.integrate(q, dv)), dv, atol=1e-13)


def test_random_configurations_repeat_by_seed_and_obey_the_limits():
    m = arm().build()
    q = m.random(seed=4, count=500)
    assert np.array_equal(q, m.random(seed=4, count=500)) and np.array_equal(q[0], m.random(seed=4))
    assert not np.array_equal(q[0], m.random(seed=5))
    assert q[:, 0].min() >= -1 and q[:, 0].max() <= 2 and q[:, 0].max() > 1.5


def test_a_locked_joint_loses_its_coordinate_and_stays_put():
    m = arm().build()
    for value in (0.7, [0.7], np.array([0.7])):
        held = m.with_locked({"elbow": value})
        assert held.joints == ["shoulder"] and held.nv == 1
        np.testing.assert_allclose(amble.pose(held, [0.2], "tool"), amble.pose(m, [0.2, 0.7], "tool"), atol=1e-15)
    assert m.nv == 2


@pytest.mark.parametrize("mapping", [UserDict, MappingProxyType, dict])
def test_any_mapping_says_which_joints_are_locked(mapping):
    m = arm().build()
    assert amble.differences(m.with_locked(mapping({"elbow": 0.7})), m.with_locked({"elbow": 0.7}), 0.0) == []


STACKED = """<mujoco><worldbody>
<body name="base"><geom size="0.1"/>
  <body name="a" pos="0 0 1"><geom size="0.1"/>
    <joint name="h1" axis="1 0 0"/><joint name="h2" axis="0 1 0"/><joint name="h3" axis="0 0 1"/>
    <body name="b" pos="0 0 1"><geom size="0.1"/>
      <joint name="k1" axis="1 0 0"/><joint name="k2" axis="0 1 0"/></body>
    <body name="c"><geom size="0.1"/></body></body></body>
<body name="d"><geom size="0.1"/><joint name="s1" type="slide"/><joint name="s2" type="slide" axis="1 0 0"/></body>
</worldbody></mujoco>"""


def test_parents_and_children_of_joints_stacked_on_one_body_are_listed_bodies():
    m = amble.load_text(STACKED)
    assert m.bodies == ["base", "a", "b", "c", "d"]
    parents = dict(base="world", a="base", b="a", c="a", d="world")
    assert {b: m.body(b).parent for b in m.bodies} == parents
    on = dict(h1="a", h2="a", h3="a", k1="b", k2="b", s1="d", s2="d")
    assert {j: m.joint(j).child for j in m.joints} == on
    assert {j: m.joint(j).parent for j in m.joints} == {j: parents[on[j]] for j in on}
    assert repr(m.joint("h2")) == "<amble.Joint 'h2': revolute, base -> a>"


def test_the_frames_of_stacked_joints_follow_one_another():
    m = amble.load_text(STACKED)
    h1, h2, h3 = (m.joint(j) for j in ("h1", "h2", "h3"))
    assert (h1.frame_parent, h3.frame_child) == ("base", "a")
    assert h1.frame_child == h2.frame_parent and h2.frame_child == h3.frame_parent
    assert not {h2.frame_parent, h2.frame_child} & set(m.bodies)
    X = amble.pose(m, m.neutral(), "base") @ h1.pose @ np.linalg.inv(h1.child_pose)
    np.testing.assert_allclose(X, amble.pose(m, m.neutral(), h1.frame_child), atol=1e-15)
    elbow = arm().build().joint("elbow")
    assert (elbow.frame_parent, elbow.frame_child) == ("upper", "lower")


def rotation_between(a, b):
    """The shortest rotation that takes one unit vector to another (not opposite) one."""
    v, c = np.cross(a, b), np.dot(a, b)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + K + K @ K / (1 + c)


@pytest.mark.parametrize("n", [(0, 0, 1), (1, 0, 0), (0.6, 0, -0.8), (0.8, 0, -0.6), (0.48, 0.8, -0.36), (0, 0, -1)])
def test_a_planar_joint_has_the_axes_that_its_docs_say(n):
    b = amble.Builder("puck").body("puck", mass=1.0)
    m = b.joint("table", "planar", parent="world", child="puck", axis=n).build()
    z = np.array([0, 0, 1.0])
    R = rotation_between(-z, n) @ np.diag([1, -1, -1]) if n[2] < -0.5 else rotation_between(z, n)
    for k in range(2):
        q = np.eye(3)[k]
        np.testing.assert_allclose(amble.pose(m, q, "puck")[:3, 3], R[:, k], atol=1e-15)


def test_a_payload_adds_mass_where_it_is():
    m = arm().build()
    full = m.with_payload("tool", mass=2.0, com=[0.1, 0, 0], inertia=np.diag([0.1, 0.2, 0.2]))
    assert full.mass == 6.0 and m.mass == 4.0
    com = (2.0 * 0.5 + 2.0 * 1.1) / 4.0
    np.testing.assert_allclose(full.body("lower").com, [com, 0, 0], atol=1e-15)
    spread = 0.2 + 2.0 * (0.5 - com) ** 2 + 0.2 + 2.0 * (1.1 - com) ** 2
    assert full.body("lower").inertia[2, 2] == pytest.approx(spread)


def test_gravity_inertia_and_properties_can_be_replaced():
    m = arm().build()
    assert m.with_gravity([0, 0, -1.62]).gravity.tolist() == [0, 0, -1.62]
    heavy = m.with_inertia("upper", mass=7.0, com=[0, 1, 0], inertia=np.diag([1, 1, 1]))
    assert heavy.mass == 9.0 and heavy.body("upper").com.tolist() == [0, 1, 0]
    limited = m.with_properties("elbow", lower=-0.5, effort=30)
    assert limited.lower[1] == -0.5 and limited.effort_limit[1] == 30 and limited.damping[1] == 0.3
    assert m.lower[1] == -np.inf


def test_arrays_are_copies():
    m = arm().build()
    for name in ("lower", "upper", "gravity", "damping", "armature"):
        array = getattr(m, name)
        array[:] = 77.0
        assert 77.0 not in getattr(m, name)
    pose = m.joint("elbow").pose
    pose[:] = 0
    assert m.joint("elbow").pose[3, 3] == 1.0


def test_a_builder_goes_on_from_a_mechanism():
    b = amble.Builder(arm().build())
    b.body("hand", mass=1.0).joint("wrist", "fixed", parent="lower", child="hand", pose=shifted(1))
    m = b.gravity([0, -9.81, 0]).build()
    assert m.bodies == ["upper", "lower", "hand"] and m.mass == 5.0 and m.gravity[1] == -9.81


def test_a_part_outlives_the_variable_that_held_its_mechanism():
    joint = arm().build().joint("elbow")
    assert joint.name == "elbow" and joint.pose.shape == (4, 4)


def test_differences_are_listed():
    a, b = arm().build(), arm().gravity([0, 0, -1]).build()
    assert amble.differences(a, arm().build()) == []
    (line,) = amble.differences(a, b)
    assert line.startswith("gravity")


def test_random_mechanisms_repeat_by_seed_and_obey_their_options():
    m, q = amble.random_mechanism(3, bodies=25, roots=2, loops=1, types=["revolute", "spherical"])
    again, same = amble.random_mechanism(3, bodies=25, roots=2, loops=1, types=["revolute", "spherical"])
    assert amble.differences(m, again, 0.0) == [] and np.array_equal(q, same)
    assert len(m.bodies) == 25 and len(m.loops) == 1 and q.shape == (m.nq,)
    assert {m.joint(j).type for j in m.joints} == {"revolute", "spherical"}
