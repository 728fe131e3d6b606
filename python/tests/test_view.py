"""Recordings become pages, animations and pictures."""

import json
import re
import struct
from base64 import b64decode
from html import escape, unescape
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import amble
from amble import plots

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def ball():
    return amble.run_scenario(SCENARIOS / "bouncing_ball.toml", ["simulation.duration=2"])[0]


@pytest.fixture(scope="module")
def box():
    return amble.run_scenario(SCENARIOS / "sliding_box.toml")[0]


def head_of(stream):
    assert stream[:8] == b"AMBLESCN"
    (length,) = struct.unpack("<Q", stream[8:16])
    return json.loads(stream[16 : 16 + length]), 16 + length


def scene_in(page):
    return b64decode(re.search(r'<script id="scene"[^>]*>([^<]*)</script>', page).group(1))


def test_a_page_holds_a_model_in_the_posture_given(tmp_path):
    robot = amble.load(SCENARIOS.parent / "models" / "arm7.urdf")
    q = robot.random(seed=3)
    amble.view(robot, q, html=tmp_path / "arm.html")
    stream = scene_in((tmp_path / "arm.html").read_text())
    head, base = head_of(stream)
    assert head["format"] == "amble model" and head["q"] == q.tolist()
    assert [c["name"] for c in head["coordinates"]] == robot.joints
    for reference in head["references"]:
        poses = np.frombuffer(stream, "<f8", 7 * len(head["bodies"]), base + reference["poses"]).reshape(-1, 7)
        for body, pose in zip(head["bodies"], poses):
            assert pose[:3] == pytest.approx(amble.pose(robot, reference["q"], body["name"])[:3, 3], abs=1e-14)
    assert head["references"][0]["com"] == pytest.approx(amble.center_of_mass(robot, q), abs=1e-14)


def test_what_is_no_posture_or_no_recording_is_refused(tmp_path):
    robot = amble.load(SCENARIOS.parent / "models" / "arm7.urdf")
    for q in (np.zeros(3), np.full(robot.nq, np.nan), "home"):
        with pytest.raises((amble.Error, ValueError, TypeError), match="q"):
            amble.view(robot, q, html=tmp_path / "arm.html")
    with pytest.raises(amble.Error, match="glb is for recordings"):
        amble.view(robot, glb=tmp_path / "arm.glb")
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_a_robot_does_as_well(tmp_path):
    amble.view(SCENARIOS.parent / "models" / "rover.sdf", html=tmp_path / "rover.html")
    head = head_of(scene_in((tmp_path / "rover.html").read_text()))[0]
    assert (head["format"], head["name"], head["file"]) == ("amble model", "rover", "rover.sdf")


def test_q_of_a_recording_is_refused(ball, tmp_path):
    with pytest.raises(amble.Error, match="q is for models"):
        amble.view(ball, tmp_path / "ball.html")


def test_the_server_of_a_model_opens_the_browser_unless_told_not_to(monkeypatch):
    import webbrowser

    robot = amble.load(SCENARIOS.parent / "models" / "arm7.urdf")
    opened = []

    def open_page(address):
        opened.append(address)
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", open_page)
    with pytest.raises(KeyboardInterrupt):
        amble.view(robot)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", opened[0])


def test_a_robot_shows_itself_in_a_notebook():
    robot = amble.load(SCENARIOS.parent / "models" / "arm7.urdf")
    html = robot._repr_html_()
    assert html.startswith("<div><b>arm7</b>: ") and f"nq {robot.nq}" in html and len(html) < 1_000_000
    frame = re.search(r"<iframe [^>]*sandbox='allow-scripts'[^>]*srcdoc='([^']*)'></iframe>", html)
    page = unescape(frame.group(1))
    assert page.startswith("<!doctype html>") and head_of(scene_in(page))[0]["name"] == "arm7"


def test_names_do_not_leave_the_frame_of_a_notebook():
    evil = "</div><script>alert(1)</script>'><img src=x>"
    text = (SCENARIOS.parent / "models" / "arm7.urdf").read_text()
    robot = amble.load_text(text.replace('robot name="arm7"', f'robot name="{escape(evil)}"'), "evil.urdf")
    assert robot.name == evil
    facts, frame = robot._repr_html_().split("<iframe")
    assert "<script" not in facts and "<img" not in facts and "alert" in facts
    assert frame.count("'></iframe>") == 1 and "<img src=x>" not in frame and "alert(1)" not in frame


def test_a_page_holds_the_recording(ball, tmp_path):
    amble.view(ball, html=tmp_path / "ball.html")
    page = (tmp_path / "ball.html").read_text()
    assert "http" not in re.sub(r"http://www\.w3\.org/[\w/]*|http-equiv", "", page.split("<script>")[0])
    stream = b64decode(re.search(r'<script id="scene"[^>]*>([^<]*)</script>', page).group(1))
    head, base = head_of(stream)
    states = head["states"]
    t = np.frombuffer(stream, "<f8", states["rows"], base + states["time"])
    assert (t == ball.t).all()
    column = next(c for c in states["columns"] if c["name"] == "q:root_joint.z")
    assert (np.frombuffer(stream, "<f8", states["rows"], base + column["value"]) == ball.q[:, 2]).all()
    assert [e["t"] for e in head["events"]] == [e["t"] for e in ball.events]


