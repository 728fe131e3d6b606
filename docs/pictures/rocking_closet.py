"""Draws docs/pictures/rocking-closet.svg: what share of its speed a closet of DS Example 3.15 keeps when its other foot lands, over its
shape and how its mass is spread. Run it with `./amble python docs/pictures/rocking_closet.py`."""

from pathlib import Path

import amble
import numpy as np

SIZE, LEFT, TOP, CELLS, GAP = 240, 60, 40, 16, 40
SPREADS = {"all mass in the centre": 0.02, "evenly spread": 1 / 3, "at the edges": 1.0}  # J / (m (h^2 + w^2))


def kept(w, h, spread):
    """Angular speed after over before, by an impact on a mechanism."""
    b = amble.Builder("closet")
    b.body("closet", mass=1.0, com=[0, 0, 0], inertia=spread * (h * h + w * w) * np.eye(3))
    b.joint("plane", "planar", parent="world", child="closet")
    feet = [dict(body="closet", point=[x, -h, 0], normal=[0, 1, 0]) for x in (-w, w)]
    return -amble.impact(b.build(), [0, h, 0], [h, -w, -1], feet).v[2]


def colour(share):
    """White where it stops, blue where it keeps its speed."""
    a, b = np.array([255, 255, 255]), np.array([44, 95, 158])
    return "#%02x%02x%02x" % tuple(np.round(a + (b - a) * min(1.0, max(0.0, share))).astype(int))


def panel(x0, title, spread):
    cell = SIZE / CELLS
    parts = [f'<text x="{x0 + SIZE / 2}" y="{TOP - 12}" text-anchor="middle">{title}</text>']
    for i in range(CELLS):
        for j in range(CELLS):
            w, h = (i + 0.5) / CELLS, (j + 0.5) / CELLS
            parts.append(f'<rect x="{x0 + i * cell:.1f}" y="{TOP + SIZE - (j + 1) * cell:.1f}" width="{cell + 0.3:.1f}" '
                         f'height="{cell + 0.3:.1f}" fill="{colour(kept(w, h, spread))}"/>')
    # DS (3.66): h^2 (1 + s) = w^2 (1 - s)
    slope = np.sqrt(max(0.0, (1 - spread) / (1 + spread)))
    parts.append(f'<line x1="{x0}" y1="{TOP + SIZE}" x2="{x0 + SIZE}" y2="{TOP + SIZE - slope * SIZE:.1f}" stroke="#c0392b" '
                 'stroke-width="1.5"/>')
    parts.append(f'<rect x="{x0}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#333"/>')
    parts.append(f'<text x="{x0 + SIZE / 2}" y="{TOP + SIZE + 18}" text-anchor="middle">half width w (m), 0 to 1</text>')
    return parts


def picture():
    width, height = LEFT + len(SPREADS) * (SIZE + GAP), TOP + SIZE + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text transform="translate(20 {TOP + SIZE / 2}) rotate(-90)" text-anchor="middle">half height h (m), 0 to 1</text>']
    for k, (title, spread) in enumerate(SPREADS.items()):
        parts += panel(LEFT + k * (SIZE + GAP), title, spread)
    parts.append(f'<text x="{LEFT}" y="{height - 8}">blue: the share of its speed that it keeps; white: it stops; red: DS (3.66)</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("rocking-closet.svg").write_text(picture(), encoding="utf-8")
