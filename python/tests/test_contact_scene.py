"""What model files say about contact, as scenes use it."""

import pickle
import warnings

import amble
import numpy as np
import pytest

G = 9.81
DEMO = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" {floor}/>
  <body name="box" pos="0 0 0.5"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" {box}/></body></worldbody>{more}</mujoco>"""


def demo(floor="", box="", more=""):
    return amble.load_text(DEMO.format(floor=floor, box=box, more=more))


def after(robot, scene, q, v, seconds, gravity=(0, 0, -G)):
    robot = robot.with_gravity(list(gravity))
    s = amble.Simulator(robot, elements=[scene(robot)], integrator="time_stepping", step=1e-3)
    s.reset(q, v)
    s.step(seconds)
    return s


def at_height(z):
    return [0, 0, z, 0, 0, 0, 1]


@pytest.mark.parametrize("floor, box, mu", [('friction="0.1"', 'friction="0.3"', 0.3), ('friction="0.1" priority="1"', 'friction="0.3"', 0.1),
                                            ('condim="1"', 'condim="1"', 0.0), ('condim="1" friction="0.5"', 'friction="0.2"', 0.5)])
def test_a_box_slides_by_the_friction_of_its_file(floor, box, mu):
    s = after(demo(floor, box), amble.contact_scene, at_height(0.1), [2.0, 0, 0, 0, 0, 0], 0.1)
    assert s.v[0] == pytest.approx(2.0 - 0.1 * mu * G, abs=1e-7)
    assert {c["friction"] for c in s.contacts} == {mu}


def test_options_of_the_scene_override_the_file():
    robot = demo('friction="0.1"', 'friction="0.3"')
    v = after(robot, lambda m: amble.contact_scene(m, friction=0.05), at_height(0.1), [2.0, 0, 0, 0, 0, 0], 0.1).v
    assert v[0] == pytest.approx(2.0 - 0.1 * 0.05 * G, abs=1e-7)
    v = after(robot, lambda m: amble.contact_scene(m, materials={"box": 0.4}), at_height(0.1), [2.0, 0, 0, 0, 0, 0], 0.1).v
    assert v[0] == pytest.approx(2.0 - 0.1 * np.sqrt(0.4 * 0.1) * G, abs=1e-7)


def test_a_margin_is_a_layer_that_holds_things_off():
    robot = demo('margin="0.004"', 'margin="0.006"')
    s = after(robot, amble.contact_scene, at_height(0.2), np.zeros(6), 1.0)
    assert s.q[2] == pytest.approx(0.11, abs=1e-9)
    pair = '<contact><pair geom1="box" geom2="floor" margin="0.05" friction="0.2 0.2"/></contact>'
    s = after(demo(more=pair, box='contype="0" conaffinity="0"'), amble.contact_scene, at_height(0.3), [1.0, 0, 0, 0, 0, 0], 1.0)
    assert s.q[2] == pytest.approx(0.15, abs=1e-9) and s.v == pytest.approx(np.zeros(6), abs=1e-9)


def test_what_nothing_holds_falls_through():
    z = after(demo(box='contype="2" conaffinity="2"'), amble.contact_scene, at_height(0.2), np.zeros(6), 0.5).q[2]
    assert z == pytest.approx(0.2 - G / 8, abs=1e-2)


def test_pairs_names_and_pickles():
    robot = demo('friction="0.5"')
    for m in (robot, pickle.loads(pickle.dumps(robot))):
        scene = amble.contact_scene(m)
        assert isinstance(scene, amble.Element) and scene.shapes == 2 and scene.overlapping == [] and scene.skipped == []
        assert scene.pairs == [dict(body_a="box", shape_a="box", body_b="world", shape_b="floor", friction=1.0, restitution=0.0, margin=0.0)]


def test_objects_bring_their_rules_along():
    pair = '<contact><pair geom1="box" geom2="floor" friction="0.2 0.2"/><exclude body1="box" body2="world"/></contact>'
    both = amble.load_text("<mujoco><worldbody><body name='box'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>").with_object(demo(more=pair), "other", np.eye(4))
    friction = {(p["body_a"], p["body_b"]): p["friction"] for p in amble.contact_scene(both).pairs}
    assert friction == {("box", "other_box"): 1.0, ("box", "world"): 1.0, ("other_box", "world"): 0.2}