def test_a_file_does_as_well(ball, tmp_path):
    ball.save(tmp_path / "ball.h5")
    amble.view(tmp_path / "ball.h5", html=tmp_path / "a.html", glb=tmp_path / "a.glb")
    assert (tmp_path / "a.glb").read_bytes()[:4] == b"glTF"
    with pytest.raises(amble.Error, match="no such file"):
        amble.view(tmp_path / "none.h5", html=tmp_path / "b.html")


def test_contacts_are_recorded_and_kept(box, tmp_path):
    contacts = box.contacts
    assert len(contacts["t"]) > 0 and contacts["force"].shape == (len(contacts["t"]), 3)
    assert set(contacts["a"]) | set(contacts["b"]) == {"world", box.mechanism.bodies[0]}
    box.save(tmp_path / "box.h5")
    again = amble.load_recording(tmp_path / "box.h5").contacts
    for key in ("t", "point", "force", "normal", "friction"):
        assert (again[key] == contacts[key]).all()


def test_contact_forces_are_those_of_newton(box):
    """What the slope gives makes the box slide as Coulomb says: g (sin 30 - 0.5 cos 30) down the slope."""
    contacts = box.contacts
    times = np.unique(contacts["t"])
    last = contacts["t"] == times[-1]
    up = contacts["force"][last][:, 2].sum() * (1 if contacts["b"][-1] != "world" else -1)
    down = 9.81 * (0.5 - 0.5 * np.sqrt(0.75)) * 0.5
    assert up == pytest.approx(box.mechanism.mass * (9.81 - down), rel=1e-6)


def test_forces_stay_within_their_cones(box):
    contacts = box.contacts
    normal = (contacts["force"] * contacts["normal"]).sum(axis=1)
    tangent = np.linalg.norm(contacts["force"] - normal[:, None] * contacts["normal"], axis=1)
    assert (normal >= -1e-9).all()
    assert (tangent <= contacts["friction"] * normal * (1 + 1e-6) + 1e-7).all()


@pytest.fixture(scope="module")
def compass():
    walker = amble.Walker("compass")
    return walker, next(g for g in walker.cycles() if g.stable)


def test_a_walk_is_a_recording(compass, tmp_path):
    walker, gait = compass
    r = walker.record(gait, steps=4)
    assert r.t[-1] == pytest.approx(4 * gait.period) and r.complete
    assert abs(r.ledger["residual"]) < 1e-10 and r.ledger["losses"] == pytest.approx(4 * gait.energy_lost)
    assert [e["name"] for e in r.events[:2]] == ["footfall (inner leg)", "footfall (outer leg)"]
    assert r.contacts["b"][0] == "outer_leg" and r.origin["notes"][0].startswith("stable")
    r.save(tmp_path / "walk.h5")
    assert amble.load_recording(tmp_path / "walk.h5").origin["notes"] == r.origin["notes"]
    amble.view(r, html=tmp_path / "walk.html")


def test_pictures_without_a_browser(compass):
    walker, gait = compass
    drawn = amble.pictures(walker.record(gait, steps=3))
    assert set(drawn) == {"stick-figures", "energy", "phase-portrait", "contact-forces"}
    for svg in [*drawn.values(), walker.stick_figures(gait)]:
        assert svg.startswith("<svg") and amble.png(svg)[:8] == b"\x89PNG\r\n\x1a\n"


def test_pictures_of_gaits_by_matplotlib(compass, tmp_path):
    walker, gait = compass
    basin = walker.basin([gait], cells=[6, 6, 6])
    for ax in (
        plots.stick_figures(walker.record(gait, steps=3)),
        plots.energy_per_step(walker.walk(gait, steps=3)),
        plots.bifurcations(walker.continue_cycles("slope_deg", 3.0, 3.2, gait, doublings=0), "slope_deg"),
        plots.basin(basin["fate"], 0, 1),
        plots.phase_portrait(walker.record(gait, steps=3), "q:q4", "v:q4"),
    ):
        ax.figure.savefig(tmp_path / "picture.png")
        assert (tmp_path / "picture.png").stat().st_size > 5000


def test_pictures_use_the_one_palette(ball, tmp_path):
    header = Path(__file__).resolve().parents[2] / "src" / "amble" / "base" / "palette.hpp"
    assert plots.palette["stance_leg"] in header.read_text()
    for ax in (
        plots.energy(ball),
        plots.power(ball),
        plots.signals(ball, ["kinetic", "q:root_joint.z"]),
        plots.phase_portrait(ball, "q:root_joint.z", "v:root_joint.vz"),
        plots.return_map(ball, "kinetic", "ground: is hit"),
        plots.contact_forces(ball),
    ):
        ax.figure.savefig(tmp_path / "picture.png")
        assert (tmp_path / "picture.png").stat().st_size > 5000
    with pytest.raises(ValueError, match="no signal 'q:knee'"):
        plots.signals(ball, ["q:knee"])
    with pytest.raises(ValueError, match="three or more"):
        plots.return_map(ball, "kinetic", "never")
