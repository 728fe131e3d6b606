from pathlib import Path

import amble
import numpy as np
import pytest

MODELS = Path(__file__).resolve().parents[2] / "models"
CORNERS = [[x, y, 0.0] for x in (-0.12, 0.12) for y in (-0.06, 0.06)]


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@pytest.fixture(scope="module")
def robot():
    return amble.load(MODELS / "humanoid30.urdf", floating_base=True)


def test_the_humanoid_is_of_the_published_class(robot):
    assert robot.mass == pytest.approx(58.0)
    assert len(robot.joints) == 31  # thirty, and the floating base
    q = robot.neutral()
    q[2] = 0.705
    top = amble.pose(robot, q, "head")[2, 3] + 0.112 + 0.075
    assert top == pytest.approx(1.539)
    assert amble.pose(robot, q, "left_sole")[2, 3] == pytest.approx(0.0, abs=1e-12)
    slice_ = robot.q_slice("right_hip_pitch")
    assert np.degrees([robot.lower[slice_][0], robot.upper[slice_][0]]) == pytest.approx([-125, 42], abs=1e-3)


def test_inverse_kinematics_puts_hands_and_mass(robot):
    q0 = robot.neutral()
    q0[2] = 0.7
    targets = [
        dict(body="left_sole", pose=at(0, 0.09, 0)),
        dict(body="right_sole", pose=at(0, -0.09, 0)),
        dict(body="right_fist", position=[0.3, -0.2, 0.9]),
        dict(center_of_mass=[0.0, 0.0, 0.0], weights=[1, 1, 0]),
    ]
    found = amble.inverse_kinematics(robot, targets, q0)
    assert found.solved and found.status == "solved"
    assert found.residuals.shape == (4, 2)
    assert amble.pose(robot, found.q, "right_fist")[:3, 3] == pytest.approx([0.3, -0.2, 0.9], abs=1e-8)
    assert amble.center_of_mass(robot, found.q)[:2] == pytest.approx([0, 0], abs=1e-8)
    assert np.all(found.q[7:] >= robot.lower[7:] - 1e-9) and np.all(found.q[7:] <= robot.upper[7:] + 1e-9)


def test_inverse_kinematics_takes_stacks(robot):
    starts = np.stack([robot.random(seed=s) for s in range(4)]).reshape(2, 2, -1)
    found = amble.inverse_kinematics(robot, [dict(body="head", position=[0.1, 0.2, 1.0])], starts)
    assert found.q.shape == (2, 2, robot.nq)
    assert found.solved.shape == (2, 2) and found.solved.all()
    alone = amble.inverse_kinematics(robot, [dict(body="head", position=[0.1, 0.2, 1.0])], starts[1, 0])
    assert np.array_equal(alone.q, found.q[1, 0])


def test_what_is_out_of_reach_is_said():
    arm = amble.load(MODELS / "arm7.urdf")
    found = amble.inverse_kinematics(arm, [dict(body="gripper", position=[9, 0, 0])], arm.neutral())
    assert found.status == "unreachable" and not found.solved
    assert found.error > 7


def test_distances_have_gradients(robot):
    q = robot.neutral()
    v = np.linspace(-1, 1, robot.nv)
    pairs = [("left_hand", "right_hand"), ("left_hand", "world")]
    here = amble.body_distances(robot, q, pairs, ground=amble.plane_ground())
    assert here[0]["distance"] == pytest.approx(0.41)
    h = 1e-5
    after, before = (amble.body_distances(robot, robot.integrate(q, s * h * v), pairs, ground=amble.plane_ground()) for s in (1, -1))
    rate = (after[0]["distance"] - before[0]["distance"]) / (2 * h)
    assert here[0]["gradient"] @ v == pytest.approx(rate, rel=1e-3)


def test_a_static_posture_carries_the_weight(robot):
    feet = [dict(body=f"{side}_sole", points=CORNERS, pose=at(0, y, 0)) for side, y in (("left", 0.1), ("right", -0.1))]
    posture = amble.static_posture(robot, feet, robot.neutral())
    assert posture.found, posture.message
    total = sum(f.sum(axis=0) for f in posture.forces)
    assert total == pytest.approx([0, 0, robot.mass * 9.81], abs=1e-5)
    external = {}
    for side, forces in zip(("left", "right"), posture.forces):
        X = amble.pose(robot, posture.q, f"{side}_sole")
        wrench = np.zeros(6)
        for p, f in zip(CORNERS, forces):
            local = X[:3, :3].T @ f
            wrench += np.concatenate([local, np.cross(p, local)])
        external[f"{side}_sole"] = wrench
    zero = np.zeros(robot.nv)
    assert amble.inverse_dynamics(robot, posture.q, zero, zero, external) == pytest.approx(posture.torques, abs=1e-5)


def test_what_cannot_be_asked_is_named(robot):
    q = robot.neutral()
    with pytest.raises(amble.Error, match="did you mean 'left_sole'"):
        amble.static_posture(robot, [dict(body="left_sol")], q)
    with pytest.raises(amble.Error, match="hold is 'glue': expected one of pose, position, plane, height"):
        amble.static_posture(robot, [dict(body="left_sole", hold="glue")], q)
    with pytest.raises(amble.Error, match="a contact has a key 'fricton' that is not known"):
        amble.static_posture(robot, [dict(body="left_sole", fricton=1)], q)
    with pytest.raises(amble.Error, match="says not where"):
        amble.inverse_kinematics(robot, [dict(body="head")], q)
    with pytest.raises(amble.Error, match="a target has no body"):
        amble.inverse_kinematics(robot, [dict(position=[0, 0, 0])], q)
    with pytest.raises(amble.Error, match="weights of 'head' are 2 numbers: expected 1 or 3"):
        amble.inverse_kinematics(robot, [dict(body="head", position=[0, 0, 0], weights=[1, 2])], q)


def test_stances_are_planned_and_searched_for(robot):
    q = robot.neutral()
    q[2] = 0.66
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
            q[robot.q_slice(f"{side}_{joint}")] = angle
    feet = [dict(name=side, body=f"{side}_sole", points=CORNERS, friction=0.6) for side in ("left", "right")]

    def stance(name, left, right):
        return dict(name=name, contacts={"left": at(left, 0.1, 0), "right": at(right, -0.1, 0)})

    plan = amble.plan_stances(robot, feet, [stance("stand", 0, 0), stance("step", 0, 0.15)], q)
    assert plan.found, plan.message
    assert [s["name"] for s in plan.stages] == ["stand", "let go 'right'", "place 'right'", "step"]
    assert (plan.stages[1]["released"], plan.stages[2]["placed"]) == (1, 1)
    assert plan.stages[1]["com"][1] == pytest.approx(0.1, abs=0.06)  # above the left foot
    assert not amble.plan_stances(robot, feet, [stance("stand", 0, 0), stance("leap", 0, 2)], q).found

    way = amble.search_stances(robot, feet, stance("here", 0, 0), stance("there", 0, 0.15), [], q)
    assert way.found, way.message
    assert [sorted(s["contacts"]) for s in way.stances] == [["left", "right"], ["left"], ["left", "right"]]
    assert amble.plan_stances(robot, feet, way.stances, q).found
    gap = amble.search_stances(robot, feet, stance("here", 0, 0), stance("there", 2, 2), [], q)
    assert not gap.found and gap.refused > 0 and gap.stances == []
    with pytest.raises(amble.Error, match="a stance holds 'tail', which is no contact"):
        amble.plan_stances(robot, feet, [dict(name="none", contacts={"tail": at(0, 0, 0)})], q)