def test_shapes_that_cannot_be_used_are_one_warning():
    robot = amble.load_text("""<robot name="r"><link name="base">
      <collision><geometry><mesh filename="package://far/a.stl"/></geometry></collision><collision name="b"><geometry><mesh filename="b.stl"/></geometry></collision>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>""", floating_base=True)
    with pytest.warns(RuntimeWarning, match=r"2 collision shapes are left out since they cannot be used, the first of body 'base': mesh 'package://far/a.stl' was not found when its "
                      r"model was loaded; package_path .* \(scene.skipped has all\)") as caught:
        scene = amble.contact_scene(robot)
    assert len(caught) == 1 and [s["shape"] for s in scene.skipped] == ["", "b"] and len(scene.pairs) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        amble.contact_scene(demo())


def test_hulls_are_read_again_when_their_file_has_changed(tmp_path):
    def box(width):
        corners = "".join(f"v {x * width} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
        (tmp_path / "box.obj").write_text(corners + "f 1 2 3\nf 4 5 6\nf 6 7 8\nf 1 4 8\n")
        return amble.load_text('<robot name="r"><link name="base"><collision><geometry><mesh filename="box.obj"/></geometry></collision></link></robot>',
                               file=str(tmp_path / "r.urdf"), floating_base=True)

    def height(robot):
        """Of the origin, above which the box stands on its side along x."""
        body = robot.with_payload("base", mass=1.0, com=[0.5, 0.5, 0.5], inertia=0.1 * np.eye(3))
        s = amble.Simulator(body, elements=[amble.contact_scene(body)], integrator="time_stepping", step=1e-3)
        s.reset([0, 0, 3.1, 0, np.sqrt(0.5), 0, np.sqrt(0.5)], np.zeros(6))  # x points down
        s.step(1.0)
        return s.q[2]

    for width in (1.0, 3.0, 1.0):
        assert height(box(width)) == pytest.approx(width, abs=1e-8)


def test_sdf_friction_is_the_smaller_one():
    def surface(mu, mask=""):
        return f"<surface><friction><ode><mu>{mu}</mu></ode></friction>{mask}</surface>"

    def link(name, x, inside):
        return f"""<link name="{name}"><pose>{x} 0 1 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
          <collision name="{name}"><geometry><sphere><radius>0.1</radius></sphere></geometry>{inside}</collision></link>"""

    mask = "<contact><collide_bitmask>{}</collide_bitmask></contact>"
    robot = amble.load_text('<sdf version="1.9"><model name="m">' + link("a", 0, surface(0.5)) + link("b", 1, surface(0.2)) + link("c", 2, "")
                            + link("d", 3, "<surface>" + mask.format(1) + "</surface>") + link("e", 4, "<surface>" + mask.format(2) + "</surface>") + "</model></sdf>")
    assert not any("surface" in note for note in robot.notes)
    friction = {p["shape_a"] + p["shape_b"]: p["friction"] for p in amble.contact_scene(robot, ground=False).pairs}
    assert friction["ab"] == 0.2 and friction["ac"] == pytest.approx(np.sqrt(0.5 * 0.8)) and "de" not in friction and "ad" in friction


def test_motions_start_at_keyframes_by_name():
    robot = demo(more='<keyframe><key name="high" qpos="1 2 3 1 0 0 0" qvel="0.5 0 0 0 0 0"/><key name="low"/></keyframe>')
    run = amble.simulate(robot, "high", None, 0.1)
    assert run.q[0] == pytest.approx([1, 2, 3, 0, 0, 0, 1]) and run.v[0][0] == 0.5
    assert amble.simulate(robot, "high", np.zeros(6), 0.1).v[0][0] == 0.0
    s = amble.Simulator(robot)
    s.reset("low")
    assert s.q == pytest.approx(at_height(0.5)) and not s.v.any()
    s.reset(at_height(0.7))
    assert s.q[2] == 0.7 and not s.v.any()
    with pytest.raises(amble.Error, match="there is no keyframe 'hi'.*; there are high, low"):
        s.reset("hi")
    with pytest.raises(amble.Error, match="there is no keyframe 'home'; the model has none"):
        demo().keyframe("home")
