"""Whole-body control from Python, judged by NumPy and the dynamics alone."""

import os
from pathlib import Path

import amble
import numpy as np
import pytest

MODELS = Path(__file__).resolve().parents[2] / "models"


def humanoid():
    robot = amble.load(MODELS / "humanoid.urdf", floating_base=True)
    q = robot.neutral()
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[robot.q_slice(f"{side}_{joint}")] = angle
    q[2] -= amble.pose(robot, q, "left_foot")[2, 3] - 0.08
    return robot, q


def sole(side):
    pose = np.eye(4)
    pose[:3, 3] = [0.03, 0.0, -0.08]
    points = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.045, 0.045)]
    return dict(name=side, place=f"{side}_foot", pose=pose, points=points, friction=0.6)


def standing(**settings):
    robot, q = humanoid()
    com = amble.ComTask(robot)
    com.position = amble.center_of_mass(robot, q)
    posture = amble.PostureTask(robot)
    posture.q, posture.weight = q, 1e-3
    control = amble.WholeBodyController(robot, [com, posture], [sole("left"), sole("right")], **settings)
    control.hold("left"), control.hold("right")
    return robot, q, com, control


def test_standing_obeys_the_equation_of_motion():
    robot, q, _, control = standing()
    v = np.zeros(robot.nv)
    r = control.solve(q, v)
    assert r.status == "solved" and r.solved and r.certificate.residual < 1e-9 and r.levels == 1
    force = sum(control.contact_force(side)[2] for side in ("left", "right"))
    assert force == pytest.approx(9.81 * robot.mass, rel=0.01)
    external = np.zeros(robot.nv)
    f = r.forces.reshape(-1, 3)
    for i, side in enumerate(("left", "right")):
        for k, p in enumerate(sole(side)["points"]):
            J = amble.jacobian(robot, q, f"{side}_foot", point=np.array(p) + [0.03, 0, -0.08], frame="aligned")[:3]
            external += J.T @ f[4 * i + k]
    np.testing.assert_allclose(amble.inverse_dynamics(robot, q, v, r.a), r.tau + external, atol=1e-7)
    assert np.all(np.hypot(f[:, 0], f[:, 1]) <= 0.6 * f[:, 2] + 1e-9)


@pytest.mark.parametrize("formulation", ["chart_projected", "chart_multiplier"])
def test_formulations_agree(formulation):
    robot, q, _, control = standing()
    v = 0.05 * np.sin(np.arange(robot.nv))
    _, _, _, other = standing(formulation=formulation)
    np.testing.assert_allclose(other.solve(q, v).a, control.solve(q, v).a, atol=1e-6)


def test_it_runs_in_a_simulation():
    robot, q, com, control = standing()
    home, seen = com.position, []
    def move(t):
        seen.append(t)
        com.position = home + [0.0, 0.0, -0.03 * np.sin(4 * t) ** 2]
    control.on_tick(move)
    elements = [amble.contact_scene(robot, between_bodies=False), amble.sampled(robot, control)]
    simulator = amble.Simulator(robot, elements=elements, integrator="time_stepping", step=1e-3)
    simulator.reset(q, np.zeros(robot.nv))
    simulator.step(0.3)
    assert len(seen) >= 300 and control.result.solved
    assert amble.pose(robot, simulator.q, "left_foot")[2, 3] == pytest.approx(0.08, abs=1e-4)


def test_priorities_and_reports():
    robot, q, com, control = standing()
    com.position = com.position + [5.0, 0, 0]
    r = control.solve(q, np.zeros(robot.nv))
    assert r.task_residuals[0] > 1 and np.all(np.isfinite(r.tau)) and control.report() == "solved"
    v = np.zeros(robot.nv)
    v[robot.v_slice("left_knee")] = 40
    r = control.solve(q, v)
    assert r.status == "degraded" and "joint '" in control.report()


def test_other_tasks_take_their_targets():
    robot, q, _, _ = standing()
    pose = amble.PoseTask(robot, "left_hand")
    pose.pose, pose.stiffness = amble.pose(robot, q, "left_hand"), 50.0
    turn = amble.OrientationTask(robot, "torso")
    turn.rotation = amble.pose(robot, q, "torso")[:3, :3]
    spin, push = amble.MomentumTask(robot), amble.ContactForceTask("left")
    push.force, push.axes, push.weight = [0, 0, 200], [False, False, True], 10.0
    control = amble.WholeBodyController(robot, [pose, turn, spin, push], [sole("left"), sole("right")])
    control.hold("left"), control.hold("right")
    r = control.solve(q, np.zeros(robot.nv))
    assert r.solved and control.contact_force("left")[2] == pytest.approx(200, abs=1)
    assert pose.error < 1e-12 and turn.error < 1e-12 and pose.rows == 6


