"""Port-Hamiltonian systems: their structure, their interconnection, their books."""

import amble
import numpy as np
import pytest


def pendulum():
    b = amble.Builder("pendulum")
    b.body("rod", mass=1.0, com=[0, 0, -1.0], inertia=np.eye(3) * 1e-3)
    b.joint("pin", "revolute", parent="world", child="rod", axis=[0, 1, 0])
    return b.build()


def test_an_oscillator_keeps_what_its_damper_leaves():
    k, m, d = 4.0, 0.5, 0.1
    system = amble.PortHamiltonian(Q=np.diag([k, 1 / m]), J=[[0, 1], [-1, 0]], R=np.diag([0, d]), g=[[0], [1]])
    out = system.simulate([1.0, 0.0], 5.0)
    w, decay = np.sqrt(k / m - (d / (2 * m)) ** 2), d / (2 * m)
    expected = np.exp(-decay * out["t"]) * (np.cos(w * out["t"]) + decay / w * np.sin(w * out["t"]))
    assert np.abs(out["x"][:, 0] - expected).max() < 1e-8
    assert abs(out["ledger"]["residual"]) < 1e-9 * out["ledger"]["exchanged"]
    assert system.check([0.3, -0.2])["passive"]


def test_a_mechanism_with_a_spring_by_interconnection_moves_as_with_the_element():
    m = pendulum()
    spring = amble.PortHamiltonian(Q=[[3.0]], g=[[1.0]], S=[[0.2]])
    together = amble.interconnect(amble.PortHamiltonian.of(m), [0], spring, [0])
    out = together.simulate([0.0, 0.1], 2.0, q0=[0.7], tolerance=1e-12)
    recording = amble.simulate(m, [0.7], [0.0], 2.0, elements=[spring.element("spring", [0], [0.1])], tolerance=1e-12)
    assert np.abs(out["q"] - recording.q).max() < 1e-8
    assert [e["name"] for e in recording.ledger["entries"]] == ["spring"]


def test_laws_may_be_functions():
    # A hard spring, H = x^4 / 4 + p^2 / 2, drawn by a steady force.
    system = amble.PortHamiltonian.from_functions(
        2, 1, energy=lambda x: x[0] ** 4 / 4 + x[1] ** 2 / 2, gradient=lambda x: [x[0] ** 3, x[1]],
        J=[[0, 1], [-1, 0]], g=lambda x: [[0], [1]])
    assert system.check([0.8, 0.1])["passive"]
    out = system.simulate([0.0, 0.0], 3.0, u=[2.0])
    assert np.abs(out["energy"] - 2.0 * out["x"][:, 0]).max() < 1e-8  # all that the force did
    wrong = amble.PortHamiltonian.from_functions(1, 0, energy=lambda x: x[0] ** 2, gradient=lambda x: x)
    assert not wrong.check([1.0])["passive"]


@pytest.mark.parametrize("bad, words", [
    (dict(Q=np.eye(2), J=np.eye(2)), "skew"),
    (dict(Q=[[1.0]], R=[[-1.0]]), "make energy"),
    (dict(Q=np.eye(2), g=[[1.0]]), "expected 2 x 1"),
    (dict(Q=[1.0]), "matrix"),
])
def test_what_cannot_be_one_is_refused(bad, words):
    with pytest.raises(amble.Error, match=words):
        amble.PortHamiltonian(**bad)


def test_the_input_is_checked():
    coil = amble.PortHamiltonian(Q=[[1.0]], g=[[1.0]])
    with pytest.raises(amble.Error, match=r"u\(t\) returns"):
        coil.simulate([0.0], 1.0, u=lambda t: [np.nan])
    with pytest.raises(amble.Error, match="configuration q is needed"):
        amble.PortHamiltonian.of(pendulum()).terms([0.0])
