"""Impacts and rigid contacts."""

import amble
import numpy as np
import pytest

G = 9.81


def free_body(mass=1.0, inertia=0.004, gravity=(0, 0, -G)):
    b = amble.Builder("body")
    b.body("body", mass=mass, com=[0, 0, 0], inertia=inertia * np.eye(3))
    b.joint("root", "free", parent="world", child="body")
    return b.build().with_gravity(list(gravity))


def closet(m=2.0, J=0.5):
    b = amble.Builder("closet")
    b.body("body", mass=m, com=[0, 0, 0], inertia=J * np.eye(3))
    b.joint("plane", "planar", parent="world", child="body")
    return b.build().with_gravity([0, -G, 0])


def at(*p):
    return [*p, 0, 0, 0, 1]


def test_a_closet_keeps_turning_or_stops():
    w, h = 0.3, 1.0
    feet = [dict(body="body", point=[x, -h, 0], normal=[0, 1, 0]) for x in (-w, w)]
    r = amble.impact(closet(), [0, h, 0], [h, -w, -1], feet)
    assert r.v[2] == pytest.approx(-58 / 67, abs=1e-14)
    assert r.states == ["open", "sticking"] and r.impulses.shape == (2, 3) and r.law == "newton" and r.note == ""
    assert not r.impulses[0].any() and r.impulses[1, 1] > 0
    before, after = 0.5 * (2 * (w**2 + h**2) + 0.5), 0.5 * (2 * (r.v[0]**2 + r.v[1]**2) + 0.5 * r.v[2]**2)
    assert r.energy_lost == pytest.approx(before - after, abs=1e-13)


def test_impacts_of_a_stack_are_those_of_its_rows():
    m = free_body()
    contacts = [dict(body="body", point=[0.1, 0.2, -0.3], friction=0.4)]
    q, v = np.array([m.random(seed=i) for i in range(5)]), np.random.default_rng(1).normal(size=(5, 6))
    r = amble.impact(m, q, v, contacts, restitution=0.3)
    assert r.v.shape == (5, 6) and r.impulses.shape == (5, 1, 3) and r.energy_lost.shape == (5,) and len(r.law) == 5
    for i in range(5):
        one = amble.impact(m, q[i], v[i], contacts, restitution=0.3)
        assert np.array_equal(one.v, r.v[i]) and one.energy_lost == r.energy_lost[i]
        change = amble.kinetic_energy(m, q[i], v[i]) - amble.kinetic_energy(m, q[i], one.v)
        assert one.energy_lost == pytest.approx(change, abs=1e-12)


def test_restitution_is_that_of_the_contact_or_of_the_call():
    m = free_body()
    v = [0, 0, -2.0, 0, 0, 0]
    assert amble.impact(m, at(0, 0, 0), v, [dict(body="body")], restitution=0.5).v[2] == pytest.approx(1.0)
    assert amble.impact(m, at(0, 0, 0), v, [dict(body="body", restitution=1.0)], restitution=0.5).v[2] == pytest.approx(2.0)
    assert amble.impact(m, at(0, 0, 0), v, [dict(body="body")], restitution=0.5, law="poisson").v[2] == pytest.approx(1.0)


def test_play_takes_more():
    m = free_body()
    r = amble.impact(m, at(0, 0, 0), [1, 0, -1, 0, 0, 0], [dict(body="body", friction=0)], play=[[1, 0, 0, 0, 0, 0]])
    assert np.allclose(r.v, 0) and r.energy_lost == pytest.approx(0.5) and r.lost_in_play == pytest.approx(0.5)


def test_shares_of_energy_lie_between_nothing_and_all():
    shares, velocities, momenta = amble.impact_loss(free_body(), at(0, 0, 0), [dict(body="body", point=[0, 0.1, 0])])
    assert np.allclose(shares, [1, 1, 1, 0, 0, 0], atol=1e-12)
    assert np.allclose(momenta, amble.mass_matrix(free_body(), at(0, 0, 0)) @ velocities)


@pytest.mark.parametrize("contact, said", [
    (dict(body="foot"), "foot"),
    (dict(point=[0, 0, 0]), "no body"),
    (dict(body="body", mu=1), "'mu'"),
    (dict(body="body", friction=-1), "friction of -1"),
    (dict(body="body", normal=[0, 0, 0]), "expected a direction"),
    (dict(body="body", offset=1, height=1), "expected one of them"),
    ("body", "not a dict"),
])
def test_what_is_no_contact_is_said(contact, said):
    with pytest.raises(amble.Error, match=said):
        amble.impact(free_body(), at(0, 0, 0), np.zeros(6), [contact])


def test_a_ball_bounces_to_restitution_squared():
    m, t = free_body(), np.sqrt(2 / G)
    s = amble.Simulator(m, contacts=[dict(body="body", radius=0.1, friction=0.0, restitution=0.8)], tolerance=1e-12)
    s.reset(at(0, 0, 1.1), np.zeros(6))
    s.step(t + 0.8 * t)
    assert s.q[2] - 0.1 == pytest.approx(0.64, abs=1e-9)


