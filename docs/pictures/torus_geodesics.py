"""Geodesics of the double pendulum between two configurations: on its torus there are several, one for each way round."""

from pathlib import Path

import amble

ROOT = Path(__file__).resolve().parents[2]


def picture():
    pendulum = amble.load(ROOT / "models/double_pendulum.urdf")
    start, end = [-1.0, -0.8], [1.2, 1.4]
    found = [g for g in amble.geodesics_between(pendulum, start, end, windings=1) if g.converged][:6]
    curves = [amble.geodesic(pendulum, start, g.v0) for g in found]
    return amble.geodesic_figure(pendulum, curves, [f"length {g.length:.2f}" for g in found])


if __name__ == "__main__":
    print(picture(), end="")
