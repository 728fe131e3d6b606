"""Bond graphs: built, read, explained, drawn and run."""

from pathlib import Path

import amble
import numpy as np
import pytest

FILES = Path(__file__).resolve().parents[2] / "scenarios" / "bonds"


def circuit():
    b = amble.BondGraphBuilder("circuit")
    b.parameter("R", 2.0).parameter("L", 0.5).parameter("C", "R/20")
    b.element("source", "Se", effort=3.0, domain="electrical")
    b.element("resistor", "R", resistance="R").element("coil", "I", inertance="L", states="flux")
    b.element("capacitor", "C", compliance="C", states=["charge"], initial=[0.02])
    b.junction("loop", 1).bond("source", "loop")
    for name in ("resistor", "coil", "capacitor"):
        b.bond("loop", name)
    return b


def test_a_circuit_is_built_explained_and_run():
    g = circuit().build()
    assert g.name == "circuit" and g.elements == ["source", "resistor", "coil", "capacitor", "loop"]
    assert g.states == ["flux", "charge"] and list(g.initial) == [0.0, 0.02]
    assert "flux' = 3 - R*flux/L - charge/C" in g.equations
    assert "every storage element integrates" in g.causality
    np.testing.assert_allclose(g.rates(0.0, [0.1, 0.02]), [3 - 2 * 0.2 - 0.2, 0.2], atol=1e-15)
    run = amble.BondSimulator(g, tolerance=1e-12)
    run.step(1.0)
    rates = 1j * np.sqrt(1 / 0.05 - 4) - 2  # of the free motion
    q = 0.3 - 0.28 * np.real(np.exp(rates) * (1 - 2j / rates.imag))
    assert run.t == 1.0 and abs(run.states[1] - q) < 1e-11 and abs(run.value("capacitor.e") - q / 0.1) < 1e-10
    assert abs(run.ledger["residual"]) < 1e-10 * run.ledger["exchanged"]
    run.reset()
    assert run.energy == pytest.approx(0.002) and run.t == 0.0


def test_matrices_of_a_linear_graph():
    m = circuit().build().matrices()
    np.testing.assert_allclose(m["J"], [[0, -1], [1, 0]], atol=1e-15)
    np.testing.assert_allclose(m["R"], [[2, 0], [0, 0]], atol=1e-15)
    np.testing.assert_allclose(m["g"], [[1], [0]], atol=1e-15)
    np.testing.assert_allclose(m["Q"], [[2, 0], [0, 10]], atol=1e-14)
    assert m["sources"] == ["source.e"]


def test_arrays_are_matrices_of_multi_bonds():
    b = amble.BondGraphBuilder("body")
    inertia = np.array([[2.0, 0.1, 0.0], [0.1, 3.0, 0.2], [0.0, 0.2, 1.0]])
    b.element("body", "I", inertance=inertia, states=["h1", "h2", "h3"], initial=[0.4, -1.1, 0.9])
    b.element("turn", "MGY", impedance=[[0, "h3", "-h2"], ["-h3", 0, "h1"], ["h2", "-h1", 0]])
    b.junction("j", 1).bond("j", "body", dimension=3).bond("j", "turn", dimension=3)
    h = np.array([0.4, -1.1, 0.9])
    np.testing.assert_allclose(b.build().rates(0.0, h), np.cross(h, np.linalg.solve(inertia, h)), atol=1e-14)


def test_a_mechanism_is_a_multiport():
    arm = amble.load(FILES.parents[1] / "models" / "double_pendulum.urdf")
    b = amble.BondGraphBuilder("push").element("torque", "Se", effort="3*sin(t)").element("arm", "mechanism", mechanism=arm)
    run = amble.BondSimulator(b.bond("torque", "arm.shoulder").build(), tolerance=1e-12)
    run.reset([0.3, -0.2], [0.1, 0.0])
    run.step(1.0)
    r = amble.simulate(arm, [0.3, -0.2], [0.1, 0.0], 1.0, tau=lambda t, q, v: [3 * np.sin(t), 0], tolerance=1e-12)
    np.testing.assert_allclose(run.q, r.q[-1], atol=1e-9)
    np.testing.assert_allclose(run.v, r.v[-1], atol=1e-9)
    assert run.value("arm.elbow.q") == run.q[1]


