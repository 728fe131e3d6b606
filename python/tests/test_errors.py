"""Every mistake of a caller's is an amble.Error that names the thing, what it is and what was expected."""

import amble
import numpy as np
import pytest

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def m(models):
    return amble.load(models / "double_pendulum.urdf")


def body_of(m):
    return m.bodies[-1]


def test_an_error_is_a_value_error_of_the_package():
    assert issubclass(amble.Error, ValueError)
    assert (amble.Error.__module__, amble.Error.__name__) == ("amble", "Error")


CALLS = [
    (
        lambda m: amble.pose(m, [1, 2, 3], body_of(m)),
        r"^q has shape \(3,\): expected \(2,\), or \(\.\.\., 2\) for a stack$",
    ),
    (lambda m: amble.pose(m, 1.0, body_of(m)), r"^q has shape \(\): expected \(2,\)"),
    (lambda m: amble.pose(m, np.zeros((2, 3)), body_of(m)), r"^q has shape \(2, 3\)"),
    (lambda m: amble.pose(m, [0, NAN], body_of(m)), r"^q\[1\] is nan \(of shape \(2,\)\): expected finite numbers$"),
    (lambda m: amble.pose(m, [[0, 0], [INF, 0]], body_of(m)), r"^q\[1, 0\] is inf"),
    (lambda m: amble.pose(m, None, body_of(m)), "^q is None: expected numbers$"),
    (lambda m: amble.pose(m, "ab", body_of(m)), "^q is a str of type <U2: expected real numbers$"),
    (lambda m: amble.pose(m, [1j, 0], body_of(m)), "^q is a list of type complex128: expected real numbers$"),
    (lambda m: amble.pose(m, [[1], [1, 2]], body_of(m)), "^q is a list that is no array"),
    (lambda m: amble.pose(m, [object(), 1], body_of(m)), "^q is a list of type object: expected real numbers$"),
    (lambda m: amble.pose(m, [0, 0], "nothing"), "there is no body 'nothing'"),
    (lambda m: amble.jacobian(m, [0, 0], body_of(m), point=[1, 2]), r"^point has shape \(2,\): expected \(3,\)$"),
    (lambda m: amble.jacobian(m, [0, 0], body_of(m), point=[1, 2, NAN]), r"^point\[2\] is nan"),
    (lambda m: amble.jacobian(m, [0, 0], body_of(m), frame="body"), "unknown frame 'body', expected 'local'"),
    (lambda m: m.integrate([0, 0], [0]), r"^dv has shape \(1,\)"),
    (
        lambda m: m.integrate(np.zeros((2, 2)), np.zeros((3, 2))),
        r"^q is a stack of shape \(2,\) but dv is one of shape \(3,\)",
    ),
    (lambda m: m.difference([0, 0], [0, NAN]), r"^q1\[1\] is nan"),
    (lambda m: m.random(seed=1, count=-1), "^count is -1"),
    (lambda m: m.random(seed=-1), r"^seed is -1: expected a whole number from 0 to 2\^64 - 1$"),
    (lambda m: m.random(seed=2**64), r"^seed is 18446744073709551616: expected a whole number"),
    (lambda m: m.random(seed=1.5), r"^seed is 1\.5: expected a whole number"),
    (lambda m: amble.random_mechanism(-1), "^seed is -1: expected a whole number"),
    (lambda m: amble.differences(m, m, -1), "^tolerance is -1: expected a number from 0 up$"),
    (lambda m: amble.differences(m, m, tolerance=NAN), "^tolerance is nan: expected a number from 0 up$"),
    (lambda m: m.with_locked([("a", 1)]), "^joints is a list: expected a mapping {name: value}$"),
    (lambda m: m.with_locked({3: 1.0}), "^joints has the key 3: expected names$"),
    (lambda m: m.q_slice("nothing"), "there is no joint 'nothing'"),
    (lambda m: m.body("nothing"), "there is no body 'nothing'"),
    (lambda m: m.loop("nothing"), "there is no loop 'nothing'"),
    (lambda m: m.frame("nothing"), "there is no frame 'nothing'"),
    (lambda m: m.with_locked({m.joints[0]: [1, 2]}), "is locked by 2 numbers, expected 1"),
    (lambda m: m.with_locked({m.joints[0]: NAN}), "^the value of joint '.*' is nan"),
    (lambda m: m.with_gravity([0, 0]), r"^gravity has shape \(2,\): expected \(3,\)$"),
    (lambda m: m.with_payload(body_of(m), mass=-1), "payload: mass -1 kg is negative"),
    (lambda m: m.with_payload(body_of(m), mass=NAN), r"^mass of the payload is nan"),
    (lambda m: m.with_properties(m.joints[0], dampng=1), "no property 'dampng' .did you mean 'damping'"),
    (lambda m: m.with_properties(m.joints[0], lower=[[1]]), r"^lower of joint '.*' has shape \(1, 1\)"),
    (lambda m: m.with_properties(m.joints[0], lower=NAN), "^lower of joint '.*' is nan .*: expected numbers$"),
    (lambda m: amble.random_mechanism(1, bodies=0), "at least one body, not 0"),
    (lambda m: amble.ProductOfExponentials(np.eye(4), np.zeros(6)), r"^screws has shape \(6,\): expected \(n, 6\)$"),
]


