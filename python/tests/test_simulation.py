"""Motions: against closed forms, and with the books closed."""

import numpy as np
import pytest

import amble


def pendulum(length=1.0, damping=0.0):
    b = amble.Builder("pendulum")
    b.body("bob", mass=2.0, com=[0, 0, -length], inertia=np.zeros((3, 3)))
    b.joint("pin", "revolute", parent="world", child="bob", axis=[0, 1, 0], damping=damping)
    return b.build()


def test_a_pendulum_keeps_its_energy_and_has_its_period():
    m = pendulum()
    r = amble.simulate(m, [0.01], [0.0], 10.0, tolerance=1e-12)
    assert len(r) == 1001 and r.t[-1] == 10.0
    assert np.ptp(r.energy) < 1e-9
    omega = np.sqrt(9.81) * (1 - 0.01**2 / 16)
    assert np.allclose(r.q[:, 0], 0.01 * np.cos(omega * r.t), atol=1e-7)


def test_tau_is_numbers_or_a_function_and_the_books_close():
    m = pendulum(damping=0.2)
    pushed = amble.simulate(m, [0.3], [0.0], 3.0, tau=[0.5])
    same = amble.simulate(m, [0.3], [0.0], 3.0, tau=lambda t, q, v: [0.5])
    assert np.array_equal(pushed.q, same.q)
    books = pushed.ledger
    assert [e["name"] for e in books["entries"]] == ["joint damping", "tau"]
    assert abs(books["residual"]) < 1e-8 * books["exchanged"]
    for e in books["entries"]:
        assert abs(e["supplied"] - e["delivered"] - e["stored"] - e["dissipated"]) < 1e-8
    assert books["entries"][1]["delivered"] == pytest.approx(0.5 * (pushed.q[-1, 0] - 0.3), rel=1e-8)


def test_a_four_bar_stays_closed():
    m, constraints, q = amble.closed_mechanism("four_bar", crank=0.3)
    r = amble.simulate(m, q, np.zeros(m.nv), 2.0)
    d = amble.ConstrainedDynamics(m)
    for i in range(0, len(r), 20):
        d.set_state(r.q[i], r.v[i])
        assert np.abs(d.violation).max() < 1e-9
    assert np.ptp(r.energy) < 1e-7


def test_a_wheel_rolls():
    b = amble.Builder("wheel")
    b.body("wheel", mass=1.0, com=[0, 0, 0], inertia=np.diag([0.02, 0.04, 0.02]))
    b.joint("free", "free", parent="world", child="wheel")
    b.rolling("ground", "wheel", radius=0.35, axis=[0, 1, 0])
    m = b.build()
    q = m.neutral()
    q[2] = 0.35
    v = np.array([0.7, 0, 0, 0, 2.0, 0])
    r = amble.simulate(m, q, v, 2.0)
    assert r.q[-1, :3] == pytest.approx([1.4, 0, 0.35], abs=1e-8)


def test_own_the_loop():
    m = pendulum()
    s = amble.Simulator(m, tau=lambda t, q, v: -0.1 * v)
    with pytest.raises(amble.Error, match="reset"):
        s.step(0.1)
    s.reset([0.5], [0.0])
    for _ in range(10):
        s.step(0.1)
    assert s.t == pytest.approx(1.0)
    saved, q = s.save(), s.q
    s.step(0.5)
    s.restore(saved)
    assert np.array_equal(s.q, q)
    assert s.ledger["entries"][0]["supplied"] < 0


def test_a_singular_configuration_is_passed_and_told():
    m, constraints, q = amble.closed_mechanism("n_four_bar", n=1)
    d = amble.ConstrainedDynamics(m)
    d.set_state(q, np.zeros(m.nv))
    v = np.zeros(m.nv)
    v[m.v_slice("ground0")] = 1.0
    s = amble.Simulator(m)
    s.reset(q, d.project_velocity(v))
    assert (s.singularities_passed, s.projections, s.report["steps"]) == (0, 0, 0)
    before = s.energy
    s.step(0.9)  # it falls flat, on the ground's own line, and beyond
    assert s.singularities_passed == 1 and s.projections > 0 and s.worst_violation < 1e-6
    assert s.report["steps"] > 10 and 0 < s.report["shortest_step"] <= s.report["longest_step"]
    assert s.energy == pytest.approx(before, abs=1e-7)
    d.set_state(s.q, s.v)
    assert np.abs(d.violation).max() < 1e-9
    free = amble.Simulator(pendulum())
    assert (free.singularities_passed, free.projections, free.worst_violation) == (0, 0, 0.0)