def test_signals_are_values_or_states():
    b = amble.BondGraphBuilder().element("push", "MSe", effort="-k").element("mass", "I", inertance=2, initial=1.0)
    b.signal("x", rate="mass.f", initial=0.5).signal("k", value="3*x").bond("push", "mass")
    run = amble.BondSimulator(b.build(), tolerance=1e-12)
    run.step(2.0)
    w = np.sqrt(1.5)
    assert abs(run.value("x") - (0.5 * np.cos(2 * w) + 0.5 / w * np.sin(2 * w))) < 1e-10
    with pytest.raises(amble.Error, match="a value or a rate"):
        b.signal("y")


def test_a_file_is_loaded_drawn_and_run():
    g = amble.load_bond_graph(FILES / "snakeboard.toml")
    svg = g.svg()
    assert svg.startswith("<svg") and "MTF" in svg
    columns, ledger = amble.run_bond_graph(FILES / "rlc.toml", duration=1.0)
    assert columns["t"][-1] == 1.0 and set(columns) == {"t", "coil.f", "capacitor.e"}
    assert abs(ledger["residual"]) < 1e-10 * ledger["exchanged"]


def test_what_is_wrong_is_named():
    with pytest.raises(amble.Error, match="Se 'a' and Se 'b' both set the effort"):
        b = amble.BondGraphBuilder().element("a", "Se", effort=1).element("b", "Se", effort=1).junction("j", 0)
        b.bond("a", "j").bond("b", "j").element("r", "R", resistance=1).bond("j", "r")
        amble.BondSimulator(b.build())
    with pytest.raises(amble.Error, match="modulated storage element"):
        amble.BondGraphBuilder().element("x", "MC", compliance=1).build()
    with pytest.raises(amble.Error, match="'x' is given 2 laws"):
        amble.BondGraphBuilder().element("x", "R", resistance=1, conductance=1)
    with pytest.raises(amble.Error, match="has no mechanism: q and v are for one"):
        amble.BondSimulator(circuit().build()).reset(q=[1.0])


def jump():
    b = amble.BondGraphBuilder("bungee jump")
    b.element("gravity", "Se", effort=91 * 9.81).element("person", "I", inertance=91, states="p")
    b.element("spring", "C", stiffness=30, states="stretch").element("damper", "R", resistance=1).junction("fall", 1)
    b.bond("gravity", "fall").bond("fall", "person").bond("fall", "spring").bond("fall", "damper")
    return b.signal("height", value="60 - stretch").build()


def test_three_representations_move_the_same_way():
    g = jump()
    runs = [amble.BondSimulator(g, 1e-12, representation=r) for r in ("block", "behaviour", "port-hamiltonian")]
    for run in runs:
        run.step(10.0)
        assert np.allclose(run.states, runs[0].states, rtol=0, atol=1e-9)
        assert abs(run.value("height") - (60 - run.value("stretch"))) < 1e-12
        assert abs(run.ledger["residual"]) < 1e-10 * run.ledger["exchanged"]
    with pytest.raises(amble.Error, match="behaviour"):
        amble.BondSimulator(g, representation="behavior")


def test_the_representations_can_be_read():
    g = jump()
    assert "    damper.e = damper.f\n" in g.behaviour
    assert "gravity.e = person.e + spring.e + damper.e" in g.behaviour
    assert "person.e = gravity.e - spring.e - damper.e" in g.block_diagram
    blocks = g.blocks()
    assert [b["output"] for b in blocks["blocks"]].index("person.e") > 0 and blocks["loops"] == []
    assert blocks["integrators"][1] == {"state": "stretch", "initial": 0.0}
    form = g.port_hamiltonian()
    assert np.array_equal(form["J"], [[0, -1], [1, 0]]) and np.array_equal(form["R"], [[1, 0], [0, 0]])
    assert form["collocated"] and "x = (p, stretch)" in form["text"]
