"""Elements that act on a mechanism, those of the library and of the user's own, controllers and sensors."""

import gc
import math

import amble
import numpy as np
import pytest

GRAVITY = 9.81


def slider(gravity=GRAVITY, mass=2.0):
    b = amble.Builder("slider")
    b.gravity([0, 0, -gravity])
    b.body("mass", mass=mass, inertia=np.eye(3))
    b.joint("rail", "prismatic", parent="world", child="mass", axis=[0, 0, 1])
    return b.build()


def leg():
    b = amble.Builder("leg")
    b.body("thigh", mass=3.0, com=[0, 0, -0.2], inertia=0.1 * np.eye(3))
    b.body("shank", mass=1.0, com=[0, 0, -0.3], inertia=0.05 * np.eye(3))
    b.joint("hip", "revolute", parent="world", child="thigh", axis=[0, 1, 0])
    X = np.eye(4)
    X[2, 3] = -0.5
    b.joint("knee", "revolute", parent="thigh", child="shank", pose=X, axis=[0, 1, 0])
    return b.build()


def box():
    b = amble.Builder("box")
    b.body("box", mass=2.0, com=[0.1, 0, 0], inertia=np.diag([0.1, 0.2, 0.25]))
    b.joint("free", "free", parent="world", child="box")
    return b.build()


def run(m, elements, q, v, end, tolerance=1e-11):
    s = amble.Simulator(m, elements=elements, tolerance=tolerance)
    s.reset(q, v)
    s.step(end)
    return s


def assert_closed(s, share=1e-9):
    books = s.ledger
    assert books["exchanged"] > 0
    assert abs(books["residual"]) < share * books["exchanged"]
    for e in books["entries"]:
        gap = e["supplied"] - e["delivered"] - e["stored"] - e["dissipated"]
        assert abs(gap) < share * (books["exchanged"] + abs(e["stored"])), e


def moved(t):
    X = np.eye(4)
    c, s = math.cos(0.3 * t), math.sin(0.3 * t)
    X[:2, :2] = [[c, -s], [s, c]]
    X[:3, 3] = [math.sin(t), 0, 1]
    return X


def test_springs_dampers_and_impedances_in_space_close_their_books():
    m = box()
    elements = [
        amble.spatial_spring(m, "box", 50.0, [1, 2, 3], rest=moved),
        amble.spatial_damper(m, "box", 2.0, 0.2 * np.eye(3)),
        amble.spatial_impedance(m, "box", np.eye(4), 20.0, damping=1.0, pose_b=moved(0.2)),
    ]
    s = run(m, elements, m.neutral(), np.zeros(6), 3.0)
    assert_closed(s)
    assert [e["name"] for e in s.ledger["entries"]] == ["spring", "damper", "impedance"]


def test_a_target_may_bring_its_twist():
    m = box()
    twist = lambda t: [math.cos(t) * math.cos(0.3 * t), -math.cos(t) * math.sin(0.3 * t), 0, 0, 0, 0.3]
    both = lambda t: (moved(t), twist(t))
    by_differences, given = (
        run(m, [amble.spatial_impedance(m, "box", target, 50.0, 2.0, 1.0, 0.1)], m.neutral(), np.zeros(6), 1.0)
        for target in (moved, both)
    )
    assert np.allclose(by_differences.q, given.q, atol=1e-9)


def test_a_ball_bounces_and_comes_to_rest_on_a_rigid_stop():
    m = slider()
    floor = amble.rigid_stops(m, "rail", lower=0.0, restitution=0.5, rest_speed=0.01, name="floor")
    s = run(m, floor, [0.5], [0.0], 3.0)
    fall = math.sqrt(2 * 0.5 / GRAVITY)
    assert s.events[0]["t"] == pytest.approx(fall, abs=1e-10)
    assert s.events[1]["t"] == pytest.approx(2 * fall, abs=1e-10)
    assert "comes to rest" in s.events[-1]["name"]
    assert sum(e["lost"] for e in s.events) == pytest.approx(2.0 * GRAVITY * 0.5, abs=1e-9)
    assert abs(s.ledger["residual"]) < 1e-10


def test_end_stops_give_back_what_they_store():
    m = slider(gravity=0)
    s = run(m, [amble.end_stops(m, "rail", upper=1.0, stiffness=500.0, damping=0.0)], [0.0], [2.0], 2.0)
    assert s.v[0] == pytest.approx(-2.0, abs=1e-9)