@pytest.mark.parametrize("call, message", CALLS)
def test_a_bad_argument_is_named(m, call, message):
    with pytest.raises(amble.Error, match=message):
        call(m)


BUILDS = [
    (lambda b: b.body("b", mass=NAN), "^mass of body 'b' is nan"),
    (lambda b: b.body("b", mass=1, com=[1, 2]), r"^com of body 'b' has shape \(2,\): expected \(3,\)$"),
    (lambda b: b.body("b", mass=1, inertia=[1, 2, 3]), r"^inertia of body 'b' has shape \(3,\): expected \(3, 3\)$"),
    (
        lambda b: b.joint("j", "revolute", "world", "b", pose=np.eye(3)),
        r"^pose of joint 'j' has shape \(3, 3\): expected \(4, 4\)$",
    ),
    (lambda b: b.joint("j", "revolute", "world", "b", pose=2 * np.eye(4)), "^pose of joint 'j' is not a rotation"),
    (lambda b: b.joint("j", "revolute", "world", "b", axis=[1, 0]), r"^axis of joint 'j' has shape \(2,\)"),
    (
        lambda b: b.joint("j", "revolute", "world", "b", mimic=3),
        r"^mimic of joint 'j' is 3: expected \(leader, ratio, offset\)$",
    ),
    (lambda b: b.joint("j", "revolute", "world", "b", uper=3), "no property 'uper' .did you mean 'upper'"),
    (lambda b: b.loop("l", "revolute", "a", "b", pose_b=[1]), r"^pose_b of loop 'l' has shape \(1,\)"),
    (lambda b: b.frame("f", "b", np.zeros((4, 4))), "^pose of frame 'f' is not a rotation"),
    (lambda b: b.gravity([0, 0, INF]), r"^gravity\[2\] is inf"),
]


@pytest.mark.parametrize("call, message", BUILDS)
def test_a_bad_piece_is_named_when_it_is_given(call, message):
    with pytest.raises(amble.Error, match=message):
        call(amble.Builder("b"))


def test_building_lists_every_problem_at_once():
    b = amble.Builder("bad")
    b.body("heavy", mass=-1.0).body("odd", mass=1.0, inertia=np.diag([1, 1, 3]))
    b.joint("pin", "revolute", parent="world", child="heavy", axis=[0, 0, 2])
    with pytest.raises(amble.Error) as error:
        b.build()
    lines = str(error.value).splitlines()
    for fact in ("mass -1 kg is negative", "triangle inequality", "length 2, expected 1", "no joint holds it"):
        assert any(fact in line for line in lines), fact


def test_a_quaternion_off_by_a_millionth_is_normalised_and_one_further_off_is_refused():
    m = amble.Builder("b").body("b", mass=1.0).joint("root", "free", parent="world", child="b").build()
    q = m.random(seed=1)
    near, far = q.copy(), q.copy()
    near[3:] *= 1 + 5e-7
    far[3:] *= 1 + 5e-6
    np.testing.assert_allclose(amble.pose(m, near, "b"), amble.pose(m, q, "b"), atol=1e-15)
    with pytest.raises(amble.Error, match="quaternion of joint 'root' is 5e-06 away from unit length"):
        amble.pose(m, far, "b")


ENDLESS_RUNS = [
    (["simulation.interval=1e-32"], r"'simulation.interval' is 1e-32 s: the number of rows in .* \(limit 'rows'\)$"),
    (["simulation.integrator='rkmk4'", "simulation.step=1e-9", "simulation.duration=10", "simulation.interval=1"],
     r"'simulation.step' is 1e-09 s: the number of steps in 10 s is 1e\+10; at most 1e\+09 \(limit 'steps'\)$"),
    (["world.gravity=[0, 0, -2e9]"], r"'world.gravity': a number is -2e\+09 m/s\^2; at most 1e\+06 m/s\^2 \(limit 'acceleration'\)$"),
]


@pytest.mark.parametrize("settings, words", ENDLESS_RUNS, ids=["interval", "step", "gravity"])
def test_a_scenario_without_end_is_refused_in_one_sentence(models, settings, words):
    with pytest.raises(amble.Error, match=words) as refusal:
        amble.run_scenario(models.parent / "scenarios/bouncing_ball.toml", settings)
    assert "\n" not in str(refusal.value)


def test_a_simulation_without_end_is_refused_in_one_sentence(m):
    for options, words in (
        (dict(interval=1e-32), r"^the number of states to record every 1e-32 s until 10 s is 1e\+33; at most 1e\+07 \(limit 'rows'\)$"),
        (dict(integrator="rkmk4", step=1e-9), r"steps.*\(limit 'steps'\)$"),
    ):
        with pytest.raises(amble.Error, match=words) as refusal:
            amble.simulate(m, [0.1, 0.0], [0.0, 0.0], 10.0, **options)
        assert "\n" not in str(refusal.value)
