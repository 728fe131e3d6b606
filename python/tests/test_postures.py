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


def feet_of(robot):
    corners = [[x, y, 0] for x in (-0.11, 0.11) for y in (-0.05, 0.05)]
    return [dict(name=side, body=f"{side}_sole", points=corners, friction=0.6) for side in ("left", "right")]


def knees_bent(robot):
    q = robot.neutral()
    q[2] = 0.66
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.4), ("knee", 0.8), ("ankle_pitch", -0.4)):
            q[robot.q_slice(f"{side}_{joint}")] = angle
    return q


def standing(name, left=0.0, right=0.0, **more):
    return dict(name=name, contacts={"left": at(left, 0.1, 0), "right": at(right, -0.1, 0)}, duration=0.8, pause=0.1, **more)


def test_a_step_is_made(robot):
    feet = feet_of(robot)
    plan = amble.plan_stances(robot, feet, [standing("stand"), standing("step", 0.1)], knees_bent(robot))
    assert plan.found, plan.message
    controller = amble.StanceController(robot, feet, plan)
    scene = amble.contact_scene(robot, between_bodies=False)
    world = amble.Simulator(robot, elements=[scene, amble.sampled(robot, controller)], integrator="time_stepping", step=1e-3)
    world.reset(plan.start, np.zeros(robot.nv))
    lifted = False
    while not controller.finished and world.t < 10:
        world.step(0.02)
        assert not controller.gave_up and controller.result.solved, controller.report()
        lifted = lifted or not controller.is_held("left")
    assert controller.finished and lifted and controller.is_held("left")
    assert amble.pose(robot, world.q, "left_sole")[0, 3] == pytest.approx(0.1, abs=0.01)
    # NumPy's own balance: what the controller plans bears the weight.
    weight = sum(controller.contact_force(side)[2] for side in ("left", "right"))
    assert weight == pytest.approx(robot.mass * 9.81, rel=0.01)
    assert [e["name"] for e in world.events if "place" in e["name"]][0] == "place 'left'"
    tick = controller.solve(world.q, world.v, world.t)
    assert tick.tau.shape == (robot.nv,) and np.all(np.abs(tick.tau[6:]) <= robot.effort_limit[6:])


def test_postures_of_a_plan_keep_bodies_apart(robot):
    """The posture that is liked best puts the hands into each other."""
    liked = knees_bent(robot)
    for side, sign in (("left", 1), ("right", -1)):
        for joint, angle in (("shoulder_pitch", -0.6), ("shoulder_roll", -0.15 * sign), ("shoulder_yaw", -0.6 * sign), ("elbow", -1.3)):
            liked[robot.q_slice(f"{side}_{joint}")] = angle
    stances = [standing("stand"), standing("hands together", preferred=liked)]
    nearest = {}
    for clearance in (0.0, 0.02):
        plan = amble.plan_stances(robot, feet_of(robot), stances, knees_bent(robot), clearance=clearance, ground=amble.plane_ground())
        assert plan.found, plan.message
        arms = [(f"{a}_{x}", f"{b}_{y}") for a, b in (("left", "right"),) for x in ("hand", "forearm") for y in ("hand", "forearm")]
        nearest[clearance] = min(d["distance"] for d in amble.body_distances(robot, plan.stages[-1]["q"], arms))
    assert nearest[0.0] < 0.0 and nearest[0.02] > 0.0199


def test_objects_stand_beside_a_robot(robot):
    ball = amble.Builder("ball")
    ball.body("ball", mass=2.0, com=[0, 0, 0], inertia=0.01 * np.eye(3))
    ball.joint("root", "free", parent="world", child="ball")
    both = robot.with_object(ball.build(), "toy", pose=at(1, 0, 0))
    assert both.mass == pytest.approx(robot.mass + 2.0) and both.nv == robot.nv + 6
    q = both.neutral()
    assert amble.pose(both, q, "ball")[0, 3] == pytest.approx(1.0)
    M = amble.mass_matrix(both, q)
    assert np.all(M[: robot.nv, robot.nv :] == 0.0)  # nothing joins them but contacts
    np.testing.assert_allclose(M[: robot.nv, : robot.nv], amble.mass_matrix(robot, robot.neutral()), atol=1e-12)
    again = both.with_object(ball.build(), "second")
    assert "second_ball" in again.bodies
    with pytest.raises(amble.Error, match="pose"):
        robot.with_object(ball.build(), "toy", pose=np.zeros((4, 4)))


def test_what_cannot_be_followed_is_refused(robot):
    q, feet = knees_bent(robot), feet_of(robot)
    plan = amble.plan_stances(robot, feet, [standing("stand")], q)
    with pytest.raises(amble.Error, match="the stances cannot be followed: stance 'leap'"):
        amble.StanceController(robot, feet, amble.plan_stances(robot, feet, [standing("stand"), standing("leap", 2.0)], q))
    with pytest.raises(amble.Error, match="the plan has contact 2, but there are 1"):
        amble.StanceController(robot, feet[:1], plan)
    with pytest.raises(amble.Error, match="the plan is not of 'humanoid30': it has"):
        amble.StanceController(robot.with_locked({"head_yaw" if "head_yaw" in robot.joints else robot.joints[-1]: 0.0}), feet, plan)
    with pytest.raises(amble.Error, match="touch_speed is 0, expected a number above 0"):
        amble.StanceController(robot, feet, plan, touch_speed=0.0)
    with pytest.raises(amble.Error, match="limit_margin is -1, expected a number of 0 or more"):
        amble.StanceController(robot, feet, plan, limit_margin=-1.0)
    with pytest.raises(amble.Error, match="contacts is not a list"):
        amble.StanceController(robot, feet[0], plan)
    with pytest.raises(amble.Error, match="there is no contact 'tail'"):
        amble.StanceController(robot, feet, plan).contact_force("tail")
    with pytest.raises(amble.Error, match="stance 'stand': duration is 0, expected more than 0 s"):
        amble.plan_stances(robot, feet, [dict(standing("stand"), duration=0.0)], q)
    with pytest.raises(amble.Error, match="the place of 'left'"):
        amble.plan_stances(robot, feet, [dict(name="stand", contacts={"left": np.zeros(3)})], q)
    with pytest.raises(amble.Error, match="a candidate is not a pair"):
        amble.search_stances(robot, feet, standing("here"), standing("there", 0.1), ["left"], q)
    with pytest.raises(amble.Error, match="clearance is -1, expected 0 or more"):
        amble.plan_stances(robot, feet, [standing("stand")], q, clearance=-1.0)
