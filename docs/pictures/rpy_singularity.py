"""Draws docs/pictures/rpy-singularity.svg: a plate that pitches through the vertical, in roll-pitch-yaw alone and with
charts that switch. Run it with `./amble python docs/pictures/rpy_singularity.py`."""

from pathlib import Path

import amble
import numpy as np

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 330, 64, 46, 26
COLOURS = {"roll rate": "#c0392b", "pitch rate": "#2c7a4b", "yaw rate": "#2c5f9e"}
DURATION, SPEED = 1.6, 2.0


def plate():
    b = amble.Builder("plate")
    b.body("plate", mass=1.0, com=[0, 0, 0], inertia=np.diag([1, 2, 2.5]))
    b.joint("root", "free", parent="world", child="plate")
    return b.build().with_gravity([0, 0, 0])


def motion(m, times):
    """The true motion, in the mechanism's own coordinates: small steps on the manifold."""
    q, v, states = m.neutral(), np.array([0, 0, 0, 0.03, SPEED, 0]), []
    for h in np.diff(times, append=times[-1]):
        states.append((q, v))
        steps = 20
        for _ in range(steps if h > 0 else 0):
            a = amble.forward_dynamics(m, q, v, np.zeros(6))
            middle = amble.forward_dynamics(m, m.integrate(q, h / steps / 2 * v), v + h / steps / 2 * a, np.zeros(6))
            q, v = m.integrate(q, h / steps * (v + h / steps / 2 * a)), v + h / steps * middle
    return states


def rates_of_charts(m, times, switching):
    """theta's rates along the motion, and the switches."""
    switcher = amble.ChartSwitcher(amble.ChartCoordinates(m, "rpy"))
    rows = []
    for t, (q, v) in zip(times, motion(m, times)):
        c = switcher.coordinates
        x = c.from_configuration(q)
        xdot = c.rates(x, v)
        if switching:
            x, xdot = switcher.update(t, x, xdot)
        rows.append(xdot[3:])
    return np.array(rows), switcher.log


def curve(times, values, scale_x, scale_y, colour):
    """Points in a straight line with their neighbours are left out."""
    points = [(round(scale_x(t), 1), round(scale_y(y), 1)) for t, y in zip(times, values)]
    bends = [b for a, b, c in zip(points, points[1:], points[2:]) if not a[1] == b[1] == c[1]]
    text = " ".join(f"{x},{y}" for x, y in [points[0], *bends, points[-1]])
    return f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="1.8"/>'


def panel(left, title, times, rows, log, limit, names):
    width = WIDTH / 2 - LEFT - 20
    scale_x = lambda t: left + width * t / DURATION
    scale_y = lambda y: TOP + (HEIGHT - TOP - BOTTOM) * (0.5 - 0.5 * np.clip(y, -limit, limit) / limit)
    out = [f'<text x="{left}" y="{TOP - 10}" class="title">{title}</text>']
    for y in (-limit, 0, limit):
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{scale_y(y):.1f}" y2="{scale_y(y):.1f}" class="grid"/>')
        out.append(f'<text x="{left - 8}" y="{scale_y(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
    for t in (0, 0.4, 0.8, 1.2, 1.6):
        out.append(f'<text x="{scale_x(t):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{t:g}</text>')
    out.append(f'<text x="{left + width / 2}" y="{HEIGHT - 10}" text-anchor="middle">time (s)</text>')
    for entry in log:
        x = scale_x(entry["t"])
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" class="switch"/>')
        out.append(f'<text x="{x - 4:.1f}" y="{TOP + 14}" text-anchor="end">{entry["source"]} to {entry["target"]}</text>')
    cuts = [0, *(int(np.searchsorted(times, entry["t"])) for entry in log), len(times)]
    for start, end in zip(cuts, cuts[1:]):  # a chart's curves end where it is left
        part = slice(start, end)
        out += [curve(times[part], rows[part, i], scale_x, scale_y, c) for i, c in enumerate(COLOURS.values())]
    for i, (name, colour) in enumerate(zip(names, COLOURS.values())):
        out.append(f'<text x="{left + 8}" y="{HEIGHT - BOTTOM - 10 - 15 * (2 - i)}" style="fill:{colour}">{name}</text>')
    return out


def picture():
    m = plate()
    times = np.linspace(0, DURATION, 641)
    alone, _ = rates_of_charts(m, times, switching=False)
    switched, log = rates_of_charts(m, times, switching=True)
    peak = np.abs(alone).max()
    style = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#ddd}.switch{stroke:#999;stroke-dasharray:4 3}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{style}</style>']
    parts.append('<rect width="100%" height="100%" fill="white"/>')
    first = f"roll-pitch-yaw alone: rates up to {peak:.0f} rad/s"
    parts += panel(LEFT, first, times, alone, [], 220, ["roll rate (rad/s)", "pitch rate", "yaw rate"])
    parts += panel(LEFT + WIDTH / 2, f"switching: up to {np.abs(switched).max():.1f} rad/s", times, switched, log, 4,
                   ["first angle's rate (rad/s)", "second", "third"])
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    Path(__file__).with_name("rpy-singularity.svg").write_text(picture())