def test_a_magnet_locks_the_knee_and_lets_go():
    m = leg()
    magnet = amble.lock(m, "knee", angle=0.0, release_times=[1.0], name="magnet")
    s = amble.Simulator(m, elements=[magnet], tolerance=1e-11)
    s.reset([0.4, -1.0], [0, 0])
    s.step(0.9)
    assert [e["name"] for e in s.events] == ["magnet: locks"] and s.events[0]["lost"] > 0
    assert abs(s.q[1]) < 1e-10
    s.step(0.2)
    assert s.events[1]["t"] == 1.0 and abs(s.v[1]) > 1e-3


def test_a_motor_reaches_the_speed_at_which_no_current_flows():
    m = slider(gravity=0)
    for command in (dict(voltage=6.0), dict(voltage=lambda t, q, v: 20.0, voltage_limit=6.0)):
        s = run(m, [amble.motor(m, "rail", 0.5, 0.5, ratio=2.0, inductance=0.01, **command)], [0.0], [0.0], 20.0)
        assert s.v[0] == pytest.approx(6.0, abs=1e-6)
        assert_closed(s)


def test_actuators_keep_their_limits_and_prescribed_motions_their_place():
    m = leg()
    elements = [
        amble.actuators(m, lambda t, q, v: [-100 * q[0], 0.0], effort=[5.0, np.inf], speed=[8.0, np.inf]),
        amble.prescribed_motion(m, "knee", lambda t: (0.2 * math.sin(t), 0.2 * math.cos(t), -0.2 * math.sin(t))),
    ]
    s = run(m, elements, [0.5, 0.0], [0.0, 0.2], 2.0)
    assert s.q[1] == pytest.approx(0.2 * math.sin(2.0), abs=1e-9)
    assert abs(s.ledger["residual"]) < 1e-8 * s.ledger["exchanged"]


def test_joint_impedance_follows_a_set_point():
    m = leg()
    point = lambda t: ([0.3 * math.sin(t), -0.5], [0.3 * math.cos(t), 0.0])
    s = run(m, [amble.joint_impedance(m, [3000, 2000], [90, 60], point)], [0, -0.5], [0.3, 0], 2.0)
    assert np.allclose(s.q, point(2.0)[0], atol=0.01)
    assert_closed(s)


# ---- of the user's own


class Spring(amble.Element):
    def __init__(self, stiffness):
        super().__init__("my spring")
        self.stiffness = stiffness

    def evaluate(self, state):
        return dict(tau=-self.stiffness * state.q, stored=0.5 * self.stiffness * state.q @ state.q)


class Winding(amble.Element):
    """A motor with inductance: its current is a state of its own."""

    def __init__(self):
        super().__init__("winding", size=1, guards=1)
        self.crossings = []

    def start(self, state):
        return [0.5]

    def evaluate(self, state):
        i, u, R, L, k = state.x[0], 6.0, 0.5, 0.05, 1.0
        rates = [(u - R * i - k * state.v[0]) / L]
        return dict(tau=[k * i], supplied=u * i, dissipated=R * i * i, stored=0.5 * L * i * i, rates=rates)

    def guard_values(self, state):
        return [state.x[0] - 5.0]

    def happen(self, state, crossed):
        self.crossings.append((state.t, state.x[0], crossed))


def test_a_users_element_acts_as_one_of_the_librarys_and_lives_as_long_as_it_is_needed():
    m = slider(gravity=0)
    mine = amble.Simulator(m, elements=[Spring(30.0)], tolerance=1e-11)
    gc.collect()  # nobody but the simulator holds it
    mine.reset([0.3], [0.0])
    mine.step(1.0)
    theirs = run(m, [amble.joint_springs(m, [30.0])], [0.3], [0.0], 1.0)
    assert mine.q[0] == pytest.approx(theirs.q[0], abs=1e-13)
    assert_closed(mine)


def test_a_users_element_may_have_a_state_and_guards():
    m = slider(gravity=0)
    winding = Winding()
    s = run(m, [winding], [0.0], [0.0], 10.0)
    assert s.v[0] == pytest.approx(6.0, abs=1e-2)
    assert_closed(s)
    assert winding.crossings and winding.crossings[0][2] == [1]
    assert winding.crossings[0][1] == pytest.approx(5.0, abs=1e-10)


def test_tau_alone_is_supplied_as_it_is_delivered():
    class Push(amble.Element):
        def evaluate(self, state):
            return [3.0]

    s = run(slider(gravity=0), [Push("push")], [0.0], [0.0], 1.0)
    entry = s.ledger["entries"][0]
    assert entry["supplied"] == entry["delivered"] == pytest.approx(3.0 * 0.5 * 1.5, abs=1e-9)


