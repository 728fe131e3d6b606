"""Model files in and out."""

import os
import pickle

import amble
import numpy as np
import pytest

PENDULUM = """<robot name="p">
  <link name="base"/>
  <link name="rod">
    <inertial><mass value="1"/><inertia ixx="{ixx}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://parts/rod.stl"/></geometry></visual>
  </link>
  <link name="gear">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="geared" type="continuous">
    <parent link="rod"/><child link="gear"/><mimic joint="pin" multiplier="2"/>
  </joint>
</robot>"""
SOUND, IMPOSSIBLE = PENDULUM.format(ixx=1), PENDULUM.format(ixx=5)


@pytest.mark.parametrize("file", ["double_pendulum.urdf", "four_bar.sdf", "rover.sdf", "hopper.xml"])
def test_each_format_is_read_by_its_content(models, tmp_path, file):
    copy = tmp_path / "model.anything"
    copy.write_bytes((models / file).read_bytes())
    assert amble.differences(amble.load(copy), amble.load(str(models / file))) == []


def test_paths_may_be_text_or_path_objects(models):
    path = models / "arm7.urdf"
    assert amble.load(path).file == amble.load(os.fspath(path)).file == str(path)


def test_the_base_is_fixed_unless_it_is_asked_to_float(models):
    path = models / "quadruped.urdf"
    fixed, floating = amble.load(path), amble.load(path, floating_base=True)
    assert amble.load(path, floating_base=False).nv == fixed.nv == floating.nv - 6
    assert floating.joints[0] == "root_joint" and floating.nq == fixed.nq + 7


def test_asking_for_a_fixed_base_of_a_free_model_is_explained(models):
    with pytest.raises(amble.Error, match="base = fixed was asked for, but joint '.*' of the file is free"):
        amble.load(models / "hopper.xml", floating_base=False)


def test_followers_follow_unless_set_free():
    assert amble.load_text(SOUND).joints == ["pin"]
    assert amble.load_text(SOUND, mimic="free").joints == ["pin", "geared"]
    with pytest.raises(amble.Error, match="mimic is 'off': expected 'follow' or 'free'"):
        amble.load_text(SOUND, mimic="off")


def test_impossible_inertias_are_warnings_and_strict_refuses_them():
    m = amble.load_text(IMPOSSIBLE, file="p.urdf")
    assert any("rod" in w and "triangle inequality" in w for w in m.warnings)
    with pytest.raises(amble.Error, match="triangle inequality"):
        amble.load_text(IMPOSSIBLE, strict=True)


def test_what_a_file_was_forgiven_stays_forgiven_when_the_mechanism_changes():
    m = amble.load_text(IMPOSSIBLE)
    assert m.with_gravity([0, 0, -1]).with_locked({"pin": 0.3}).nv == 0


def test_meshes_are_looked_up_on_the_package_path(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "rod.stl").write_bytes(b"solid rod\nendsolid rod\n")

    def about_meshes(**options):
        m = amble.load_text(SOUND, **options)
        return [line for line in m.warnings + m.notes if "rod.stl" in line]

    assert about_meshes()
    for path in (tmp_path, str(tmp_path), [tmp_path], ["/nowhere", str(tmp_path)]):
        assert about_meshes(package_path=path) == []


