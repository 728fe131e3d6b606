import amble
import numpy as np
import pytest


def arm(upper=2.0, lower=1.0, damping=0.0):
    b = amble.Builder("arm")
    b.body("upper", mass=upper, com=[0, 0, -0.25], inertia=0.01 * np.eye(3))
    b.body("lower", mass=lower, com=[0, 0, -0.3], inertia=0.01 * np.eye(3))
    b.joint("shoulder", "revolute", parent="world", child="upper", axis=[0, 1, 0])
    elbow = np.eye(4)
    elbow[2, 3] = -0.5
    b.joint("elbow", "revolute", parent="upper", child="lower", pose=elbow, axis=[0, 1, 0], damping=damping)
    return b.build()


def motion(m, duration=1.0):
    return amble.simulate(m, [0.8, -0.5], [0.0, 1.0], duration, interval=0.04, tolerance=1e-12)


def test_a_recording_gives_the_numbers_back():
    found = amble.identify(arm(upper=1.5), motion(arm(damping=0.1)), free=["upper.mass", "elbow.damping"])
    assert found.converged and found.rank == 2 and found.unseen.shape == (2, 0) and found.combinations == []
    assert found["upper.mass"].value == pytest.approx(2.0, abs=1e-7)
    assert found["elbow.damping"].value == pytest.approx(0.1, abs=1e-7)
    assert found["elbow.damping"].start == 0.0 and found.covariance.shape == (2, 2)
    assert found.mechanism.mass == pytest.approx(3.0, abs=1e-7)
    assert found.mechanism.body("upper").mass == pytest.approx(2.0, abs=1e-7)
    with pytest.raises(KeyError):
        found["hip.mass"]


def test_arrays_of_positions_do():
    run = motion(arm())
    found = amble.identify(arm(lower=1.3), (run.t, run.q), free=["lower.mass"])
    assert found["lower.mass"].value == pytest.approx(1.0, abs=1e-6)
    assert "lower.mass" in repr(found["lower.mass"])


def test_forces_of_actuators_tell_masses():
    t = np.arange(0.0, 0.8, 0.04)
    tau = np.stack([np.sin(3 * t), 0.5 * np.cos(2 * t)], axis=1)
    real = arm()
    push = lambda time, q, v: [np.interp(time, t, tau[:, k]) for k in range(2)]
    simulator, q, v = amble.Simulator(real, tau=push, tolerance=1e-12), [], []
    simulator.reset([0.5, 0.2], [0.0, 0.0])
    for k, time in enumerate(t):
        if k:
            simulator.step(time - t[k - 1])
        q.append(simulator.q), v.append(simulator.v)
    found = amble.identify(arm(1.6, 1.3), (t, q, v), free=["*.mass"], tau=tau, piece=0)
    assert found["upper.mass"].value == pytest.approx(2.0, abs=1e-6)
    assert found["lower.mass"].value == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"free": ["lowr.mass"]}, "no body 'lowr'"),
        ({"free": []}, "nothing is free"),
        ({"tau": [[0.0]]}, "tau"),
        ({"motion": 3.0}, "neither a Recording nor"),
        ({"confidence": 2.0}, "confidence is 2"),
    ],
)
def test_wrong_input_is_named(change, message):
    arguments = {"motion": motion(arm(), 0.4), "free": ["lower.mass"], **change}
    with pytest.raises(amble.Error, match=message):
        amble.identify(arm(), **arguments)
