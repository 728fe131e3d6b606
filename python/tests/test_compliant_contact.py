"""amble.compliant_contact: a point or ball of a body on ground that gives way."""

import math

import amble
import numpy as np
import pytest


@pytest.fixture(scope="module")
def ball():
    b = amble.Builder("ball")
    b.body("ball", mass=2.0, inertia=0.008 * np.eye(3))
    b.joint("free", "free", parent="world", child="ball")
    return b.build()


def thrown(m, contact, height, v, seconds, **options):
    s = amble.Simulator(m, elements=[contact], **options)
    q = m.neutral()
    q[2] = height
    s.reset(q, v)
    s.step(seconds)
    books = s.ledger
    assert abs(books["residual"]) < 1e-7 * books["exchanged"]
    for e in books["entries"]:
        gap = e["supplied"] - e["delivered"] - e["stored"] - e["dissipated"]
        assert abs(gap) < 1e-7 * books["exchanged"]
    return s


def test_a_ball_bounces_as_its_spring_and_damper_say(ball):
    weightless = ball.with_gravity([0, 0, 0])
    floor = amble.compliant_contact(weightless, "ball", radius=0.1, normal_law="kelvin_voigt_pulling", stiffness=2e4,
                                    damping=60.0, sliding_law="frictionless")
    s = thrown(weightless, floor, 0.11, [0, 0, -1.5, 0, 0, 0], 0.5)
    ratio = 60.0 / (2 * math.sqrt(2e4 * 2.0))
    assert s.v[2] == pytest.approx(1.5 * math.exp(-math.pi * ratio / math.sqrt(1 - ratio**2)), abs=1e-8)
    assert [e["name"] for e in s.events] == ["contact: touches", "contact: leaves"]


@pytest.mark.parametrize("law", ["stick_slip", "micro_slip", "lugre"])
def test_a_ball_that_slides_ends_up_rolling(ball, law):
    floor = amble.compliant_contact(ball, "ball", radius=0.1, normal_law="kelvin_voigt", stiffness=1e6, damping=1000.0,
                                    sliding_law=law, friction=0.3, sliding={"stiffness": 1e5, "damping": 50.0})
    s = thrown(ball, floor, 0.1, [1.0, 0, 0, 0, 0, 0], 1.0, tolerance=1e-9)
    speed = (amble.jacobian(ball, s.q, "ball", frame="aligned") @ s.v)[0]
    assert speed == pytest.approx(5 / 7, abs=2e-3)


def test_a_tilted_plane_pushes_along_its_normal(ball):
    weightless = ball.with_gravity([0, 0, 0])
    wall = amble.compliant_contact(weightless, "ball", point=[0.05, 0, 0], normal=[-2, 0, 0], offset=-1.0, friction=0.0)
    s = thrown(weightless, wall, 0.0, [1.0, 0, 0, 0, 0, 0], 2.0)
    assert s.v[0] == pytest.approx(-1.0, abs=1e-6)           # elastic: no damping is given


def test_changing_the_stiffness_takes_energy(ball):
    floor = amble.compliant_contact(ball, "ball", radius=0.1, normal_law="kelvin_voigt", stiffness=1e4, damping=50.0,
                                    factor=lambda t: 1.0 + 0.5 * math.sin(20 * t))
    s = thrown(ball, floor, 0.098, np.zeros(6), 0.5)
    assert s.ledger["entries"][0]["supplied"] > 1e-5


def test_strain_left_at_release_is_heat_at_once_or_fades(ball):
    held = dict(radius=0.1, normal_law="hertz", stiffness=1e6, friction=math.inf,
                sliding={"stiffness": 3e4, "relaxation": 1e-5})
    entries = {}
    for fading in (0.0, 0.02):
        s = thrown(ball, amble.compliant_contact(ball, "ball", fading=fading, **held), 0.101, [2, 0, -2, 0, 0, 0], 0.02)
        assert len(s.events) == 2
        entries[fading] = s.ledger["entries"][0]
    assert entries[0.0]["stored"] == 0.0 and entries[0.02]["stored"] > 1e-3
    assert entries[0.0]["dissipated"] > entries[0.02]["dissipated"]


@pytest.mark.parametrize("words, message", [
    (dict(normal_law="herz"), "did you mean 'hertz'"),
    (dict(sliding_law="slick"), "known are frictionless, lugre, micro_slip, stick_slip, viscous"),
    (dict(sliding={"stifness": 1.0}), "sliding has a name that is not one of 'stiffness', 'stiffness_across'"),
    (dict(rolling=3.0), "rolling is not a dict of numbers"),
    (dict(stiffness=-1.0), "has a stiffness of -1"),
    (dict(normal=[0, 0, 0]), "normal has the length 0"),
    (dict(share_a=2.0), "has a share of 2"),
])
def test_what_makes_no_contact_is_refused(ball, words, message):
    with pytest.raises(amble.Error, match=message):
        amble.compliant_contact(ball, "ball", **words)


def test_a_contact_is_of_a_body_or_of_a_pair(ball):
    with pytest.raises(amble.Error, match="of no body and no pair"):
        amble.compliant_contact(ball)