@pytest.mark.parametrize("ending", [".urdf", ".xml", ".mjcf"])
@pytest.mark.parametrize("name", ["double_pendulum.urdf", "arm7.urdf", "quadruped.urdf"])
def test_a_saved_file_reads_back_the_same(models, tmp_path, name, ending):
    m = amble.load(models / name)
    path = tmp_path / ("copy" + ending)
    assert m.save(path) == []
    again = amble.load(path)
    assert amble.differences(m, again) == []
    q = m.random(seed=1)
    for body in m.bodies:
        np.testing.assert_allclose(amble.pose(again, q, body), amble.pose(m, q, body), atol=1e-14)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    m = amble.load_text(SOUND)
    with pytest.raises(amble.Error, match=r"unknown ending '.txt', expected .urdf, .xml or .mjcf"):
        m.save(tmp_path / "copy.txt")
    with pytest.raises(amble.Error, match="cannot be written"):
        m.save(tmp_path / "no folder" / "copy.urdf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text, message",
    [("", "text"), ("no xml at all", "text"), ("<robot name='x'>", "text"), ("<something/>", "something")],
)
def test_text_that_is_no_model_is_refused_by_name(text, message):
    with pytest.raises(amble.Error, match=message):
        amble.load_text(text)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(amble.Error, match="nowhere.urdf"):
        amble.load(tmp_path / "nowhere.urdf")


def test_file_names_need_not_be_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/r\xe9.urdf"
    with open(name, "w") as file:
        file.write(IMPOSSIBLE)
    m = amble.load(name)
    assert m.file == os.fsdecode(name)
    assert "r\\xe9.urdf" in m.warnings[0]
    with pytest.raises(amble.Error, match=r"s\\xe9.urdf"):
        amble.load(name.replace(b"r\xe9", b"s\xe9"))


KEYED = """<mujoco><worldbody>
  <body name="rail" pos="0 0 1"><joint name="slide" type="slide" axis="1 0 0" range="-1 1" limited="true"/><geom size="0.1"/></body>
  <body name="base" pos="0 0 2"><freejoint name="root"/><geom size="0.1"/></body></worldbody>
  <actuator><position name="servo" joint="slide" kp="10"/></actuator>
  <keyframe><key name="home" time="2" qpos="0.5 1 2 3 1 0 0 1" qvel="0.1 1 0 0 0 0 5" ctrl="0.5"/><key name="drawn"/></keyframe></mujoco>"""


def test_the_drives_of_a_file_move_its_joints():
    robot = amble.load_text(KEYED)
    home = robot.keyframe("home")
    robot = robot.with_gravity([0, 0, 0])
    damped = amble.joint_dampers(robot, [8.0] + [0.0] * 6)
    for ctrl in (0.25, {"servo": 0.25}, lambda t, q, v: [0.25]):
        given = [ctrl] if isinstance(ctrl, float) else ctrl
        run = amble.simulate(robot, home.q, np.zeros(7), 20.0, elements=[amble.model_drives(robot, given), damped])
        assert run.q[-1][robot.q_slice("slide")] == pytest.approx([0.25], abs=1e-4)
    run = amble.simulate(robot, home.q, np.zeros(7), 1.0, elements=[amble.model_drives(robot)])
    assert run.q[-1][robot.q_slice("slide")] == pytest.approx([0.5], abs=1e-12)  # held where the keyframe is
    with pytest.raises(amble.Error, match="there is no drive 'serv' .did you mean 'servo'"):
        amble.model_drives(robot, {"serv": 1.0})


TENDONS = """<mujoco><compiler angle="radian"/><worldbody><site name="hook" pos="0.1 0 1.4"/>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.2"/><geom type="capsule" size="0.03" fromto="0 0 0 0 0 0.3" mass="1"/>
    <geom name="pulley" type="cylinder" size="0.04 0.05" pos="0 0 0.3" euler="1.5707963267948966 0 0" mass="0"/><site name="side" pos="0.2 0 0.3"/><site name="up" pos="0.05 0 0.1"/>
    <body name="lower" pos="0 0 0.3"><joint name="elbow" axis="0 1 0" damping="0.1" stiffness="0.3 0.2 0.5"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3" mass="0.6"/>
      <site name="hand" pos="0.05 0 0.2"/></body></body></worldbody>
  <tendon><spatial name="flexor" stiffness="40 10" damping="0.5" springlength="0.1 0.25" range="0.05 0.5"><site site="up"/><geom geom="pulley" sidesite="side"/><site site="hand"/></spatial>
    <spatial name="line" damping="0.3"><site site="hook"/><site site="hand"/></spatial><fixed name="sum"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="0.5"/></fixed></tendon>
  <actuator><muscle name="biceps" tendon="flexor" lengthrange="0.1 0.5" force="30"/><position name="servo" tendon="sum" kp="8" kv="1"/>
    <position name="slow" joint="elbow" kp="2" timeconst="0.1"/></actuator></mujoco>"""