def test_constraints_that_a_mechanism_carries_may_be_given_again():
    m, constraints, q = amble.closed_mechanism("slider_crank")
    once = amble.simulate(m, q, np.zeros(m.nv), 0.5, interval=0.1)
    twice = amble.simulate(m, q, np.zeros(m.nv), 0.5, constraints=constraints, interval=0.1)
    assert np.allclose(once.q, twice.q, atol=1e-8)


def test_classic_mechanisms_tell_their_parameters():
    for name in amble.closed_mechanism_names():
        parameters = amble.closed_mechanism_parameters(name)
        m, constraints, q = amble.closed_mechanism(name, **parameters)
        if name in ("bungee", "box_stack", "dominoes"):
            assert constraints == []
            continue
        d = amble.ConstrainedDynamics(m, constraints)
        d.set_state(q, np.zeros(m.nv))
        assert np.abs(d.violation).max() < 1e-10, name
    assert amble.closed_mechanism_parameters("four_bar")["crank"] == 0.4


def test_a_table(tmp_path):
    r = amble.simulate(pendulum(), [0.3], [0.0], 0.1)
    r.save(str(tmp_path / "motion.csv"))
    table = np.genfromtxt(tmp_path / "motion.csv", delimiter=",", names=True, deletechars="")
    assert np.array_equal(table["q:pin"], r.q[:, 0])
    with pytest.raises(amble.Error, match=".csv"):
        r.save(str(tmp_path / "motion.xyz"))


def test_a_scenario_runs_as_on_the_command_line(tmp_path):
    scenario = tmp_path / "board.toml"
    scenario.write_text("""
[model]
builtin = "snakeboard"
[initial.v]
front = 1.0
torso = 0.5
[simulation]
duration = 2.0
[[checks]]
quantity = "energy_change"
above = -1e-9
below = 1e-9
""")
    r, checks = amble.run_scenario(scenario)
    assert r.t[-1] == 2.0 and len(r) == 201 and r.q_names[0] == "board.x"
    assert checks[0]["name"] == "energy_change" and checks[0]["holds"] and abs(checks[0]["value"]) < 1e-9
    r, _ = amble.run_scenario(str(scenario), ["simulation.duration=0.5", "initial.v.front=-1.0"])
    assert r.t[-1] == 0.5 and r.v[0, -1] == -1.0
    with pytest.raises(amble.Error, match="did you mean 'duration'"):
        amble.run_scenario(scenario, ["simulation.duraton=1"])
    with pytest.raises(amble.Error, match="no such file"):
        amble.run_scenario(tmp_path / "none.toml")


def test_every_integrator_swings_a_pendulum():
    m = pendulum(damping=0.1)
    exact = amble.simulate(m, [0.8], [0.0], 2.0, tolerance=1e-12)
    accuracy = {"rkmk45": 1e-8, "rkmk4": 1e-8, "radau": 1e-7, "semi_implicit": 1e-2, "variational": 5e-6,
                "time_stepping": 1e-2}
    assert set(accuracy) == set(amble.integrator_names())
    for name, allowed in accuracy.items():
        r = amble.simulate(m, [0.8], [0.0], 2.0, integrator=name, step=1e-3)
        assert abs(r.q - exact.q).max() < allowed, name
        assert abs(r.ledger["residual"]) < 1e-8, name
    s = amble.Simulator(m, integrator="rkmk4", step=0.25)
    s.reset([0.8], [0.0])
    s.step(1.0)
    assert s.report["steps"] == 4 and s.report["stiff_steps"] == 0
    with pytest.raises(amble.Error, match="step of 0"):
        amble.Simulator(m, integrator="rkmk4", step=0.0)


def test_bad_input():
    m = pendulum()
    with pytest.raises(amble.Error, match="duration|run to"):
        amble.simulate(m, [0.0], [0.0], -1.0)
    with pytest.raises(amble.Error, match="rkmk45"):
        amble.simulate(m, [0.0], [0.0], 1.0, integrator="euler")
    with pytest.raises(amble.Error):
        amble.simulate(m, [np.nan], [0.0], 1.0)
    with pytest.raises(ZeroDivisionError):
        amble.simulate(m, [0.0], [0.0], 1.0, tau=lambda t, q, v: [1 / 0])
    with pytest.raises(amble.Error, match="four_bar"):
        amble.closed_mechanism("four_bat")
    with pytest.raises(amble.Error, match="crank"):
        amble.closed_mechanism("four_bar", crnk=1.0)
