"""Draws a recording as a strip of pictures (SVG): 
`./amble python docs/picture_strip.py amble-out/squat.h5 docs/pictures/stance-squat.svg 0 1.5 3 --models models/humanoid30.urdf`.

Every body is drawn as the outlines of its visual shapes, boxes, cylinders and balls of the model files, nearer ones over farther ones.
"""
import argparse
import math
import sys
import xml.etree.ElementTree as ET

import amble
import numpy as np


def numbers(text, count):
    return np.array([float(x) for x in text.split()]) if text else np.zeros(count)


def rotation(rpy):
    (r, p, y) = rpy
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])


def corners(shape):
    """Points whose convex hull is the shape, about its own origin."""
    if shape.tag == "box":
        half = 0.5 * numbers(shape.get("size"), 3)
        return np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * half
    radius = float(shape.get("radius"))
    if shape.tag == "cylinder":
        half = 0.5 * float(shape.get("length"))
        ring = [(radius * math.cos(a), radius * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 8, endpoint=False)]
        return np.array([[x, y, z] for z in (-half, half) for x, y in ring])
    turns = [(a, b) for a in np.linspace(0, 2 * math.pi, 8, endpoint=False) for b in (-0.8, 0.0, 0.8)]
    return radius * np.array([[math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)] for a, b in turns])


def shapes_of(files):
    """(body, points on it) of every visual shape."""
    for file in files:
        for link in ET.parse(file).getroot().iter("link"):
            for visual in link.findall("visual"):
                origin = visual.find("origin")
                at = numbers(origin.get("xyz") if origin is not None else "", 3)
                turn = rotation(numbers(origin.get("rpy") if origin is not None else "", 3))
                yield link.get("name"), corners(visual.find("geometry")[0]) @ turn.T + at


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def hull(points):
    """The outline of points in the plane (Andrew's monotone chain)."""
    points = sorted(set(map(tuple, points)))
    chains = []
    for order in (points, points[::-1]):
        chain = []
        for p in order:
            while len(chain) > 1 and turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return chains


def main():
    options = argparse.ArgumentParser()
    options.add_argument("recording")
    options.add_argument("out")
    options.add_argument("times", nargs="+", type=float)
    options.add_argument("--models", nargs="+", required=True, help="URDF files of what moves")
    options.add_argument("--view", type=float, default=60.0, help="direction of the eye about z from x (degrees)")
    options.add_argument("--spacing", type=float, default=0.9, help="of pictures (m)")
    o = options.parse_args()
    recording = amble.load_recording(o.recording)
    m, t, q = recording.mechanism, np.array(recording.t), np.array(recording.q)
    shapes = list(shapes_of(o.models))
    yaw, pitch = math.radians(o.view), math.radians(12.0)
    eye = np.array([math.cos(yaw) * math.cos(pitch), -math.sin(yaw) * math.cos(pitch), math.sin(pitch)])
    right = np.array([math.sin(yaw), math.cos(yaw), 0.0])
    up = np.cross(eye, right)
    scale, drawn, low, high, top = 130.0, [], 1e9, -1e9, 0.0
    for i, time in enumerate(o.times):
        row = int(np.argmin(abs(t - time)))
        faces = []
        for body, points in shapes:
            X = amble.pose(m, q[row], body)
            world = points @ X[:3, :3].T + X[:3, 3]
            faces.append((float(np.mean(world @ eye)), hull(np.round(np.c_[world @ right, world @ up], 4)), body))
        for _, outline, body in sorted(faces, key=lambda f: f[0]):
            flat = [(scale * (x + i * o.spacing), -scale * y) for x, y in outline]
            low, high = min([low] + [p[0] for p in flat]), max([high] + [p[0] for p in flat])
            top = min([top] + [p[1] - 10 for p in flat])
            colour = "#d9a441" if body in ("parcel", "stool") else "#9fb4c7" if "left" in body else "#c9cfd6"
            drawn.append(f'<path fill="{colour}" d="M' + "L".join(f"{x:.0f} {y:.0f}" for x, y in flat) + 'z"/>')
        drawn.append(f'<text x="{scale * i * o.spacing:.0f}" y="34" text-anchor="middle">{time:g} s</text>')
    left, width = low - 10, high - low + 20
    with open(o.out, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {width:.0f} {50 - top:.0f}" '
                f'font-family="sans-serif" font-size="12" stroke="#37424d" stroke-width="0.6" stroke-linejoin="round">\n'
                f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{50 - top:.0f}" fill="#fff" stroke="none"/>\n')
        f.write("\n".join(drawn).replace("<text", '<text stroke="none"') + "\n</svg>\n")


if __name__ == "__main__":
    sys.exit(main())