def test_a_tendon_driven_arm_closes_its_books(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(TENDONS)
    arm = amble.load(path)
    assert arm.tendons == ["flexor", "line", "sum"] and arm.activations == ["biceps", "slow"]
    q = np.array([0.4, 0.9])
    assert amble.tendon_lengths(arm, q)[2] == pytest.approx(0.4 + 0.45, abs=1e-15)
    J, h = amble.tendon_jacobian(arm, q), 1e-6
    slopes = [(amble.tendon_lengths(arm, q + h * e) - amble.tendon_lengths(arm, q - h * e)) / (2 * h) for e in np.eye(2)]
    assert np.allclose(J, np.transpose(slopes), atol=1e-9)
    drives = amble.model_drives(arm, lambda t, q, v: [0.5 + 0.4 * np.sin(5 * t), 0.3, 0.2])
    run = amble.simulate(arm, q, [0, 0], 2.0, elements=[drives, amble.tendon_stops(arm)], tolerance=1e-12)
    ledger = run.ledger
    assert abs(ledger["residual"]) < 1e-9 * ledger["exchanged"]
    entries = {e["name"]: e for e in ledger["entries"]}
    assert entries["flexor"]["dissipated"] > 0 and entries["line"]["dissipated"] > 0 and entries["drives"]["supplied"] != 0
    for entry in entries.values():
        assert abs(entry["supplied"] - entry["delivered"] - entry["stored"] - entry["dissipated"]) < 1e-9 * ledger["exchanged"], entry
    assert amble.deserialize(amble.serialize(arm)).tendons == arm.tendons


def test_drives_hold_what_the_file_draws_unless_told_otherwise():
    still = amble.load_text(TENDONS).with_gravity([0, 0, 0])
    forces = amble.drive_forces(still, [0, 0], [0, 0], [0, 0, 0])
    assert forces.force[1] == 0 and forces.force[2] == 0 and forces.activation_rate.shape == (2,)
    assert np.allclose(amble.drive_moments(still, [0, 0])[1], [1, 0.5])
    with pytest.raises(amble.Error, match=r"act has shape \(1,\): expected \(2,\)"):
        amble.model_drives(still, act=[0.1])


def test_couplings_are_constraints():
    text = """<mujoco><worldbody><body><joint name="x"/><geom size="0.1" pos="0.2 0 0"/></body><body><joint name="y"/><geom size="0.1" pos="0 0 0.3"/></body></worldbody>
      <equality><joint joint1="y" joint2="x" polycoef="0 0.5 0.2 0 0"/></equality></mujoco>"""
    robot = amble.load_text(text)
    assert robot.couplings == ["loop_0"] and robot.nv == 2 and robot.mobility == 1
    x = 0.3
    run = amble.simulate(robot, [x, 0.5 * x + 0.2 * x * x], [1.0, 0.5 + 0.4 * x], 1.0)
    assert np.abs(run.q[:, 1] - 0.5 * run.q[:, 0] - 0.2 * run.q[:, 0] ** 2).max() < 1e-9
    linear = text.replace("0 0.5 0.2 0 0", "0 0.5")
    assert amble.load_text(linear).nv == 1
    assert amble.load_text(linear, mimic="free").couplings == ["loop_0"]


def test_keyframes_are_states_by_name(tmp_path):
    path = tmp_path / "keyed.xml"
    path.write_text(KEYED)
    robot = amble.load(path)
    assert robot.keyframes == ["home", "drawn"] and robot.drives == ["servo"]
    home, half = robot.keyframe("home"), np.sqrt(0.5)
    assert home.name == "home" and home.time == 2.0 and list(home.ctrl) == [0.5]
    assert home.q[robot.q_slice("slide")] == [0.5] and home.v[robot.v_slice("slide")] == [0.1]
    assert home.q[robot.q_slice("root")] == pytest.approx([1, 2, 3, 0, 0, half, half], abs=1e-15)
    # Along x of the world is along -y of a body that is turned a quarter about z.
    assert home.v[robot.v_slice("root")] == pytest.approx([0, -1, 0, 0, 0, 5], abs=1e-15)
    assert robot.keyframe("drawn").q[robot.q_slice("root")] == pytest.approx([0, 0, 2, 0, 0, 0, 1])
    assert len(robot.keyframe("drawn").ctrl) == 0
    with pytest.raises(amble.Error, match="there is no keyframe 'hom' .did you mean 'home'"):
        robot.keyframe("hom")
    assert list(pickle.loads(pickle.dumps(robot)).keyframe("home").q) == list(home.q)
    locked = robot.with_locked({"slide": 0.25})
    assert list(locked.keyframe("home").q) == list(home.q[robot.q_slice("root")])


def test_a_keyframe_stands_for_its_configuration():
    robot = amble.load_text(KEYED)
    home = robot.keyframe("home")
    np.testing.assert_array_equal(np.asarray(home), home.q)
    np.testing.assert_array_equal(amble.pose(robot, home, "rail"), amble.pose(robot, home.q, "rail"))


ODD = """<robot name="odd"><link name="a"><inertial><mass value="1"/></inertial></link><link name="l_foot"/><link name="r_foot"/>
  <joint name="j" type="revolute"><parent link="a"/><child link="l_foot"/><axis xyz="0 0 1"/></joint></robot>"""


def test_what_is_not_quite_right_loads_with_a_warning():
    m = amble.load_text(ODD)
    assert m.joints == ["j"] and m.lower[0] == -np.inf
    for quirk in ("no-limit", "inertial-incomplete", "several-roots"):
        assert any(f"[urdf-{quirk}]" in line for line in m.warnings), quirk


def test_the_base_that_was_assumed_is_noted_with_the_other_choice():
    (note,) = [line for line in amble.load_text(ODD).notes if "floating_base=True" in line]
    assert "link 'a': is taken as fixed to the world (and 1 others)" in note and "'l_foot' and 'r_foot' look like feet" in note
    floating = amble.load_text(ODD, floating_base=True)
    assert floating.joints == ["a_free", "j", "r_foot_free"]
    assert not any("floating_base" in line for line in floating.notes)
    sdf = "<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>"
    assert any("floating_base=False" in line for line in amble.load_text(sdf).notes)
    assert not any("floating_base" in line for line in amble.load_text(sdf, floating_base=False).notes)


def test_a_file_of_macros_names_the_command_that_expands_it():
    with pytest.raises(amble.Error, match=r"xacro robot.urdf.xacro > robot_expanded.urdf"):
        amble.load_text("<robot name='r'><xacro:include filename='x'/></robot>", file="robot.urdf.xacro")


def test_saving_returns_what_the_format_cannot_say(models, tmp_path):
    m = amble.load(models / "hopper.xml")
    assert m.save(tmp_path / "copy.xml") == []
    assert amble.differences(m, amble.load(tmp_path / "copy.xml")) == []
    left_out = m.save(tmp_path / "copy.urdf")
    assert left_out and all("copy.urdf: " in line for line in left_out)
    helix = amble.random_mechanism(1, bodies=1, types=["helical"])[0]
    with pytest.raises(amble.Error, match="helical"):
        helix.save(tmp_path / "helix.urdf")
    assert not (tmp_path / "helix.urdf").exists()
