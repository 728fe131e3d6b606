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