def test_a_contact_may_be_with_a_plane_anywhere():
    m = free_body()
    r = amble.simulate(m, at(0, 0, 1.0), np.zeros(6), 2.0, contacts=[dict(body="body", height=0.5, friction=0.3)])
    assert r.q[-1, 2] == pytest.approx(0.5, abs=1e-9) and np.abs(r.v[-1]).max() < 1e-9
    assert [e["name"] for e in r.events] == ["contact of body: lands", "contact of body: holds"]
    assert r.ledger["losses"] == pytest.approx(G * 0.5, rel=1e-8)


@pytest.mark.parametrize("share, slides", [(0.99, False), (1.01, True)])
def test_a_box_slides_above_the_angle_of_friction_alone(share, slides):
    angle = share * np.arctan(0.5)
    m = free_body(2.0, 0.05, (G * np.sin(angle), 0, -G * np.cos(angle)))
    corners = [dict(body="body", point=[x, y, -0.1], friction=0.5) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    r = amble.simulate(m, at(0, 0, 0.1), np.zeros(6), 2.0, contacts=corners, interval=0.1)
    a = G * (np.sin(angle) - 0.5 * np.cos(angle)) if slides else 0.0
    assert r.q[-1, 0] == pytest.approx(2 * a, abs=1e-7)
    assert abs(r.ledger["residual"]) < 1e-8 * max(1.0, r.ledger["exchanged"])


def test_elements_say_the_same_as_contacts():
    m, contact = free_body(), [dict(body="body", radius=0.1, restitution=0.5)]
    one = amble.simulate(m, at(0, 0, 0.5), np.zeros(6), 1.0, contacts=contact)
    two = amble.simulate(m, at(0, 0, 0.5), np.zeros(6), 1.0, elements=amble.rigid_contacts(m, contact))
    assert np.array_equal(one.q, two.q) and one.events == two.events


@pytest.mark.parametrize("integrator", ["rkmk45", "time_stepping"])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.999])
def test_forces_that_hold_a_box_on_a_slope_are_in_their_cones(integrator, share):
    mu, h, mass = 0.6, np.array([0.15, 0.1, 0.2]), 2.0
    angle = share * np.arctan(mu)
    gravity = G * np.array([np.sin(angle), 0, -np.cos(angle)])
    m = free_body(mass, 0.05, gravity)
    feet = [dict(body="body", point=[x, y, -h[2]], friction=mu) for x in (-h[0], h[0]) for y in (-h[1], h[1])]
    r = amble.simulate(m, at(0, 0, h[2]), np.zeros(6), 1.0, contacts=feet, integrator=integrator)
    assert all(c["value"] < 1e-8 for c in r.certificates())
    force, normal = r.contacts["force"][-4:], r.contacts["normal"][-4:]
    assert np.allclose(force.sum(axis=0), -mass * gravity, atol=1e-8)
    along = np.sum(force * normal, axis=1)
    assert np.all(np.linalg.norm(force - along[:, None] * normal, axis=1) <= mu * along + 1e-8)


def can(**shape):
    b = amble.Builder("can")
    b.body("can", mass=0.35, inertia=np.diag([4e-4, 4e-4, 2e-4]), collisions=[shape])
    b.joint("root", "free", parent="world", child="can")
    return b.build()


def test_bodies_made_in_code_touch_with_their_shapes():
    m = can(shape="cylinder", size=[0.033, 0.12], name="tin")
    s = amble.Simulator(m, elements=[amble.contact_scene(m, friction=0.5)], integrator="time_stepping", step=1e-3)
    s.reset(at(0, 0, 0.06), np.zeros(6))
    s.step(1.0)
    assert len(s.contacts) == 4 and np.allclose(s.q, at(0, 0, 0.06), atol=1e-10)


@pytest.mark.parametrize(
    "shape, said",
    [
        (dict(shape="cube", size=[1]), "shape of a collision of body 'can' is 'cube': expected box"),
        (dict(size=[1]), "a collision of body 'can' has no shape"),
        (dict(shape="box", size=[1, 2, 3, 4]), "has 4 numbers: expected 1 to 3"),
        (dict(shape="sphere", size=0.0), "a sphere with radius 0"),
        (dict(shape="box", size=[1, 1, 1], colour="red"), "has 'colour': expected shape, size, pose, file, friction or name"),
        (dict(shape="mesh", file="nothing.obj"), "nothing.obj"),
    ],
)
def test_shapes_that_cannot_be_are_refused(shape, said):
    with pytest.raises(amble.Error, match=said):
        can(**shape)


def test_a_collision_that_is_no_dict_is_refused():
    with pytest.raises(amble.Error, match="expected dict"):
        amble.Builder("b").body("can", collisions=["box"])