def test_an_element_that_gives_no_number_stops_the_run_is_named_and_leaves_the_recording():
    class Broken(amble.Element):
        def evaluate(self, state):
            return [math.nan if state.t > 0.3 else 0.0]

    m = slider()
    with pytest.raises(amble.Error, match="element 'broken'") as raised:
        amble.simulate(m, [0.0], [0.0], 1.0, elements=[Broken("broken")], interval=0.01)
    recording = raised.value.recording
    assert 0.25 < recording.t[-1] <= 0.3 + 1e-9
    assert recording.ledger["entries"][0]["name"] == "broken"


def test_a_users_own_exception_comes_through():
    class Fails(amble.Element):
        def evaluate(self, state):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        amble.simulate(slider(), [0.0], [0.0], 1.0, elements=[Fails("fails")])


@pytest.mark.parametrize(
    "said, words", [(dict(tua=[0.0]), "'tua'"), ([0.0, 1.0], "tau of element 'e'"), (dict(stored="x"), "stored")]
)
def test_what_an_element_gets_wrong_is_told(said, words):
    class Wrong(amble.Element):
        def evaluate(self, state):
            return said

    with pytest.raises(amble.Error, match=words):
        amble.simulate(slider(), [0.0], [0.0], 1.0, elements=[Wrong("e")])


# ---- controllers and sensors


class Hold(amble.Controller):
    def __init__(self):
        super().__init__()
        self.times = []

    def update(self, state, t):
        self.times.append(t)
        return -30.0 * state.q - 4.0 * state.v


def test_a_sampled_controller_is_the_discrete_system():
    m, hold, h = slider(gravity=0), Hold(), 0.05
    s = amble.Simulator(m, elements=[amble.sampled(m, hold, period=h, delay=h)], tolerance=1e-12)
    s.reset([0.5], [0.0])
    x, v, late = 0.5, 0.0, 0.0
    for k in range(40):
        force, late = late, -30.0 * x - 4.0 * v
        x, v = x + v * h + force / 4.0 * h * h, v + force / 2.0 * h
        s.step(h)
        assert s.q[0] == pytest.approx(x, abs=1e-10)
    times = sorted(set(hold.times))
    assert np.allclose(times[:40], h * np.arange(40), atol=1e-12)


def test_a_controller_without_update_is_refused():
    m = slider()
    with pytest.raises(amble.Error, match="no update"):
        amble.sampled(m, object())


def test_sensors_read_a_body_that_stands_and_one_that_falls():
    m = box()
    s = run(m, [], m.neutral(), np.zeros(6), 0.2)
    imu = amble.Imu(m, "box")
    assert np.allclose(imu.read(s.q, s.v, s.a)[1], 0, atol=1e-9)
    assert np.allclose(imu.read(m.neutral(), np.zeros(6), np.zeros(6))[1], [0, 0, GRAVITY])
    m = leg()
    q, v, a = np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([3.0, -1.0])
    tau = amble.inverse_dynamics(m, q, v, a)
    assert amble.JointForceSensor(m, "knee").read(q, v, a)[4] == pytest.approx(tau[1], abs=1e-12)
    outside = {"shank": [1.0, 0, 2.0, 0, 3.0, 0]}
    tau = amble.inverse_dynamics(m, q, v, a, external=outside)
    assert amble.JointForceSensor(m, "hip").read(q, v, a, external=outside)[4] == pytest.approx(tau[0], abs=1e-12)
    assert amble.JointEncoder(m, "knee", resolution=0.25).read(q) == -0.5
    noisy, again = (amble.Imu(m, "shank", gyroscope_deviation=0.1, seed=3) for _ in range(2))
    assert np.array_equal(noisy.read(q, v, a)[0], again.read(q, v, a)[0])
    assert not np.array_equal(noisy.read(q, v, a)[0], amble.Imu(m, "shank").read(q, v, a)[0])


def test_a_watch_sees_where_a_quantity_passes():
    b = amble.Builder("pendulum")
    b.body("rod", mass=1.0, com=[0, 0, -1.0], inertia=np.zeros((3, 3)))
    b.joint("pin", "revolute", parent="world", child="rod", axis=[0, 1, 0])
    m = b.build()
    turn = amble.watch("turns back", lambda t, q, v: v[0], direction="down")
    r = amble.simulate(m, [0.1], [0.0], 5.0, elements=[turn], tolerance=1e-12)
    period = 2 * np.pi / np.sqrt(9.81) * (1 + 0.1**2 / 16 + 11 * 0.1**4 / 3072)
    assert [e["name"] for e in r.events] == ["turns back"] * 2
    assert abs(r.events[0]["t"] - period) < 1e-6 and r.events[0]["t"] in r.t
    with pytest.raises(amble.Error, match="expected up, down or either"):
        amble.watch("x", lambda t, q, v: 0.0, direction="sideways")
