"""Draws docs/pictures/snakeboard-path.svg: where the snakeboard of scenarios/snakeboard.toml goes, and the speed that
its rider makes. Run it with `./amble python docs/pictures/snakeboard_path.py`."""

from pathlib import Path

import amble
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, LEFT, RIGHT = 720, 300, 60, 24
PATH_MIDDLE, SPEED_TOP, SPEED_BOTTOM = 82, 170, 262
BOARD, TRUCK, PATH, SPEED = "#777", "#c0392b", "#2c5f9e", "#2c7a4b"
HALF_LENGTH, HALF_AXLE = 0.5, 0.18  # m
SHOWN = (0, 5, 8, 10, 12)  # s; apart enough to be told apart
STYLE = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#ddd}"


def line(points, colour, width):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def board(q, place):
    """The board and its two axles, which turn against each other."""
    x, y, turn, _, steer = q
    along = lambda angle: np.array([np.cos(angle), np.sin(angle)])
    front, rear = (np.array([x, y]) + s * HALF_LENGTH * along(turn) for s in (1, -1))
    out = [line([place(*rear), place(*front)], BOARD, 2.5)]
    for middle, angle in ((front, turn + steer), (rear, turn - steer)):
        across = HALF_AXLE * along(angle + np.pi / 2)
        out.append(line([place(*(middle - across)), place(*(middle + across))], TRUCK, 2.5))
    return out


def top_view(r):
    left, right = r.q[:, 0].min() - 0.7, r.q[:, 0].max() + 0.7
    scale = (WIDTH - LEFT - RIGHT) / (right - left)
    place = lambda x, y: (LEFT + scale * (x - left), PATH_MIDDLE - scale * y)
    times = ", ".join(map(str, SHOWN[:-1])) + f" and {SHOWN[-1]} s"
    out = [f'<text x="{LEFT}" y="18" class="title">from above: at {times}, and the path of the middle</text>']
    for metres in range(int(np.ceil(left)), int(right) + 1, 2):
        x = place(metres, 0)[0]
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="30" y2="{2 * PATH_MIDDLE - 34}" class="grid"/>')
        out.append(f'<text x="{x:.1f}" y="{2 * PATH_MIDDLE - 20}" text-anchor="middle">{metres} m</text>')
    out.append(line([place(*p) for p in r.q[::4, :2]], PATH, 1.4))
    for second in SHOWN:
        out += board(r.q[np.searchsorted(r.t, second)], place)
    return out


def speed_view(r):
    ahead = r.v[:, 0] * np.cos(r.q[:, 2]) + r.v[:, 1] * np.sin(r.q[:, 2])
    most = np.ceil(5 * ahead.max()) / 5
    across = lambda t: LEFT + (WIDTH - LEFT - RIGHT) * t / r.t[-1]
    up = lambda v: SPEED_BOTTOM - (SPEED_BOTTOM - SPEED_TOP) * v / most
    out = [f'<text x="{LEFT}" y="{SPEED_TOP - 8}" class="title">speed along the board (m/s)</text>']
    for v in (0, most / 2, most):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(v):.1f}" y2="{up(v):.1f}" class="grid"/>')
        out.append(f'<text x="{LEFT - 8}" y="{up(v) + 4:.1f}" text-anchor="end">{v:.1f}</text>')
    for t in range(0, int(r.t[-1]) + 1, 2):
        out.append(f'<text x="{across(t):.1f}" y="{SPEED_BOTTOM + 16}" text-anchor="middle">{t}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">time (s)</text>')
    return [*out, line([(across(t), up(v)) for t, v in zip(r.t[::4], ahead[::4])], SPEED, 1.8)]


def picture():
    r, _ = amble.run_scenario(ROOT / "scenarios/snakeboard.toml")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{STYLE}</style>'
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, paper, *top_view(r), *speed_view(r), "</svg>\n"])


if __name__ == "__main__":
    Path(__file__).with_name("snakeboard-path.svg").write_text(picture())
