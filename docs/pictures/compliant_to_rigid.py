"""Draws docs/pictures/compliant-to-rigid.svg: a rod that falls on its end, on ground that is stiffer and stiffer, and on a
hinge after a plastic impact. Run it with `./amble python docs/pictures/compliant_to_rigid.py`."""

from pathlib import Path

import amble
import numpy as np

WIDTH, HEIGHT, TOP, BOTTOM = 720, 300, 44, 252
LEFT, MIDDLE, SECOND, RIGHT = 64, 384, 470, 24
COLOURS = ("#c0392b", "#c47f17", "#2c7a4b", "#2c5f9e")
STYLE = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#ddd}.rigid{stroke:#333;stroke-dasharray:5 3}"
SHOWN = (1e4, 1e5, 1e6, 1e7)  # N/m
ANGLE, SPEED, END = 0.6, 2.0, 0.1  # rad, m/s, s
START = 0.02  # s: what the left half shows
INERTIA = np.diag([1e-4, 1 / 12, 1 / 12])  # of a rod of 1 kg and 1 m


def rod():
    b = amble.Builder("rod")
    b.body("slide")
    b.body("lift")
    b.body("rod", mass=1.0, inertia=INERTIA)
    b.joint("along", "prismatic", parent="world", child="slide", axis=[1, 0, 0])
    b.joint("up", "prismatic", parent="slide", child="lift", axis=[0, 0, 1])
    b.joint("turn", "revolute", parent="lift", child="rod", axis=[0, 1, 0])
    return b.build()


def hinged():
    b = amble.Builder("hinged rod")
    b.body("rod", mass=1.0, com=[-0.5, 0, 0], inertia=INERTIA)
    b.joint("turn", "revolute", parent="world", child="rod", axis=[0, 1, 0])
    return b.build()


def turning(simulator, times):
    """The rate at which the rod turns, at these times."""
    out = []
    for t in times:
        simulator.step(t - simulator.t)
        out.append(simulator.v[-1])
    return np.array(out)


def on_ground(m, stiffness, times):
    damping = 2.0 * np.sqrt(stiffness)
    contact = amble.compliant_contact(
        m, "rod", point=[0.5, 0, 0], normal_law="kelvin_voigt_pulling", stiffness=stiffness, damping=damping,
        friction=np.inf, sliding={"stiffness": stiffness, "relaxation": damping / stiffness})
    s = amble.Simulator(m, elements=[contact], integrator="radau", tolerance=1e-8)
    s.reset([0.0, 0.5 * np.sin(ANGLE) + 1e-9, ANGLE], [0.0, -SPEED, 0.0])
    return turning(s, times)


def on_hinge(times):
    """After the plastic impact: the momentum about the end is kept."""
    s = amble.Simulator(hinged(), tolerance=1e-11)
    s.reset([ANGLE], [-SPEED * 0.5 * np.cos(ANGLE) / (1 / 12 + 1 / 4)])
    return turning(s, times)


def line(points, kind):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke-width="1.8" {kind}/>'


def motion_view(m, rigid, times):
    low, high = -3.0, 0.0
    across = lambda t: LEFT + (MIDDLE - LEFT) * t / START
    up = lambda v: BOTTOM - (BOTTOM - TOP) * (v - low) / (high - low)
    out = [f'<text x="{LEFT}" y="20" class="title">how fast the rod turns (rad/s)</text>']
    for v in (-3, -2, -1, 0):
        out.append(f'<line x1="{LEFT}" x2="{MIDDLE}" y1="{up(v):.1f}" y2="{up(v):.1f}" class="grid"/>')
        out.append(f'<text x="{LEFT - 8}" y="{up(v) + 4:.1f}" text-anchor="end">{v}</text>')
    for t in (0.0, 0.01, 0.02):
        out.append(f'<text x="{across(t):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{t:g}</text>')
    out.append(f'<text x="{(LEFT + MIDDLE) / 2}" y="{HEIGHT - 8}" text-anchor="middle">time (s)</text>')
    for k, colour in zip(SHOWN, COLOURS):
        out.append(line([(across(t), up(v)) for t, v in zip(times, on_ground(m, k, times))], f'stroke="{colour}"'))
    out.append(line([(across(t), up(v)) for t, v in zip(times, rigid)], 'class="rigid"'))
    for i, (k, colour) in enumerate(zip(SHOWN, COLOURS)):
        out.append(f'<text x="{MIDDLE - 90}" y="{TOP + 16 + 16 * i}" style="fill:{colour}">{k:.0e} N/m</text>')
    return [*out, f'<text x="{MIDDLE - 90}" y="{TOP + 16 + 16 * len(SHOWN)}">rigid (dashed)</text>']


def error_view(m):
    stiffness = 10.0 ** np.arange(4, 9.5, 0.5)
    rigid = on_hinge([END])[0]
    off = [abs(on_ground(m, k, [END])[0] - rigid) for k in stiffness]
    across = lambda k: SECOND + (WIDTH - RIGHT - SECOND) * (np.log10(k) - 4) / 5
    up = lambda e: BOTTOM - (BOTTOM - TOP) * (np.log10(e) + 6) / 4
    out = [f'<text x="{SECOND}" y="20" class="title">difference at {END} s (rad/s)</text>']
    for power in range(-6, -1):
        y = up(10.0**power)
        out.append(f'<line x1="{SECOND}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        out.append(f'<text x="{SECOND - 8}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>')
    for power in range(4, 10):
        out.append(f'<text x="{across(10.0**power):.1f}" y="{BOTTOM + 18}" text-anchor="middle">1e{power}</text>')
    out.append(f'<text x="{(SECOND + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">stiffness (N/m)</text>')
    out.append(line([(across(k), up(e)) for k, e in zip(stiffness, off)], f'stroke="{COLOURS[-1]}"'))
    return out


def picture():
    m, times = rod(), np.linspace(START / 160, START, 160)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{STYLE}</style>'
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, paper, *motion_view(m, on_hinge(times), times), *error_view(m), "</svg>\n"])


if __name__ == "__main__":
    Path(__file__).with_name("compliant-to-rigid.svg").write_text(picture())
