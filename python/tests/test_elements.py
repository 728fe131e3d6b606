"""Springs, rolling wheels and loops that a mechanism carries."""

import pickle

import amble
import numpy as np
import pytest


def at(x=0.0, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


def unicycle():
    b = amble.Builder("unicycle")
    b.body("fork", mass=3.0, com=[0, 0, 0.2], inertia=np.eye(3) * 0.1)
    b.body("wheel", mass=1.0, inertia=np.diag([0.02, 0.04, 0.02]))
    b.joint("ground", "planar", parent="world", child="fork", pose=at(z=0.35), axis=[0, 0, 1])
    b.joint("axle", "revolute", parent="fork", child="wheel", axis=[0, 1, 0])
    b.rolling("front", "wheel", radius=0.35, axis=[0, 1, 0])
    b.spring("s", "fork", "world", point_a=[1, 0, 0], point_b=[2, 1, 0], stiffness=100.0, length=0.5, damping=2.0)
    return b


@pytest.fixture
def m():
    return unicycle().build()


def test_names_and_facts(m):
    assert (m.springs, m.rollings, m.loops) == (["s"], ["front"], [])
    assert m.mobility == 4 - 3
    s, r = m.spring("s"), m.rolling("front")
    assert (s.name, s.body_a, s.body_b, s.stiffness, s.length, s.damping) == ("s", "fork", "world", 100.0, 0.5, 2.0)
    np.testing.assert_allclose(s.point_a, [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(s.point_b, [2, 1, 0], atol=1e-15)
    assert (r.name, r.body, r.radius, r.constrains) == ("front", "wheel", 0.35, 3)
    np.testing.assert_allclose(r.axis, [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(r.center, 0, atol=1e-15)
    assert "1 springs" in repr(m) and "1 rollings" in repr(m) and "'s'" in repr(s) and "'front'" in repr(r)
    with pytest.raises(amble.Error, match="no spring 't'"):
        m.spring("t")
    with pytest.raises(amble.Error, match="no rolling 'rear'"):
        m.rolling("rear")


def test_they_are_kept(m):
    for other in (pickle.loads(pickle.dumps(m)), m.with_gravity([0, 0, -1.62]), m.with_locked({"axle": 0.3}),
                  m.with_payload("fork", mass=1.0), amble.Builder(m).build(), amble.deserialize(amble.serialize(m))):
        assert (other.springs, other.rollings) == (["s"], ["front"])
    assert amble.differences(m, pickle.loads(pickle.dumps(m))) == []
    b = unicycle().rolling("second", "wheel", radius=0.2, axis=[0, 1, 0], center=[0, 0.1, 0])
    assert len(amble.differences(m, b.build())) == 1


def test_all_problems_at_once():
    b = unicycle()
    b.spring("t", "for", "fork", stiffness=-1.0, damping=-2.0)
    b.rolling("r", "whel", radius=0.0, axis=[0, 0, 0])
    with pytest.raises(amble.Error) as e:
        b.build()
    for words in ("spring 't'", "'for' does not exist", "stiffness -1", "damping -2", "rolling 'r'",
                  "did you mean 'wheel'", "radius 0", "axis is zero"):
        assert words in str(e.value)
    with pytest.raises(amble.Error, match="radius of rolling 'r'"):
        b.rolling("r", "wheel", radius=float("nan"))
    with pytest.raises(amble.Error, match="stiffness of spring 't'"):
        b.spring("t", "fork", "world", stiffness="soft")


def test_a_wheel_rolls_as_it_goes(m):
    d = amble.ConstrainedDynamics(m)
    q, tau = np.array([0.3, -0.2, 0.7, 0.1]), np.array([0, 0, 0.4, 1.5])
    d.set_state(q, np.zeros(4))
    assert d.rows == 3 and d.rank == 2 and d.redundant == ["front: normal force (N)"]
    assert amble.mobility(m, q) == 2
    v = np.array([2 * np.cos(0.7), 2 * np.sin(0.7), 0.5, 2 / 0.35])
    a, forces = amble.constrained_dynamics(m, q, v, tau)
    d.set_state(q, v)
    np.testing.assert_allclose(d.velocity_error, 0, atol=1e-13)
    np.testing.assert_allclose(d.A @ a + d.gamma, 0, atol=1e-12)
    np.testing.assert_allclose(amble.inverse_dynamics(m, q, v, a), tau + d.A.T @ forces, atol=1e-11)
    # speed grows by the drive alone, m + I/r^2 of it; the turn adds the centripetal part
    along = a[:2] @ [np.cos(0.7), np.sin(0.7)]
    assert along == pytest.approx(1.5 / 0.35 / (4.0 + 0.04 / 0.35**2))
    assert a[:2] @ [-np.sin(0.7), np.cos(0.7)] == pytest.approx(2 * 0.5)
    assert [c.name for c in amble.constraints_of(m)] == ["front"]


def test_constrained_dynamics_takes_stacks_and_methods(m):
    q, v = m.random(seed=1, count=50), np.random.default_rng(2).normal(size=(50, 4))
    a, forces = amble.constrained_dynamics(m, q, v, np.ones(4))
    assert a.shape == (50, 4) and forces.shape == (50, 3)
    for i in (0, 17, 49):
        one, force = amble.constrained_dynamics(m, q[i], v[i], np.ones(4))
        np.testing.assert_array_equal(a[i], one)
        np.testing.assert_array_equal(forces[i], force)
    for method in ("pseudo_velocities", "reduced_momenta"):
        np.testing.assert_allclose(amble.constrained_dynamics(m, q, v, np.ones(4), method=method)[0], a, atol=1e-8)
    push = {"fork": [1.0, 0, 0, 0, 0, 0]}
    pushed, _ = amble.constrained_dynamics(m, q, v, np.zeros(4), push)
    J = amble.jacobian(m, q[3], "fork")
    same, _ = amble.constrained_dynamics(m, q[3], v[3], J.T @ push["fork"])
    np.testing.assert_allclose(pushed[3], same, atol=1e-11)


def test_a_refused_row_of_a_stack_is_named():
    b = amble.Builder("coin").body("coin", mass=1.0, inertia=np.eye(3))
    b.joint("free", "free", parent="world", child="coin")
    m = b.rolling("edge", "coin", radius=0.1).build()
    q = m.random(seed=1, count=5)
    q[2] = m.neutral()
    with pytest.raises(amble.Error, match="row 2.*'edge'.*flat"):
        amble.constrained_dynamics(m, q, np.zeros(6), np.zeros(6))


def test_what_carries_nothing_says_so():
    arm = amble.load_text('<robot name="r"><link name="a"/></robot>', "r.urdf")
    with pytest.raises(amble.Error, match="no constraints"):
        amble.constrained_dynamics(arm, [], [], [])
    assert amble.mobility(arm, []) == 0


def test_assemble_puts_wheels_on_the_ground():
    b = amble.Builder("wheel")
    b.body("wheel", mass=2.0, inertia=np.diag([0.1, 0.2, 0.1]))
    b.joint("free", "free", parent="world", child="wheel")
    b.rolling("edge", "wheel", radius=0.5, axis=[0, 1, 0], center=[0, 0.1, 0])
    m = b.build()
    found = amble.assemble(m, m.random(seed=3))
    assert found.residual <= 1e-11 and found.mobility == 3
    X = amble.pose(m, found.q, "wheel")
    angle = np.linspace(0, 2 * np.pi, 100000)
    rim = np.stack([0.5 * np.sin(angle), np.full_like(angle, 0.1), 0.5 * np.cos(angle), np.ones_like(angle)])
    assert (X @ rim)[2].min() == pytest.approx(0.0, abs=1e-8)


def test_springs_pull(m):
    q, v = m.random(seed=5), np.array([0.3, -0.2, 0.5, 1.0])
    s = amble.spring_state(m, q, v, "s")
    end = (amble.pose(m, q, "fork") @ [1, 0, 0, 1])[:3]
    np.testing.assert_allclose(s.distance * s.direction, [2, 1, 0] - end, atol=1e-14)
    assert s.tension == pytest.approx(100 * (s.distance - 0.5) + 2 * s.rate)
    assert s.energy == pytest.approx(50 * (s.distance - 0.5) ** 2) == amble.spring_energy(m, q)
    J = amble.jacobian(m, q, "fork", point=[1, 0, 0], frame="aligned")[:3]
    np.testing.assert_allclose(amble.spring_forces(m, q, v), J.T @ s.direction * s.tension, atol=1e-12)
    assert amble.spring_dissipation(m, q, v) == pytest.approx(2 * s.rate**2)
    many = m.random(seed=6, count=20)
    assert amble.spring_forces(m, many, v).shape == (20, 4)
    assert amble.spring_energy(m, many).shape == amble.spring_dissipation(m, many, v).shape == (20,)
    assert "SpringState" in repr(s)


def test_help_says_what_is_ignored():
    for f in (amble.forward_dynamics, amble.inverse_dynamics):
        assert "constrained_dynamics" in f.__doc__ and "loops" in f.__doc__


def test_files_leave_them_out_and_say_so(tmp_path):
    for ending in ("urdf", "xml"):
        for add, words in ((lambda b: b.spring("s", "ball", "world", stiffness=1.0), "spring 's'"),
                           (lambda b: b.rolling("r", "ball", radius=1.0), "rolling 'r'")):
            b = amble.Builder("ball").body("ball", mass=1.0, inertia=np.eye(3))
            b.joint("free", "free", parent="world", child="ball")
            add(b)
            left_out = b.build().save(tmp_path / f"m.{ending}")
            assert any(words in line for line in left_out), left_out
            assert amble.load(tmp_path / f"m.{ending}").mass == 1