def test_bad_input_is_explained():
    robot, q, com, control = standing()
    with pytest.raises(amble.Error, match="there is no contact 'nose'"):
        control.hold("nose")
    with pytest.raises(amble.Error, match="unknown formulation 'lagrange'"):
        standing(formulation="lagrange")
    with pytest.raises(amble.Error, match="a contact has no 'colour'"):
        amble.WholeBodyController(robot, [com], [dict(place="left_foot", colour="red")])
    with pytest.raises(amble.Error, match="position"):
        com.position = [1, 2]


ROBOTS = Path(os.environ.get("AMBLE_ROBOTS", MODELS.parents[1] / "shared" / "robots"))
TALOS = {f"leg_{s}_{n}_joint": a for s in ("left", "right") for n, a in ((3, -0.4), (4, 0.8), (5, -0.4))}
SIMPLE = {f"{s}LEG_{n}": a for s in "LR" for n, a in (("HIP_P", -0.4), ("KNEE", 0.8), ("ANKLE_P", -0.4))}


@pytest.mark.parametrize(
    "name, feet, bent",
    [
        ("talos_reduced", ("left_sole_link", "right_sole_link"), TALOS),
        ("simple_humanoid", ("l_ankle", "r_ankle"), SIMPLE),
    ],
)
def test_humanoids_of_others_stand_and_sway(name, feet, bent):
    file = ROBOTS / f"{name}.urdf"
    if not file.exists():
        pytest.skip(f"no {file.name}; set AMBLE_ROBOTS to its folder")
    robot = amble.load(file, floating_base=True)
    q, v = robot.neutral(), np.zeros(robot.nv)
    for joint, angle in bent.items():
        q[robot.q_slice(joint)] = angle
    middle = np.mean([amble.pose(robot, q, foot)[:3, 3] for foot in feet], axis=0)

    def level(foot):  # a sole as level as the ground, wherever the foot's axes point
        pose = np.eye(4)
        pose[:3, :3] = amble.pose(robot, q, foot)[:3, :3].T
        corners = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
        return dict(name=foot, place=foot, pose=pose, points=corners, friction=0.6)

    com, posture = amble.ComTask(robot), amble.PostureTask(robot)
    home = amble.center_of_mass(robot, q)
    home[:2] = middle[:2]
    com.position, posture.q, posture.weight = home, q, 1e-3
    soles = [level(foot) for foot in feet]  # simple_humanoid's file gives some joints the limits of others
    control = amble.WholeBodyController(robot, [com, posture], soles, position_limits=name == "talos_reduced")
    for foot in feet:
        control.hold(foot)
    for tick in range(1500):
        t = 1e-3 * tick
        com.position = home + [0.0, 0.02 * np.sin(2 * t), -0.01 * (1 - np.cos(2 * t))]
        com.velocity = [0.0, 0.04 * np.cos(2 * t), -0.02 * np.sin(2 * t)]
        found = control.solve(q, v, t)
        assert found.solved, control.report()
        v = v + 1e-3 * found.a
        q = robot.integrate(q, 1e-3 * v)
    up = sum(control.contact_force(foot)[2] for foot in feet)
    change = (amble.momentum_matrix(robot, q) @ found.a)[2]
    assert up == pytest.approx(9.81 * robot.mass + change, rel=1e-2)
    assert com.error < 0.01


def test_an_arm_told_to_enter_the_trunk_stops_before_it():
    robot, q = humanoid()
    pairs = [("left_hand", "torso"), ("left_forearm", "torso"), ("left_lower_forearm", "torso")]
    nearest = []
    for careful in (False, True):
        com, posture, hand = amble.ComTask(robot), amble.PostureTask(robot), amble.PointTask(robot, "left_hand")
        com.position = amble.center_of_mass(robot, q)
        posture.q, posture.weight = q, 1e-3
        hand.position, hand.weight = amble.pose(robot, q, "torso")[:3, 3], 0.1
        apart = amble.ClearanceTask(robot, pairs, clearance=0.03)
        assert apart.level == 0 and apart.clearance == 0.03
        apart.enabled = careful
        control = amble.WholeBodyController(robot, [com, posture, hand, apart], [sole("left"), sole("right")])
        control.hold("left"), control.hold("right")
        at, moving = q, np.zeros(robot.nv)
        for _ in range(700):
            moving = moving + 1e-3 * control.solve(at, moving).a
            at = robot.integrate(at, 1e-3 * moving)
        nearest.append(min(d["distance"] for d in amble.body_distances(robot, at, pairs)))
    assert nearest[0] < 0.01 and nearest[1] == pytest.approx(0.03, abs=3e-3)
    assert apart.nearest[1] == pytest.approx(nearest[1], abs=1e-4)
